//! Where bearer tokens come from.

use std::fmt;
use std::pin::Pin;

use crate::secret::Secret;
use crate::server_config::ServerConfig;

/// A token, or none, some time later.
pub type TokenFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Option<Secret>, TokenSourceError>> + Send + 'a>>;

/// Why there is no token, for people. It must not hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TokenSourceError {
    /// Why there is no token.
    pub message: String,
}

/// Gives bearer tokens for servers whose configuration holds none.
///
/// It is asked before every request, so it should answer from memory while a token is good. It
/// must never wait for a person: without a usable token it answers `None`, the server refuses,
/// and the caller learns that it has to log in.
pub trait TokenSource: fmt::Debug + Send + Sync {
    /// The token to send now.
    fn token<'a>(&'a self, server: &'a ServerConfig) -> TokenFuture<'a>;

    /// Another token, after the server refused `refused` with this `WWW-Authenticate` header.
    ///
    /// `None` when only a person can help; the request then fails.
    fn renew<'a>(
        &'a self,
        server: &'a ServerConfig,
        refused: Option<&'a Secret>,
        challenge: Option<&'a str>,
    ) -> TokenFuture<'a>;
}
