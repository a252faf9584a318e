//! How one server is reached.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use mortise_contract::{Mode, ServerName};

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
    /// The same per tool (the tool's own name); narrower wins.
    pub tool_modes: BTreeMap<String, Mode>,
    /// How long starting and the first listing may take.
    pub start_timeout: Duration,
    /// How long one call may take.
    pub call_timeout: Duration,
    /// Calls on the wire at once; the rest wait in order.
    pub in_flight: usize,
    /// Which protocol era to speak.
    pub era: EraChoice,
}

/// Where a server is.
#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// A child process that speaks over stdin and stdout.
    Stdio(StdioConfig),
    /// A Streamable HTTP endpoint.
    Http(HttpConfig),
}

/// A child process: an argument vector, never a shell line.
#[derive(Clone, Debug, PartialEq)]
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

/// What a child sees of our environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EnvPolicy {
    /// Everything but `MORTISE_*`.
    #[default]
    Inherit,
    /// The usual list only (PATH, HOME, LANG …).
    Clean,
}

/// A Streamable HTTP endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpConfig {
    /// The endpoint.
    pub url: String,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, Secret>,
    /// A bearer token sent to this origin only.
    pub bearer: Option<Secret>,
    /// OAuth settings; `None` still logs in with tokens kept by `mortise auth login`.
    pub oauth: Option<OAuthConfig>,
}

/// OAuth settings of one server.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OAuthConfig {
    /// A client registered beforehand.
    pub client_id: Option<String>,
    /// Its secret; with one, client credentials are used when `scopes` ask for no user.
    pub client_secret: Option<Secret>,
    /// Scopes to ask for.
    pub scopes: Vec<String>,
    /// Use the client-credentials grant instead of the authorization-code grant.
    pub client_credentials: bool,
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
