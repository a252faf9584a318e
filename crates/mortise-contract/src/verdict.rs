//! Does a result keep its contract, and if not, where.

mod judge;

use serde_json::{Value, json};

use crate::schema::SchemaOptions;
use crate::{Mode, RawJson};

pub use judge::{judge, judge_at_once};

const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// One place where a value breaks its schema.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
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

impl Violation {
    /// Where it is and what is wrong, as the first of `total` violations: `at /bmi: expected …, and 2 more`.
    pub fn sentence(&self, total: usize) -> String {
        let pointer = if self.instance_path.is_empty() { "the root" } else { &self.instance_path };
        let more = match total.saturating_sub(1) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!("at {pointer}: {}{more}", self.message)
    }
}

/// What a verdict says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The value conforms.
    Valid,
    /// The value breaks the schema.
    Invalid,
    /// There is a schema and no structured value; or neither schema nor content, where that is forbidden.
    Missing,
    /// No structured value, but a text block is JSON that conforms.
    RecoveredFromText,
    /// Structured content from a tool without schema, where that is forbidden.
    Unexpected,
    /// `isError` is not a boolean: whether the call failed can't be known.
    Malformed {
        /// The member and what it is: `/isError is a string, not a boolean`.
        reason: String,
    },
    /// The tool declares no output schema.
    NoSchema,
    /// The result is a tool error, which is never validated.
    ToolError,
    /// The answer asks for input or hands out a task; its final result is judged.
    Incomplete,
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
    /// Whether the result keeps the contract, or why that is not known.
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
    /// All violations that were found, kept or not.
    pub total_errors: usize,
    /// Whether there are, or may be, more violations than `errors` holds.
    pub is_truncated: bool,
    /// Remarks such as `vacuous_schema`, `number_out_of_range`, `structured_without_schema`.
    pub notes: Vec<String>,
    /// The value found in a text, as written there, when the status is [`Status::RecoveredFromText`].
    pub recovered: Option<RawJson>,
    /// The era of the connection, if it was given.
    pub era: Option<Era>,
    /// How long the call took; left to the caller, since this crate has no clock.
    pub ms: Option<u64>,
}

/// Which half of the protocol's history a connection speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// 2024-11-05 to 2025-11-25: `initialize`, object roots only.
    Legacy,
    /// 2026-07-28 and later: stateless, any JSON value as output.
    Modern,
}

/// How a result is judged.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct JudgeOptions {
    /// Off, warn or strict.
    pub mode: Mode,
    /// A tool without output schema must return content and no structured content (the seed's rule).
    pub forbid_unschematised: bool,
    /// The era of the connection; with [`Era::Legacy`] a root that is not an object is noted.
    pub era: Option<Era>,
    /// How schemas are compiled.
    pub schema: SchemaOptions,
}

impl Verdict {
    /// Whether the contract is broken (invalid, missing, unexpected or malformed).
    pub fn is_violation(&self) -> bool {
        matches!(
            self.status,
            Status::Invalid | Status::Missing | Status::Unexpected | Status::Malformed { .. }
        )
    }

    /// The JSON-RPC code a strict client reports: -32602 for a mismatch, -32600 for the other violations.
    pub fn error_code(&self) -> Option<i32> {
        match self.status {
            Status::Invalid => Some(INVALID_PARAMS),
            Status::Missing | Status::Unexpected | Status::Malformed { .. } => Some(INVALID_REQUEST),
            _ => None,
        }
    }

    /// Why a result is refused: pointer, what was expected and what came, and the code of [`Verdict::error_code`].
    ///
    /// `None` when there is nothing to refuse.
    pub fn refusal(&self) -> Option<String> {
        let code = self.error_code().map(|code| format!(" (code {code})")).unwrap_or_default();
        let cause = match (&self.status, self.errors.first()) {
            (Status::Invalid, Some(first)) => first.sentence(self.total_errors),
            (Status::Invalid, None) => "the value does not conform to the output schema".to_owned(),
            (Status::Missing, _) => "expected structured content, got none".to_owned(),
            (Status::Unexpected, _) => {
                "expected no structured content, since the tool has no output schema".to_owned()
            }
            (Status::Malformed { reason }, _) => reason.clone(),
            (Status::Unchecked { reason }, _) => format!("it can't be checked: {reason}"),
            _ => return None,
        };
        Some(format!("{cause}{code}"))
    }

    /// Whether a strict client refuses the result: a violation, or a schema or value that can't be checked.
    pub fn is_refused(&self) -> bool {
        self.mode == Mode::Strict && self.fails_strict()
    }

    /// Whether the result would be refused in strict mode, whatever mode it was judged in.
    pub fn fails_strict(&self) -> bool {
        self.is_violation() || matches!(self.status, Status::Unchecked { .. })
    }

    /// The verdict object: `{status, code?, reason?, tool, schema_hash, dialect, mode, era, errors, total_errors,
    /// truncated, notes, ms}`.
    pub fn to_json(&self) -> Value {
        let mut object = json!({ "status": self.status.as_str() });
        if let Some(code) = self.error_code() {
            object["code"] = json!(code);
        }
        if let Status::Unchecked { reason } | Status::Malformed { reason } = &self.status {
            object["reason"] = json!(reason);
        }
        object["tool"] = json!(self.tool);
        object["schema_hash"] = json!(self.schema_hash);
        object["dialect"] = json!(self.dialect);
        object["mode"] = json!(self.mode.as_str());
        object["era"] = json!(self.era.map(Era::as_str));
        object["errors"] = json!(self.errors);
        object["total_errors"] = json!(self.total_errors);
        object["truncated"] = json!(self.is_truncated);
        object["notes"] = json!(self.notes);
        object["ms"] = json!(self.ms);
        object
    }
}

impl Status {
    /// The name that verdict objects use.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Missing => "missing",
            Self::RecoveredFromText => "recovered_from_text",
            Self::Unexpected => "unexpected",
            Self::Malformed { .. } => "malformed",
            Self::NoSchema => "no_schema",
            Self::ToolError => "tool_error",
            Self::Incomplete => "incomplete",
            Self::Off => "off",
            Self::Unchecked { .. } => "unchecked",
        }
    }
}

impl Era {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

#[cfg(test)]
mod tests;
