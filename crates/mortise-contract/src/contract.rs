//! Everything a server said about one tool, verbatim.

use serde_json::{Map, Value};

use crate::{RawJson, ToolName};

/// One tool as its server declared it, with nothing dropped.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The tool's own name.
    pub name: ToolName,
    /// The whole tool object as the server wrote it, unknown fields included.
    pub raw: RawJson,
    /// The same, parsed, keys in the server's order.
    pub fields: Map<String, Value>,
    /// What is wrong with the declaration; the tool stays listed.
    pub issues: Vec<ContractIssue>,
}

/// Something in a tool's declaration that is not as the protocol wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractIssue {
    /// JSON pointer into the tool object.
    pub pointer: String,
    /// What is wrong, for a person.
    pub message: String,
    /// Whether the tool can still be called.
    pub severity: IssueSeverity,
}

/// How far a [`ContractIssue`] reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueSeverity {
    /// Odd but harmless.
    Note,
    /// A part of the contract can't be used (for example its output schema); calls work.
    Degraded,
    /// The tool can't be called.
    Unusable,
}

/// The behaviour hints of a tool with the protocol's defaults filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// `readOnlyHint`, default false.
    pub read_only: bool,
    /// `destructiveHint`, default true.
    pub destructive: bool,
    /// `idempotentHint`, default false.
    pub idempotent: bool,
    /// `openWorldHint`, default true.
    pub open_world: bool,
}

/// Why a list element is no tool at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// The element is not a JSON object.
    #[error("the tool is not a JSON object but {found}")]
    NotAnObject {
        /// What it is instead, with an excerpt.
        found: String,
    },
    /// The element has no usable `name`.
    #[error("the tool has no usable name: {reason}")]
    NoName {
        /// Why.
        reason: String,
    },
}

impl Contract {
    /// Reads one element of a `tools/list` answer.
    pub fn parse(_raw: RawJson) -> Result<Self, ContractError> {
        todo!()
    }

    /// `description`, when it is a string.
    pub fn description(&self) -> Option<&str> {
        self.fields.get("description").and_then(Value::as_str)
    }

    /// `title`, or the title in the annotations.
    pub fn title(&self) -> Option<&str> {
        self.fields.get("title").and_then(Value::as_str)
    }

    /// `inputSchema` as sent, whatever it is.
    pub fn input_schema(&self) -> Option<&Value> {
        self.fields.get("inputSchema")
    }

    /// `outputSchema` as sent: of the tool, or, if only there, of its annotations.
    pub fn output_schema(&self) -> Option<&Value> {
        self.fields.get("outputSchema")
    }

    /// The behaviour hints.
    pub fn hints(&self) -> Hints {
        todo!()
    }

    /// SHA-256 over the canonical form (sorted keys, no white space) of exactly what a diff shows.
    pub fn hash(&self) -> String {
        todo!()
    }
}
