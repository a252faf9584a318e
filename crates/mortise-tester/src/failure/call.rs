//! What a request that failed means, decided by facts of the protocol and never by words.

use mortise_client::{CallError, CloseReason, RpcError};

use super::{ErrorType, Failure, in_full};
use crate::object::Object;

/// Parameters that the server does not take; for names and addresses it also means unknown.
const INVALID_PARAMS: i64 = -32602;
/// The code that servers before 2026 answer an unknown resource with.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// What was asked for, and whether the server lists it; `None` when its list can't be had.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'a> {
    Tool {
        name: &'a str,
        is_listed: Option<bool>,
    },
    Resource {
        uri: &'a str,
        is_listed: Option<bool>,
    },
    Prompt {
        name: &'a str,
        is_listed: Option<bool>,
    },
    /// A list, a completion: nothing that could be unknown.
    Method(&'a str),
}

/// The failure that an error of a request is.
pub(crate) fn of_call(error: &CallError, subject: Subject<'_>) -> Failure {
    let (kind, reason, suggestion) = classify(error, subject);
    let details = Object::new().set("reason", reason).and(subject.facts()).and(facts(error));
    Failure::new(kind, in_full(error), suggestion).details(details)
}

impl Subject<'_> {
    fn facts(&self) -> Object {
        match self {
            Self::Tool { name, .. } => Object::new().set("tool", name),
            Self::Resource { uri, .. } => Object::new().set("uri", uri),
            Self::Prompt { name, .. } => Object::new().set("prompt", name),
            Self::Method(method) => Object::new().set("method", method),
        }
    }
}

type Class = (ErrorType, &'static str, &'static str);

fn classify(error: &CallError, subject: Subject<'_>) -> Class {
    match error {
        CallError::NotConnected { .. } => {
            (ErrorType::NotConnected, "connection_lost", "Call connect_to_server to connect again.")
        }
        CallError::Timeout { .. } => (
            ErrorType::Timeout,
            "deadline",
            "Give more time with timeout_ms, or find out why the server does not answer.",
        ),
        CallError::Rpc { error, .. } => rpc(error, subject),
        CallError::Arguments { .. } => {
            (ErrorType::InvalidArguments, "not_an_object", "Pass the arguments as a JSON object.")
        }
        CallError::InputRequired { .. } => (
            ErrorType::ExecutionError,
            "input_required",
            "The server asks its client something: connect again with `answers` for it.",
        ),
        CallError::NotCallable { .. } | CallError::SchemaUnusable { .. } => (
            ErrorType::ExecutionError,
            "not_callable",
            "The tool's declaration forbids a plain call; see its `issues` in list_tools.",
        ),
        CallError::Violation { .. } => (
            ErrorType::ExecutionError,
            "contract_violation",
            "Compare the result with the tool's outputSchema.",
        ),
        CallError::AuthRequired { .. } => (
            ErrorType::TransportError,
            "authorization_required",
            "Connect again with `auth` or `headers` that the server accepts.",
        ),
        CallError::Closed { .. } => (
            ErrorType::TransportError,
            "connection_closed",
            "The server went away; get_connection_status has its last words. Call connect_to_server to start again.",
        ),
        CallError::Cancelled { .. } => (ErrorType::TransportError, "cancelled", "Call again."),
        CallError::Http { .. } => (
            ErrorType::TransportError,
            "http_status",
            "Look at the status and the body in `details`; the server or something before it refused.",
        ),
        CallError::TooLarge { .. } => (
            ErrorType::TransportError,
            "too_large",
            "Ask the tool for less, for example by a limit or a page.",
        ),
        CallError::Protocol { .. } | CallError::Paging { .. } => (
            ErrorType::TransportError,
            "protocol_violation",
            "The server breaks the protocol; get_raw_exchange shows what it sent.",
        ),
        CallError::Stalled { .. } => {
            (ErrorType::TransportError, "stalled", "The server stopped reading; connect again.")
        }
        _ => (ErrorType::TransportError, "other", "Call get_connection_status to see where the server is."),
    }
}

fn rpc(error: &RpcError, subject: Subject<'_>) -> Class {
    const ERROR: Class = (
        ErrorType::ExecutionError,
        "json_rpc_error",
        "See code, message and data of the server's error in `details`.",
    );
    match subject {
        Subject::Tool { is_listed: Some(false), .. } => {
            (ErrorType::ToolNotFound, "not_listed", "Call list_tools to see which tools there are.")
        }
        Subject::Tool { .. } if error.code == INVALID_PARAMS => (
            ErrorType::InvalidArguments,
            "refused_by_server",
            "Call validate_arguments, and compare the arguments with the tool's inputSchema.",
        ),
        Subject::Resource { is_listed, .. }
            if error.code == RESOURCE_NOT_FOUND
                || is_listed == Some(false)
                || (error.code == INVALID_PARAMS && is_listed.is_none()) =>
        {
            (
                ErrorType::ResourceNotFound,
                "unknown_resource",
                "Call list_resources and list_resource_templates to see what can be read.",
            )
        }
        Subject::Prompt { is_listed: Some(false), .. } => {
            (ErrorType::PromptNotFound, "not_listed", "Call list_prompts to see which prompts there are.")
        }
        Subject::Prompt { .. } if error.code == INVALID_PARAMS => (
            ErrorType::InvalidArguments,
            "refused_by_server",
            "Compare the arguments with those that list_prompts shows.",
        ),
        _ => ERROR,
    }
}

fn facts(error: &CallError) -> Object {
    let object = Object::new();
    match error {
        CallError::Timeout { after, .. } => object.set("seconds", after.as_secs_f64()),
        CallError::Rpc { error, .. } => {
            let object = object.set("code", error.code).set("error_message", &error.message);
            match &error.data {
                Some(data) => object.verbatim("data", data),
                None => object,
            }
        }
        CallError::Closed { reason, .. } => object.and(close_facts(reason)),
        CallError::Http { status, retry_after, body, .. } => {
            object.set("status", status).set_some("retry_after", retry_after.as_ref()).set("body", body)
        }
        CallError::AuthRequired { challenge, .. } => object.set_some("challenge", challenge.as_ref()),
        CallError::TooLarge { limit, .. } => object.set("limit_bytes", limit),
        _ => object,
    }
}

/// How a connection ended.
pub(super) fn close_facts(reason: &CloseReason) -> Object {
    match reason {
        CloseReason::Exited { code } => Object::new().set("exit_code", code),
        CloseReason::Signalled { signal } => Object::new().set("signal", signal),
        _ => Object::new(),
    }
}

#[cfg(test)]
mod tests;
