//! What can go wrong while connecting, listing and calling.

mod redacted;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::text::cut;
use mortise_contract::{RawJson, ServerName, ToolOutcome};

use crate::event::ProtocolFault;

/// How much of a skipped line an error shows.
const EXCERPT_CHARS: usize = 80;

/// A JSON-RPC error as the server sent it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("server error {code}: {message}")]
pub struct RpcError {
    /// The code; 0 when the server sent none that is a whole number.
    pub code: i64,
    /// The message; empty when the server sent none.
    pub message: String,
    /// `data`, verbatim.
    pub data: Option<RawJson>,
}

/// What came from a server while an answer was waited for, and could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// How many lines or messages.
    pub lines: u64,
    /// The first of them, unless the server has been at fault too often to keep it.
    pub first: Option<ProtocolFault>,
}

impl fmt::Display for Skipped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lines {
            1 => formatter.write_str("1 line was skipped")?,
            lines => write!(formatter, "{lines} lines were skipped")?,
        }
        let Some(first) = &self.first else { return Ok(()) };
        let which = if self.lines == 1 { "it" } else { "the first" };
        write!(formatter, ", {which} {}: `{}`", first.kind.reason(), cut(&first.excerpt, EXCERPT_CHARS))
    }
}

fn skipped_lines(skipped: &Option<Skipped>) -> String {
    skipped.as_ref().map(|skipped| format!("; {skipped}")).unwrap_or_default()
}

/// A time for people, without the last microseconds of a timer.
fn shown(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    match tenths {
        0..10 => format!("{} ms", time.as_millis()),
        _ if tenths.is_multiple_of(10) || tenths >= 1000 => format!("{} s", (tenths + 5) / 10),
        _ => format!("{}.{} s", tenths / 10, tenths % 10),
    }
}

/// Why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloseReason {
    /// The process exited.
    #[error("the process exited with code {code}")]
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// The process was ended by a signal.
    #[error("the process was ended by {signal}")]
    Signalled {
        /// The name of the signal, e.g. `SIGKILL`.
        signal: String,
    },
    /// The process closed its output but lives on.
    #[error("the process closed its standard output")]
    OutputClosed,
    /// The process does not read what we send.
    #[error("the process stopped reading its standard input")]
    InputStalled,
    /// Too many lines were not JSON-RPC messages.
    #[error("{lines} lines on standard output were not JSON-RPC messages")]
    TooMuchNoise {
        /// How many there were.
        lines: u64,
    },
    /// The server can no longer be reached over the network.
    #[error("the connection failed: {detail}")]
    Network {
        /// The error of the network layer.
        detail: String,
    },
    /// This side closed it.
    #[error("the connection was closed")]
    Closed,
}

/// Why a server is not connected.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum ConnectError {
    /// The program can't be started.
    #[error("cannot start `{command}`")]
    Spawn {
        /// The program, without its arguments.
        command: String,
        /// The system's error.
        #[source]
        source: Arc<io::Error>,
    },
    /// The program can't be started where it is to run.
    #[error("cannot start `{command}` in `{}`: there is no such directory", directory.display())]
    Directory {
        /// The program, without its arguments.
        command: String,
        /// Its working directory.
        directory: PathBuf,
    },
    /// Mortise processes have started one another too often.
    #[error(
        "refusing to start `{command}`: mortise runs inside mortise {depth} levels deep, the limit is {limit}"
    )]
    TooDeep {
        command: String,
        /// Levels above us.
        depth: u32,
        /// Levels allowed.
        limit: u32,
    },
    /// The connection ended before the server was ready.
    #[error("{reason} before the server was ready")]
    Closed {
        reason: CloseReason,
        /// The last lines it wrote to standard error.
        stderr: String,
    },
    /// The connection was up and has ended.
    #[error("the connection is lost: {reason}")]
    Lost {
        reason: CloseReason,
        /// The last lines it wrote to standard error.
        stderr: String,
    },
    /// The server was not ready in time.
    #[error("not ready within {}, while {stage}{}", shown(*after), skipped_lines(skipped))]
    Timeout {
        /// How long we waited.
        after: Duration,
        /// What we were waiting for.
        stage: &'static str,
        /// The last lines it wrote to standard error.
        stderr: String,
        /// What the server sent meanwhile that could not be used.
        skipped: Option<Skipped>,
    },
    /// Its entry in the configuration can't be used.
    #[error("{reason}")]
    Configuration {
        /// What is wrong, with file, line and column.
        reason: String,
        /// What the reader can do now, one sentence each.
        hints: Vec<String>,
    },
    /// The address is not usable.
    #[error("`{origin}` is not a usable address: {detail}")]
    Address {
        /// Scheme, host and port.
        origin: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A configured header can't be sent.
    #[error("the header `{name}` can't be sent: {detail}")]
    Header {
        /// Its name; the value is a secret.
        name: String,
        /// What is wrong with it.
        detail: &'static str,
    },
    /// The server can't be reached.
    #[error("cannot reach `{origin}`: {detail}")]
    Unreachable {
        /// Scheme, host and port.
        origin: String,
        /// The error of the network layer.
        detail: String,
    },
    /// The server wants us to log in.
    #[error("`{origin}` wants authorization{}", after_colon(detail))]
    AuthRequired {
        /// Scheme, host and port.
        origin: String,
        /// The `WWW-Authenticate` header, if there was one.
        challenge: Option<String>,
        /// Why there is no token, if that is known.
        detail: Option<String>,
    },
    /// The server answered with an HTTP error.
    #[error("`{origin}` answered with HTTP status {status}")]
    Http {
        /// Scheme, host and port.
        origin: String,
        /// The status code.
        status: u16,
        /// The `Retry-After` header.
        retry_after: Option<String>,
        /// The start of the body.
        body: String,
    },
    /// The server speaks the transport that Streamable HTTP replaced.
    #[error(
        "`{origin}` speaks HTTP+SSE (protocol 2024-11-05), which is not supported; the server must offer Streamable HTTP"
    )]
    HttpSse {
        /// Scheme, host and port.
        origin: String,
    },
    /// The server refused the handshake.
    #[error("the server answered `{method}` with an error")]
    Refused {
        /// The request it refused.
        method: &'static str,
        #[source]
        error: RpcError,
    },
    /// We have no protocol version in common.
    #[error("no protocol version in common; the server offers {}", offered.join(", "))]
    Version {
        /// The versions it offers.
        offered: Vec<String>,
    },
    /// The server broke the protocol in the handshake.
    #[error("cannot use the server's answer to `{method}`: {detail}")]
    Protocol {
        /// The request.
        method: &'static str,
        detail: String,
    },
    /// The pool was shut down.
    #[error("the pool was shut down")]
    ShutDown,
}

/// Why a request to a server has no usable result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum CallError {
    /// The server is not connected now; a supervisor may be reconnecting.
    #[error("server `{server}` is not connected ({reason})")]
    NotConnected {
        server: ServerName,
        /// What its supervisor last saw.
        reason: String,
    },
    /// The connection ended while the request was under way.
    #[error("connection to `{server}` closed: {reason}")]
    Closed { server: ServerName, reason: CloseReason },
    /// No answer in time. The server was notified.
    #[error("`{subject}` on server `{server}` timed out after {}{}", shown(*after), skipped_lines(skipped))]
    Timeout {
        server: ServerName,
        /// The tool, resource, prompt or method.
        subject: String,
        /// How long we waited.
        after: Duration,
        /// What the server sent meanwhile that could not be used.
        skipped: Option<Skipped>,
    },
    /// The caller cancelled. The server was notified.
    #[error("`{subject}` on server `{server}` was cancelled")]
    Cancelled {
        server: ServerName,
        /// The tool, resource, prompt or method.
        subject: String,
    },
    /// The server answered with a JSON-RPC error.
    #[error("`{subject}` on server `{server}` failed")]
    Rpc {
        server: ServerName,
        /// The tool, resource, prompt or method.
        subject: String,
        #[source]
        error: RpcError,
    },
    /// The server began a task for the call and gave it up or forgot it. What the task did is not known.
    #[error("the task for `{subject}` on server `{server}` is lost: {reason}")]
    TaskLost {
        server: ServerName,
        /// The tool.
        subject: String,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The result breaks its contract, and the mode is strict. The payload is inside.
    #[error("the result of `{tool}` on server `{server}` breaks its contract{}", after_colon(&outcome.verdict.refusal()))]
    Violation {
        server: ServerName,
        tool: String,
        /// The result with its verdict.
        outcome: Box<ToolOutcome>,
    },
    /// The output schema can't be used, and the mode is strict. Nothing was sent.
    #[error("the output schema of `{tool}` on server `{server}` can't be used: {reason}")]
    SchemaUnusable {
        server: ServerName,
        tool: String,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The tool can't be called at all.
    #[error("`{tool}` on server `{server}` can't be called: {reason}")]
    NotCallable {
        server: ServerName,
        tool: String,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The server declares the tool otherwise than the caller expects. Nothing was sent.
    #[error("server `{server}` has changed the declaration of `{tool}`")]
    Redeclared { server: ServerName, tool: String },
    /// No tool is called by this name.
    #[error("no tool is called `{name}`{}", nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownName {
        /// The name as given.
        name: String,
        /// The name of a tool that was probably meant.
        nearest: Option<String>,
    },
    /// The arguments are not a JSON object.
    #[error("the arguments of `{tool}` must be a JSON object, not {found}")]
    Arguments {
        tool: String,
        /// What they are.
        found: String,
    },
    /// The answer is larger than a frame may be.
    #[error("the answer to `{subject}` on server `{server}` is larger than {limit} bytes")]
    TooLarge {
        server: ServerName,
        /// The tool, resource, prompt or method.
        subject: String,
        limit: usize,
    },
    /// The answer breaks the protocol.
    #[error("the answer to `{subject}` on server `{server}` breaks the protocol: {detail}")]
    Protocol {
        server: ServerName,
        /// The tool, resource, prompt or method.
        subject: String,
        detail: String,
    },
    /// The server asks for input that no handler gives.
    #[error("`{subject}` on server `{server}` needs input: {detail}")]
    InputRequired {
        server: ServerName,
        /// The tool, resource or prompt.
        subject: String,
        /// What it asked for and why that can't be given.
        detail: String,
    },
    /// The queue to the server is full.
    #[error("server `{server}` does not read what is sent to it; {waiting} messages wait")]
    Stalled {
        server: ServerName,
        /// Messages in the queue.
        waiting: usize,
    },
    /// A list does not end, or is too long.
    #[error("`{method}` on server `{server}` does not end: {detail}")]
    Paging {
        server: ServerName,
        method: &'static str,
        /// Which guard stopped it.
        detail: String,
    },
    /// The server wants us to log in.
    #[error("server `{server}` wants authorization{}", after_colon(detail))]
    AuthRequired {
        server: ServerName,
        /// The `WWW-Authenticate` header, if there was one.
        challenge: Option<String>,
        /// Why there is no token, if that is known.
        detail: Option<String>,
    },
    /// The server answered with an HTTP error.
    #[error("server `{server}` answered `{subject}` with HTTP status {status}")]
    Http {
        server: ServerName,
        /// The tool, resource, prompt or method.
        subject: String,
        /// The status code.
        status: u16,
        /// The `Retry-After` header.
        retry_after: Option<String>,
        /// The start of the body.
        body: String,
    },
}

fn after_colon(detail: &Option<String>) -> String {
    detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default()
}

impl CallError {
    /// The JSON-RPC code: the server's own, or the one of a broken contract, -32602 for a value that does not conform
    /// and -32600 for one that is missing or was not promised.
    pub fn code(&self) -> Option<i64> {
        match self {
            Self::Rpc { error, .. } => Some(error.code),
            Self::Violation { outcome, .. } => outcome.verdict.error_code().map(i64::from),
            _ => None,
        }
    }

    /// Whether the same call may succeed later without anyone changing anything.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::NotConnected { .. }
            | Self::Closed { .. }
            | Self::Redeclared { .. }
            | Self::Timeout { .. }
            | Self::Stalled { .. } => true,
            Self::Http { status, .. } => *status == 429 || *status >= 500,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
