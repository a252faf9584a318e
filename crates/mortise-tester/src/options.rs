//! How a tester is set up.

use std::sync::Arc;
use std::time::Duration;

use mortise_client::TokenSource;
use mortise_client::environment::Environment;
use mortise_client::server_config::ServerConfig;

use crate::limits::TESTER_IDLE;

/// What the callers of a tester may make it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Whether local commands may be started.
    pub commands: bool,
    /// Whether this machine and private networks may be reached.
    pub private_addresses: bool,
    /// Whether the tokens of the operator's own logins may be used.
    pub logins: bool,
}

impl Permissions {
    /// For a caller that can start programs anyway: an assistant that started the tester itself.
    pub const LOCAL: Self = Self { commands: true, private_addresses: true, logins: true };
    /// For callers from elsewhere.
    pub const REMOTE: Self = Self { commands: false, private_addresses: false, logins: false };
}

/// How a tester is set up.
#[derive(Clone, Debug)]
pub struct TesterOptions {
    /// What the process was started with.
    pub environment: Environment,
    /// What callers may do.
    pub permissions: Permissions,
    /// How the tester itself is served, for its own status: `stdio` or `streaming-http`.
    pub served_over: &'static str,
    /// How long connecting may take, unless a call says otherwise.
    pub connect_timeout: Duration,
    /// How long a request may take, unless a call says otherwise.
    pub call_timeout: Duration,
    /// After how long without a call a caller loses its connections; never without one.
    pub idle: Option<Duration>,
    /// Tokens of the operator's logins.
    pub tokens: Option<Arc<dyn TokenSource>>,
}

impl TesterOptions {
    /// A tester for an assistant that started it, over stdio.
    pub fn local(environment: Environment) -> Self {
        Self {
            environment,
            permissions: Permissions::LOCAL,
            served_over: "stdio",
            connect_timeout: ServerConfig::START_TIMEOUT,
            call_timeout: ServerConfig::CALL_TIMEOUT,
            idle: None,
            tokens: None,
        }
    }

    /// A tester for callers from elsewhere, over HTTP.
    pub fn remote(environment: Environment) -> Self {
        Self {
            permissions: Permissions::REMOTE,
            served_over: "streaming-http",
            idle: Some(TESTER_IDLE),
            ..Self::local(environment)
        }
    }
}
