//! How one server is reached.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::limits::CALL_TIME;
use mortise_contract::{Mode, ServerName};
use tokio::io::DuplexStream;

#[cfg(feature = "http")]
pub use crate::http_config::{HttpConfig, OAuthConfig};
use crate::limits;
use crate::secret::Secret;

/// One configured server, every variable already expanded.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// The key it is configured under.
    pub name: ServerName,
    /// How it is reached.
    pub transport: Transport,
    /// What happens when a result breaks its contract; `None` takes the pool's default.
    pub mode: Option<Mode>,
    /// The mode of single tools, by the tool's own name. It wins over `mode`.
    pub tool_modes: BTreeMap<String, Mode>,
    /// Whether structured content without an output schema breaks the contract; `None` takes the pool's default.
    pub forbid_unschematised: Option<bool>,
    /// Whether `format` is checked; `None` takes the pool's default.
    pub assert_formats: Option<bool>,
    /// How long starting and the first listing may take.
    pub start_timeout: Duration,
    /// How long one call may take; `None` leaves it to the caller, and to [`Self::CALL_TIMEOUT`] if it says nothing.
    pub call_timeout: Option<Duration>,
    /// Calls on the wire at once; the rest wait in order.
    pub in_flight: usize,
    /// Which protocol era to speak.
    pub era: EraChoice,
    /// Texts that variables put into the arguments or the address: hidden where the server repeats them.
    pub secrets: Vec<Secret>,
}

impl ServerConfig {
    /// How long starting and the first listing may take, unless configured.
    pub const START_TIMEOUT: Duration = limits::UPSTREAM_START;
    /// How long one call may take, unless configured or asked for otherwise.
    pub const CALL_TIMEOUT: Duration = CALL_TIME;
    /// Calls on the wire at once, unless configured.
    pub const IN_FLIGHT: usize = limits::UPSTREAM_CALLS_IN_FLIGHT;

    /// A server with every other setting at its default.
    pub fn new(name: ServerName, transport: Transport) -> Self {
        Self {
            name,
            transport,
            mode: None,
            tool_modes: BTreeMap::new(),
            forbid_unschematised: None,
            assert_formats: None,
            start_timeout: Self::START_TIMEOUT,
            call_timeout: None,
            in_flight: Self::IN_FLIGHT,
            era: EraChoice::Auto,
            secrets: Vec::new(),
        }
    }
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// A child process that speaks over stdin and stdout.
    Stdio(StdioConfig),
    /// A Streamable HTTP endpoint.
    #[cfg(feature = "http")]
    Http(HttpConfig),
    /// A server inside this process.
    InProcess(InProcess),
    /// None, since the entry can't be used. The server is listed as failed, with the reason, and never started.
    Unusable(UnusableEntry),
}

/// An entry of a configuration that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableEntry {
    /// What is wrong, with file, line and column, on one line.
    pub reason: String,
    /// What the reader can do now, one sentence each.
    pub hints: Vec<String>,
}

/// A server inside this process, reached over pipes in memory.
#[derive(Clone)]
pub struct InProcess {
    connect: Arc<dyn Fn() -> DuplexStream + Send + Sync>,
    identity: Option<String>,
}

impl InProcess {
    /// `connect` serves one more client and gives back the client's end of the stream.
    ///
    /// It is called inside the pool's runtime, once per connection. The server must end when
    /// the stream does.
    pub fn new(connect: impl Fn() -> DuplexStream + Send + Sync + 'static) -> Self {
        Self { connect: Arc::new(connect), identity: None }
    }

    /// Says which server this is from one process to the next, so that its list of tools can be cached.
    #[must_use]
    pub fn with_identity(self, identity: impl Into<String>) -> Self {
        Self { identity: Some(identity.into()), ..self }
    }

    pub(crate) fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }

    pub(crate) fn connect(&self) -> DuplexStream {
        (self.connect)()
    }
}

impl PartialEq for InProcess {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.connect, &other.connect) && self.identity == other.identity
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("InProcess")
    }
}

/// A child process: an argument vector, never a shell line.
///
/// `Debug` shows no argument, since `${VAR}` may have put a secret there.
#[derive(Clone, PartialEq)]
pub struct StdioConfig {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set for it on top of what the policy gives.
    pub env: BTreeMap<String, Secret>,
    /// What it sees of our environment.
    pub env_policy: EnvPolicy,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
}

impl StdioConfig {
    /// A command with its arguments and nothing else set.
    pub fn new(command: impl Into<String>, args: Vec<String>) -> Self {
        Self { command: command.into(), args, env: BTreeMap::new(), env_policy: EnvPolicy::Clean, cwd: None }
    }
}

impl fmt::Debug for StdioConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StdioConfig")
            .field("command", &self.command)
            .field("args", &format_args!("{} not shown", self.args.len()))
            .field("env", &self.env)
            .field("env_policy", &self.env_policy)
            .field("cwd", &self.cwd)
            .finish()
    }
}

/// What a child sees of our environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EnvPolicy {
    /// Only what programs need to start at all: PATH, HOME, locales, proxies and the like.
    #[default]
    Clean,
    /// Everything but `MORTISE_*`.
    Inherit,
}

/// Which protocol era to speak with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EraChoice {
    /// Ask the server.
    #[default]
    Auto,
    /// `initialize` (2025-11-25 and before).
    Legacy,
    /// Stateless (2026-07-28).
    Modern,
}

#[cfg(test)]
#[cfg(feature = "http")]
mod tests;
