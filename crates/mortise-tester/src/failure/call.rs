//! What a request that failed means, decided by facts of the protocol and never by words.

use mortise_client::{CallError, CloseReason, RpcError};

use mortise_contract::text::error_chain;

use super::{ErrorType, FailureDetails, TestFailure};
use crate::answer::AsSent;

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
pub(crate) fn failed_call(error: &CallError, subject: Subject<'_>) -> TestFailure {
    let (kind, reason, suggestion) = classify(error, subject);
    let mut details = FailureDetails { reason: Some(reason), ..call_details(error) };
    let (subject, name) = match subject {
        Subject::Tool { name, .. } => (&mut details.tool, name),
        Subject::Resource { uri, .. } => (&mut details.uri, uri),
        Subject::Prompt { name, .. } => (&mut details.prompt, name),
        Subject::Method(method) => (&mut details.method, method),
    };
    *subject = Some(name.to_owned());
    TestFailure::new(kind, error_chain(error), suggestion).details(details)
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
            "The server went away; get_connection_status has the last lines of its stderr. Call connect_to_server to start again.",
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

fn call_details(error: &CallError) -> FailureDetails {
    match error {
        CallError::Timeout { after, .. } => {
            FailureDetails { seconds: Some(after.as_secs_f64()), ..FailureDetails::default() }
        }
        CallError::Rpc { error, .. } => FailureDetails {
            code: Some(error.code),
            error_message: Some(error.message.clone()),
            data: error.data.as_ref().map(AsSent::new),
            ..FailureDetails::default()
        },
        CallError::Closed { reason, .. } => close_details(reason),
        CallError::Http { status, retry_after, body, .. } => FailureDetails {
            status: Some(*status),
            retry_after: retry_after.clone(),
            body: Some(body.clone()),
            ..FailureDetails::default()
        },
        CallError::AuthRequired { challenge, .. } => {
            FailureDetails { challenge: challenge.clone(), ..FailureDetails::default() }
        }
        CallError::TooLarge { limit, .. } => {
            FailureDetails { limit_bytes: Some(*limit as u64), ..FailureDetails::default() }
        }
        _ => FailureDetails::default(),
    }
}

pub(super) fn close_details(reason: &CloseReason) -> FailureDetails {
    match reason {
        CloseReason::Exited { code } => {
            FailureDetails { exit_code: Some(*code), ..FailureDetails::default() }
        }
        CloseReason::Signalled { signal } => {
            FailureDetails { signal: Some(signal.clone()), ..FailureDetails::default() }
        }
        _ => FailureDetails::default(),
    }
}

#[cfg(test)]
mod tests;
