//! Why a tool of the tester failed, in the one form that all of them share.

mod call;
mod connect;

use mortise_contract::{RawJson, RawObject};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::{AsSent, FailureShown};
use crate::exchanges::Exchanges;
use crate::tools::call::ArgumentViolationShown;

pub(crate) use call::{Subject, failed_call};
pub(crate) use connect::failed_connect;

// The kinds of failure. Callers rely on these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum ErrorType {
    NotConnected,
    ConnectionFailed,
    ToolNotFound,
    ResourceNotFound,
    PromptNotFound,
    InvalidArguments,
    ExecutionError,
    Timeout,
    TransportError,
}

/// A failure as it is answered.
#[derive(Clone, Debug)]
pub(crate) struct TestFailure {
    pub(crate) kind: ErrorType,
    pub(crate) message: String,
    pub(crate) details: Box<FailureDetails>,
    pub(crate) suggestion: String,
    /// What there is to show of a request that was sent.
    pub(crate) shown: Box<FailureShown>,
}

// The `error` member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ErrorShown {
    #[serde(rename = "type")]
    kind: ErrorType,
    message: String,
    #[schemars(with = "Map<String, Value>")]
    details: RawJson,
    suggestion: String,
}

/// Facts about a failure, for programs. Each failure has those that apply to it.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct FailureDetails {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<String>,
    /// The names of the open connections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) connections: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_tools: Option<usize>,
    /// Whether the request left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) violations: Option<Vec<ArgumentViolationShown>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_violations: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<AsSent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<AsSent>,
    #[serde(rename = "structuredContent", skip_serializing_if = "Option::is_none")]
    pub(crate) structured_content: Option<AsSent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seconds: Option<f64>,
    /// How far connecting had come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<AsSent>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) challenge: Option<String>,
    /// The protocol versions that the server offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offered: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) limit_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stderr: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) server_url: Option<String>,
}

impl FailureDetails {
    pub(crate) fn reason(reason: &'static str) -> Self {
        Self { reason: Some(reason), ..Self::default() }
    }
}

impl TestFailure {
    /// A failure without details.
    pub(crate) fn new(kind: ErrorType, message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            details: Box::default(),
            suggestion: suggestion.into(),
            shown: Box::default(),
        }
    }

    /// An argument of the tester's own tool is wrong.
    pub(crate) fn invalid(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::new(ErrorType::InvalidArguments, message, suggestion)
    }

    pub(crate) fn details(mut self, details: FailureDetails) -> Self {
        *self.details = details;
        self
    }

    pub(crate) fn showing(mut self, shown: FailureShown) -> Self {
        *self.shown = shown;
        self
    }

    pub(crate) fn into_parts(self) -> (ErrorShown, FailureShown) {
        let Self { kind, message, details, suggestion, shown } = self;
        (ErrorShown { kind, message, details: written(&details), suggestion }, *shown)
    }
}

impl ErrorShown {
    /// Without the secrets that the caller gave: a server may repeat them in what it says. The keys are ours.
    pub(crate) fn redacted(self, exchanges: &Exchanges) -> Self {
        let details = exchanges.redacted_members(&self.details);
        Self { message: exchanges.redacted(&self.message), details, ..self }
    }
}

fn written(details: &FailureDetails) -> RawJson {
    // Strings, numbers and JSON that was read before always have a JSON form.
    RawJson::of(details).unwrap_or_else(|_| RawObject::default().into_json())
}

#[cfg(test)]
mod tests;
