//! `keep` and `load` as programs call them.

use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use mortise_script::HostError;

use super::{KeptEntry, KeptName, KeptReason, NewKeptValue};
use crate::host::Bridge;

impl Bridge {
    pub(crate) async fn keep_for_later(&self, name: &str, value: RawJson) -> Result<RawJson, HostError> {
        let name = KeptName::parse(name)?;
        let caller = self.lasting_caller.clone();
        let new = NewKeptValue { caller, name, value, reason: KeptReason::Asked };
        Ok(self.kept.keep(new).await?.handle())
    }

    pub(crate) async fn load_kept(&self, name: &str) -> Result<RawJson, HostError> {
        let name = KeptName::parse(name)?;
        Ok(self.kept.load(&self.lasting_caller, &name).await?)
    }
}

impl KeptEntry {
    /// What `keep` returns to the program.
    fn handle(&self) -> RawJson {
        let bytes = RawJson::of(&self.bytes).unwrap_or_else(|_| RawJson::null());
        RawObject::default()
            .with("name", RawJson::string(self.name.as_str()))
            .with("bytes", bytes)
            .with("shape", RawJson::string(&self.shape))
            .with("preview", RawJson::string(&self.preview))
            .with("uri", RawJson::string(&self.name.uri()))
            .into_json()
    }
}
