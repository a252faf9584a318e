//! What went wrong with a server, with its exit code and advice.

use std::fmt;
use std::io;

use mortise_client::{CallError, ConnectError, oauth};
use mortise_contract::ServerName;

use super::Failure;
use crate::exit::Exit;
use crate::servers::login_command;

/// Why a server is of no use to a command.
#[derive(Clone, Debug)]
pub(crate) enum Unusable {
    /// It could not be connected to.
    NotConnected(ConnectError),
    /// It is connected, but does not say which tools it has.
    NotListed(String),
}

impl Unusable {
    /// The whole story as a failure.
    pub(crate) fn failure(&self, server: &ServerName) -> Failure {
        match self {
            Self::NotConnected(error) => connect(server, error),
            Self::NotListed(reason) => {
                Failure::new(self.exit(), format!("server `{server}` does not list its tools")).cause(reason)
            }
        }
    }

    /// The class of failure.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NotConnected(error) => connect_exit(error),
            Self::NotListed(_) => Exit::Unreachable,
        }
    }
}

/// The error with its causes on one line.
impl fmt::Display for Unusable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotListed(reason) => write!(formatter, "it does not list its tools: {reason}"),
            Self::NotConnected(ConnectError::Spawn { command, source })
                if source.kind() == io::ErrorKind::NotFound =>
            {
                write!(formatter, "there is no program `{command}`")
            }
            Self::NotConnected(error) => {
                write!(formatter, "{error}")?;
                let mut source = std::error::Error::source(error);
                while let Some(error) = source {
                    write!(formatter, ": {error}")?;
                    source = error.source();
                }
                Ok(())
            }
        }
    }
}

fn connect(server: &ServerName, error: &ConnectError) -> Failure {
    let exit = connect_exit(error);
    match error {
        ConnectError::Spawn { command, source } if source.kind() == io::ErrorKind::NotFound => {
            let message = format!("cannot start server `{server}`: there is no program `{command}`");
            return Failure::new(exit, message).hint(format!("install `{command}`, or give its full path"));
        }
        ConnectError::Unreachable { origin, detail } => {
            let message = format!("cannot reach server `{server}` at {origin}: {detail}");
            return Failure::new(exit, message).hint("start the server there, or correct the address");
        }
        _ => {}
    }
    let failure = Failure::new(exit, format!("cannot use server `{server}`")).because(error);
    match error {
        ConnectError::Configuration { hints, .. } => failure.hints(hints.iter().cloned()),
        ConnectError::Directory { .. } => failure.hint("correct `cwd`, or make the directory"),
        ConnectError::Closed { stderr, .. } => with_stderr(failure, stderr),
        ConnectError::Timeout { stderr, .. } => {
            with_stderr(failure, stderr).hint("--timeout gives it more time, for example --timeout 2m")
        }
        ConnectError::AuthRequired { challenge, .. } => failure.hint(log_in(server, challenge.as_deref())),
        ConnectError::Http { status: 404, .. } => {
            failure.hint("the path of a Streamable HTTP endpoint is often /mcp")
        }
        _ => failure,
    }
}

fn connect_exit(error: &ConnectError) -> Exit {
    match error {
        ConnectError::AuthRequired { .. } => Exit::Authentication,
        ConnectError::Http { status: 401 | 403, .. } => Exit::Authentication,
        ConnectError::Timeout { .. } => Exit::TimedOut,
        ConnectError::TooDeep { .. }
        | ConnectError::Configuration { .. }
        | ConnectError::Directory { .. }
        | ConnectError::Address { .. }
        | ConnectError::Header { .. } => Exit::Configuration,
        _ => Exit::Unreachable,
    }
}

/// A call without a usable result.
pub(crate) fn call(error: &CallError) -> Failure {
    Failure::from_error(call_exit(error), error).hints(call_hints(error))
}

fn call_exit(error: &CallError) -> Exit {
    match error {
        CallError::NotConnected { .. } | CallError::Closed { .. } | CallError::Stalled { .. } => {
            Exit::Unreachable
        }
        CallError::Timeout { .. } => Exit::TimedOut,
        CallError::Cancelled { .. } => Exit::Interrupted,
        CallError::Violation { .. } => Exit::ContractViolated,
        CallError::SchemaUnusable { .. } => Exit::SchemaUnusable,
        CallError::Arguments { .. } => Exit::Usage,
        CallError::AuthRequired { .. } | CallError::Http { status: 401 | 403, .. } => Exit::Authentication,
        CallError::Http { .. } => Exit::Unreachable,
        _ => Exit::ToolFailed,
    }
}

fn call_hints(error: &CallError) -> Vec<String> {
    match error {
        CallError::Timeout { .. } => {
            vec!["--timeout gives it more time, for example --timeout 2m".to_owned()]
        }
        CallError::AuthRequired { server, challenge, .. } => vec![log_in(server, challenge.as_deref())],
        CallError::SchemaUnusable { .. } => {
            vec!["--mode warn calls it anyway and leaves the result unchecked".to_owned()]
        }
        _ => Vec::new(),
    }
}

fn log_in(server: &ServerName, challenge: Option<&str>) -> String {
    let scope = challenge.and_then(oauth::missing_scope);
    format!("run `{}`", login_command(server, scope.as_deref()))
}

fn with_stderr(failure: Failure, stderr: &str) -> Failure {
    match stderr.trim_end() {
        "" => failure,
        lines => failure
            .cause(format!("the last lines that it wrote to stderr:\n    {}", lines.replace('\n', "\n    "))),
    }
}
