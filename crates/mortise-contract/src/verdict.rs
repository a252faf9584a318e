//! Does a result keep its contract, and if not, where.

use serde_json::Value;

use crate::schema::{SchemaCache, SchemaOptions};
use crate::{Contract, ToolResult};

/// What happens on a mismatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Nothing is checked.
    Off,
    /// Checked and reported; the value is never withheld.
    #[default]
    Warn,
    /// A violation is an error that carries the payload.
    Strict,
}

/// One place where a value breaks its schema.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Violation {
    /// JSON pointer into the value.
    pub instance_path: String,
    /// JSON pointer into the schema.
    pub schema_path: String,
    /// The keyword that failed.
    pub keyword: String,
    /// What is wrong, at most 2 KiB.
    pub message: String,
    /// The value there, at most 256 bytes.
    pub value_excerpt: String,
}

/// What a verdict says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The value conforms.
    Valid,
    /// The value breaks the schema.
    Invalid,
    /// There is a schema and no structured value.
    Missing,
    /// No structured value, but a text block is JSON that conforms.
    RecoveredFromText,
    /// Structured content from a tool without schema, where that is forbidden.
    Unexpected,
    /// The tool declares no output schema.
    NoSchema,
    /// The result is a tool error, which is never validated.
    ToolError,
    /// Checking was switched off.
    Off,
    /// The schema or the value could not be checked.
    Unchecked {
        /// Why: the schema error or the limit.
        reason: String,
    },
}

/// The judgement over one result.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The outcome.
    pub status: Status,
    /// The tool's own name.
    pub tool: String,
    /// Hash of the output schema, if there is one.
    pub schema_hash: Option<String>,
    /// Its dialect, e.g. `2020-12`.
    pub dialect: Option<&'static str>,
    /// The mode it was made under.
    pub mode: Mode,
    /// The first violations.
    pub errors: Vec<Violation>,
    /// All violations, kept or not.
    pub total_errors: usize,
    /// Remarks such as `vacuous_schema`, `number_out_of_range`, `structured_without_schema`.
    pub notes: Vec<String>,
}

/// How a result is judged.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JudgeOptions {
    /// Off, warn or strict.
    pub mode: Mode,
    /// A tool without output schema must return content and no structured content (the seed's rule).
    pub forbid_unschematised: bool,
    /// How schemas are compiled.
    pub schema: SchemaOptions,
}

impl Verdict {
    /// Whether the contract is broken (invalid, missing or unexpected).
    pub fn is_violation(&self) -> bool {
        matches!(self.status, Status::Invalid | Status::Missing | Status::Unexpected)
    }

    /// The JSON-RPC code a strict client reports: -32602 for a mismatch, -32600 for missing or unexpected.
    pub fn error_code(&self) -> Option<i32> {
        todo!()
    }

    /// The verdict object: `{status, tool, schema_hash, dialect, mode, errors, total_errors, truncated, notes}`.
    pub fn to_json(&self) -> Value {
        todo!()
    }
}

/// Judges a result against what its tool declared.
pub fn judge(
    _contract: &Contract,
    _result: &ToolResult,
    _options: &JudgeOptions,
    _cache: &SchemaCache,
) -> Verdict {
    todo!()
}
