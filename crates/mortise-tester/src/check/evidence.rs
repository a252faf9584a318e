//! What proves a finding: what was asked, what came, and the place in it.

use mortise_client::secret::Secrets;
use mortise_contract::text::cut_bytes;
use mortise_contract::{Contract, ToolOutcome};
use serde_json::Value;

/// The proof of a finding. A part that does not apply is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingEvidence {
    /// What was asked, e.g. `tools/call add {"a":1}`.
    pub request: String,
    /// The start of what came: a result, a declaration, a line, the last lines of a process.
    pub response: String,
    /// JSON pointer into what came.
    pub pointer: String,
}

impl FindingEvidence {
    /// Longest part, in bytes.
    pub const PART: usize = 2_048;

    pub(crate) fn of_call(tool: &str, arguments: &Value, response: impl Into<String>) -> Self {
        let request = format!("tools/call {tool} {arguments}");
        Self { request, response: response.into(), pointer: String::new() }
    }

    pub(crate) fn of_outcome(tool: &str, arguments: &Value, outcome: &ToolOutcome) -> Self {
        Self::of_call(tool, arguments, outcome.result.raw.text())
    }

    /// A place in the declaration of a tool.
    pub(crate) fn of_declaration(contract: &Contract, pointer: &str) -> Self {
        let whole = contract.raw.value().unwrap_or_default();
        let place = whole.pointer(pointer).map_or_else(|| contract.raw.text().to_owned(), Value::to_string);
        Self { request: "tools/list".to_owned(), response: place, pointer: pointer.to_owned() }
    }

    /// This evidence at a place.
    pub(crate) fn at(&self, pointer: &str) -> Self {
        Self { pointer: pointer.to_owned(), ..self.clone() }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.request.is_empty() && self.response.is_empty() && self.pointer.is_empty()
    }

    /// Secrets go first: a cut in the middle of one would leave a part of it.
    pub(super) fn shown(self, secrets: &Secrets) -> Self {
        let shown = |text: String| cut_bytes(&secrets.hide(&text), Self::PART);
        Self { request: shown(self.request), response: shown(self.response), pointer: shown(self.pointer) }
    }
}
