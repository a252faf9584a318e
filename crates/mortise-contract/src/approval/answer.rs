//! What a person answers to a question, with who and when.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer to an [`ApprovalQuestion`](super::ApprovalQuestion).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalAnswer {
    /// What was asked may be done.
    Allow(AllowedCalls),
    /// None of it may be done.
    Deny,
}

/// How far an `allow` reaches. The default is exactly what was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AllowedCalls {
    /// Calls of each tool that was asked about, in place of the number in the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// A JSON Schema that the arguments of every call must conform to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Seconds since 1970 until which later runs of the same caller are covered too; without it this run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

/// An answer, who gave it and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalDecision {
    /// What was decided.
    pub answer: ApprovalAnswer,
    /// Who decided: `client claude-code`, `terminal`, `--yes`.
    pub who: String,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}
