//! What a connection that could not be made means.

use mortise_client::{CloseReason, ConnectError};

use mortise_contract::text::error_chain;

use super::call::close_details;
use super::{ErrorType, FailureDetails, TestFailure};

/// The failure that an error of connecting is.
pub(crate) fn failed_connect(error: &ConnectError) -> TestFailure {
    let (reason, suggestion) = reason(error);
    let details = FailureDetails { reason: Some(reason), ..connect_details(error) };
    TestFailure::new(ErrorType::ConnectionFailed, error_chain(error), suggestion).details(details)
}

fn reason(error: &ConnectError) -> (&'static str, &'static str) {
    match error {
        ConnectError::Spawn { .. } => {
            ("spawn", "Check that the command exists and can be run; it is not a shell line.")
        }
        ConnectError::Directory { .. } => ("cwd", "Give a `cwd` that exists."),
        ConnectError::TooDeep { .. } => ("too_deep", "A server must not start mortise again and again."),
        ConnectError::Closed { reason: CloseReason::Network { .. }, .. } => {
            ("ended", "Check that this is the address of an MCP server; many use /mcp.")
        }
        ConnectError::Closed { .. } | ConnectError::Lost { .. } => {
            ("ended", "Read the server's standard error in `details` for why it ended.")
        }
        ConnectError::Timeout { .. } => {
            ("timeout", "Give more time with timeout_ms, or check that this is an MCP server.")
        }
        ConnectError::Address { .. } => ("address", "Give a full http or https URL of a server."),
        ConnectError::Header { .. } => ("header", "Correct the header; its name is in the message."),
        ConnectError::Unreachable { .. } => {
            ("unreachable", "Check that the server runs and that host and port are right.")
        }
        ConnectError::AuthRequired { .. } => {
            ("authorization_required", "Give `auth` or `headers` that the server accepts.")
        }
        ConnectError::Http { status, .. } => ("http_status", of_status(*status)),
        ConnectError::HttpSse { .. } => {
            ("http_sse", "Ask for the server's Streamable HTTP address; HTTP+SSE is not spoken.")
        }
        ConnectError::Refused { .. } => ("refused", "See code and message of the server's error."),
        ConnectError::Version { .. } => {
            ("version", "The server speaks no protocol version that is known here.")
        }
        ConnectError::Protocol { .. } => ("protocol", "Check that this is an MCP server."),
        _ => ("other", "Try again."),
    }
}

/// What to do about an HTTP status.
fn of_status(status: u16) -> &'static str {
    match status {
        300..=399 => "The server sends its clients to another address, which is not followed; give that one.",
        403 => "Give `auth` or `headers` that the server accepts.",
        429 | 500..=599 => "The server, or something before it, can't answer now; try again later.",
        _ => "Check the path of the URL; many servers use /mcp.",
    }
}

fn connect_details(error: &ConnectError) -> FailureDetails {
    match error {
        ConnectError::Closed { reason, stderr } | ConnectError::Lost { reason, stderr } => {
            FailureDetails { stderr: Some(stderr.clone()), ..close_details(reason) }
        }
        ConnectError::Timeout { after, stage, stderr, .. } => FailureDetails {
            seconds: Some(after.as_secs_f64()),
            stage: Some(stage.to_string()),
            stderr: Some(stderr.clone()),
            ..FailureDetails::default()
        },
        ConnectError::Http { status, retry_after, body, .. } => FailureDetails {
            status: Some(*status),
            retry_after: retry_after.clone(),
            body: Some(body.clone()),
            ..FailureDetails::default()
        },
        ConnectError::AuthRequired { challenge, .. } => {
            FailureDetails { challenge: challenge.clone(), ..FailureDetails::default() }
        }
        ConnectError::Refused { error, method } => FailureDetails {
            method: Some(method.to_string()),
            code: Some(error.code),
            error_message: Some(error.message.clone()),
            ..FailureDetails::default()
        },
        ConnectError::Version { offered } => {
            FailureDetails { offered: Some(offered.clone()), ..FailureDetails::default() }
        }
        _ => FailureDetails::default(),
    }
}
