//! How a server listens.

use std::net::SocketAddr;
use std::time::Duration;

use super::{TlsFiles, Token};
use crate::limits;

/// Where clients post to.
pub(crate) const PATH: &str = "/mcp";

/// Where and for whom to listen. The defaults are for a client on the same machine.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<Token>,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) behind_proxy: bool,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) body_bytes: usize,
    pub(crate) sessions: usize,
    pub(crate) connections: usize,
    pub(crate) unread_bytes: usize,
    pub(crate) session_idle: Duration,
    pub(crate) drain: Duration,
}

impl HttpOptions {
    /// Listens on `address`, at the path `/mcp`.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            token: None,
            tls: None,
            behind_proxy: false,
            hosts: Vec::new(),
            origins: Vec::new(),
            body_bytes: limits::HTTP_BODY,
            sessions: limits::HTTP_SESSIONS,
            connections: limits::HTTP_CONNECTIONS,
            unread_bytes: limits::HTTP_UNREAD_BYTES,
            session_idle: limits::HTTP_IDLE,
            drain: limits::HTTP_DRAIN,
        }
    }

    /// Clients must send `Authorization: Bearer` with this token.
    #[must_use]
    pub fn token(mut self, token: Token) -> Self {
        self.token = Some(token);
        self
    }

    /// Speaks TLS with this certificate.
    #[must_use]
    pub fn tls(mut self, files: TlsFiles) -> Self {
        self.tls = Some(files);
        self
    }

    /// A proxy in front does TLS.
    #[must_use]
    pub fn behind_proxy(mut self) -> Self {
        self.behind_proxy = true;
        self
    }

    /// Adds a name by which clients may call the server, such as `tools.example.com`.
    /// Without a port it is good for every port. On loopback `localhost` and the
    /// loopback addresses are always good; elsewhere every IP address is.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Adds an origin from which web pages may call the server, such as
    /// `https://app.example.com`. On loopback, pages that come from the server's own port always may.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Largest request body.
    #[must_use]
    pub fn body_bytes(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes;
        self
    }

    /// Most sessions of old clients at once.
    #[must_use]
    pub fn sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// Bytes of answers that one client may leave unread; past half of them its requests are refused.
    #[must_use]
    pub fn unread_bytes(mut self, bytes: usize) -> Self {
        self.unread_bytes = bytes;
        self
    }

    /// Most connections at once; the next wait until one ends.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// How long a session without traffic lives.
    #[must_use]
    pub fn session_idle(mut self, idle: Duration) -> Self {
        self.session_idle = idle;
        self
    }

    /// How long running requests may go on after the shutdown signal.
    #[must_use]
    pub fn drain(mut self, drain: Duration) -> Self {
        self.drain = drain;
        self
    }
}
