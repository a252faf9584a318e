//! Results and failures as they are sent.

use std::time::Duration;

use mortise_contract::verdict::Violation;
use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_server::{Answer, ToolError};
use serde_json::Value;

use super::TimeLimit;

/// Bytes of JSON that a result may have.
pub const RESULT_LIMIT: usize = 1_000_000;

/// Structured content, the same as text, and a text for people.
pub(super) fn success(result: Value, feedback: String) -> Answer {
    let text = result.to_string();
    let answer = Answer::structured(result).and_text(text);
    if feedback.is_empty() { answer } else { answer.and_text(feedback) }
}

/// An error body as text, and nothing structured: it would not fit the schema of success.
pub(super) fn failure(body: &ErrorBody) -> ToolError {
    ToolError::from(Answer::error(body.to_value().to_string()))
}

pub(super) fn within_limit(result: &Value) -> Result<(), ErrorBody> {
    let size = result.to_string().len();
    if size <= RESULT_LIMIT {
        return Ok(());
    }
    Err(ErrorBody::new(
        ErrorCode::OutputTooLarge,
        format!("the result has {size} bytes; at most {RESULT_LIMIT} are sent"),
        "ask for less: fewer files, fewer rows or a smaller limit",
    ))
}

/// A bug of ours; `reason` holds nothing of the caller's.
pub(crate) fn internal(reason: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, reason, "report this as a bug of mortise")
}

pub(super) fn broken(tool: &str, violations: &[Violation]) -> ErrorBody {
    let first = violations.first();
    let place = first.map_or("the result", |violation| violation.instance_path.as_str());
    let message = first.map_or("it does not fit", |violation| violation.message.as_str());
    tracing::error!(tool, violations = violations.len(), "own result refused");
    ErrorBody::new(
        ErrorCode::InternalContract,
        format!("the result of `{tool}` breaks its own output schema at `{place}`: {message}"),
        "report this as a bug of mortise",
    )
    .at_field(place)
}

pub(super) fn too_slow(tool: &str, limit: TimeLimit, time: Duration) -> ErrorBody {
    let less = "give it less to do: fewer paths, fewer files or fewer rows";
    let suggestion = match limit {
        TimeLimit::Within(_) => less.to_owned(),
        TimeLimit::Long => format!("{less}; or set `wizards.timeout_seconds` in mortise.yaml"),
    };
    ErrorBody::new(ErrorCode::Timeout, format!("`{tool}` took longer than {} s", time.as_secs()), suggestion)
        .with_retryable(true)
}
