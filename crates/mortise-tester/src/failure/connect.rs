//! What a connection that could not be made means.

use mortise_client::{CloseReason, ConnectError};

use super::call::close_facts;
use super::{ErrorType, Failure, in_full};
use crate::object::Object;

/// The failure that an error of connecting is.
pub(crate) fn of_connect(error: &ConnectError) -> Failure {
    let (reason, suggestion) = reason(error);
    let details = Object::new().set("reason", reason).and(facts(error));
    Failure::new(ErrorType::ConnectionFailed, in_full(error), suggestion).details(details)
}

fn reason(error: &ConnectError) -> (&'static str, &'static str) {
    match error {
        ConnectError::Spawn { .. } => {
            ("spawn", "Check that the command exists and can be run; it is no shell line.")
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

fn facts(error: &ConnectError) -> Object {
    let object = Object::new();
    match error {
        ConnectError::Closed { reason, stderr } | ConnectError::Lost { reason, stderr } => {
            object.and(close_facts(reason)).set("stderr", stderr)
        }
        ConnectError::Timeout { after, stage, stderr, .. } => {
            object.set("seconds", after.as_secs_f64()).set("stage", stage).set("stderr", stderr)
        }
        ConnectError::Http { status, retry_after, body, .. } => {
            object.set("status", status).set_some("retry_after", retry_after.as_ref()).set("body", body)
        }
        ConnectError::AuthRequired { challenge, .. } => object.set_some("challenge", challenge.as_ref()),
        ConnectError::Refused { error, method } => {
            object.set("method", method).set("code", error.code).set("error_message", &error.message)
        }
        ConnectError::Version { offered } => object.set("offered", offered),
        _ => object,
    }
}
