//! Why a tool of the tester failed, in the one form that all of them share.

mod call;
mod connect;

use crate::exchanges::Exchanges;
use crate::object::Object;

pub(crate) use call::{Subject, of_call};
pub(crate) use connect::of_connect;

/// The kinds of failure. Callers rely on these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl ErrorType {
    /// All of them, in the order in which they are documented.
    pub(crate) const ALL: [Self; 9] = [
        Self::NotConnected,
        Self::ConnectionFailed,
        Self::ToolNotFound,
        Self::ResourceNotFound,
        Self::PromptNotFound,
        Self::InvalidArguments,
        Self::ExecutionError,
        Self::Timeout,
        Self::TransportError,
    ];

    /// The word on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NotConnected => "not_connected",
            Self::ConnectionFailed => "connection_failed",
            Self::ToolNotFound => "tool_not_found",
            Self::ResourceNotFound => "resource_not_found",
            Self::PromptNotFound => "prompt_not_found",
            Self::InvalidArguments => "invalid_arguments",
            Self::ExecutionError => "execution_error",
            Self::Timeout => "timeout",
            Self::TransportError => "transport_error",
        }
    }
}

/// A failure as it is answered.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorType,
    pub(crate) message: String,
    pub(crate) details: Object,
    pub(crate) suggestion: String,
    /// What there is to show besides, e.g. the call that failed.
    pub(crate) members: Object,
}

impl Failure {
    /// A failure without details.
    pub(crate) fn new(kind: ErrorType, message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            details: Object::new(),
            suggestion: suggestion.into(),
            members: Object::new(),
        }
    }

    /// An argument of the tester's own tool is wrong.
    pub(crate) fn invalid(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::new(ErrorType::InvalidArguments, message, suggestion)
    }

    /// Adds facts for programs.
    pub(crate) fn details(mut self, details: Object) -> Self {
        self.details = self.details.and(details);
        self
    }

    /// Adds members beside `error`.
    pub(crate) fn showing(mut self, members: Object) -> Self {
        self.members = self.members.and(members);
        self
    }

    /// The same without the secrets that the caller gave: a server may repeat them in what it says.
    pub(crate) fn redacted(mut self, exchanges: &Exchanges) -> Self {
        self.message = exchanges.redacted(&self.message);
        self.details = self.details.redacted(exchanges);
        self
    }

    /// The `error` member.
    pub(crate) fn error(&self) -> Object {
        Object::new()
            .set("type", self.kind.as_str())
            .set("message", &self.message)
            .object("details", &self.details)
            .set("suggestion", &self.suggestion)
    }
}

/// An error and its causes on one line.
pub(crate) fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
