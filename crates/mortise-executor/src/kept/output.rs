//! Output that is too long to show, kept without being asked.

use mortise_contract::RawJson;
use mortise_script::limits::PROGRAM_KEPT;

use super::{KeptName, KeptReason, KeptValues, NewKeptValue};
use crate::journal::RunId;

/// Where the output of a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOutput {
    pub name: KeptName,
    /// Bytes that are kept.
    pub bytes: u64,
}

impl KeptOutput {
    /// How a model reads it.
    pub(crate) fn sentence(&self, printed: u64) -> String {
        let what = match self.bytes < printed {
            true => format!("The first {} bytes are kept", self.bytes),
            false => "All of it is kept".to_owned(),
        };
        let (name, uri) = (&self.name, self.name.uri());
        format!("{what}: `text = await load(\"{name}\")` in a program, or the resource {uri}.")
    }
}

/// Keeps the output of a run. One that can't be kept is lost, as its answer then says.
pub(crate) async fn keep_output(
    kept: &dyn KeptValues,
    caller: &str,
    run: Option<&RunId>,
    whole: &str,
) -> Option<KeptOutput> {
    let value = RawJson::string(whole);
    if value.text().len() > PROGRAM_KEPT {
        return None;
    }
    let name = KeptName::of_output(&run.cloned().or_else(RunId::random)?);
    let caller = caller.to_owned();
    let new = NewKeptValue { caller, name: name.clone(), value, reason: KeptReason::CutOutput };
    match kept.keep(new).await {
        Ok(_) => Some(KeptOutput { name, bytes: whole.len() as u64 }),
        Err(error) => {
            tracing::warn!(%error, "the output of a program was cut, and is not kept");
            None
        }
    }
}
