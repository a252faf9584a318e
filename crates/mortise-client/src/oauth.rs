//! Logging in to HTTP servers, and the tokens that come of it.
//!
//! [`login`] runs the authorization-code flow with PKCE: it finds the server's
//! authorization server, registers as a client if none is configured, hands
//! the address for the browser to the caller and waits on 127.0.0.1 for the
//! answer. [`LoginTokens`] gives the tokens to the connections: it reads what
//! `login` wrote, renews it in time and once for all requests, and fetches
//! tokens itself for the client-credentials grant.
//!
//! Tokens lie in private files, one per server address. They are sent to that
//! address only, and never appear in an error or a log.

use std::time::Duration;

use reqwest::Url;
use tokio_util::sync::CancellationToken;

pub use error::OAuthError;
pub use tokens::LoginTokens;

use crate::environment::Environment;
use crate::limits;
use crate::server_config::HttpConfig;
use account::Account;
use store::LoginToken;

mod account;
mod error;
mod listener;
mod store;
mod tokens;
mod wire;

/// How a login is done.
#[derive(Clone, Debug)]
pub struct LoginOptions {
    /// How long the user may take in the browser.
    pub timeout: Duration,
    /// Stops the login.
    pub cancel: CancellationToken,
    /// Scopes to ask for besides the configured ones and those of the login that there is.
    pub scopes: Vec<String>,
    /// The `WWW-Authenticate` header with which the server refused a request. It names the server's metadata and the
    /// missing scopes. Without it the server is asked.
    pub challenge: Option<String>,
}

impl Default for LoginOptions {
    fn default() -> Self {
        Self {
            timeout: limits::LOGIN_TIME,
            cancel: CancellationToken::new(),
            scopes: Vec::new(),
            challenge: None,
        }
    }
}

/// Whether there is a login for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginStatus {
    /// No login is kept for the server.
    LoggedOut,
    /// A login is kept.
    LoggedIn(LoginFacts),
}

/// What can be shown of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginFacts {
    /// The issuer of the token.
    pub issuer: Option<String>,
    /// The client it was issued to.
    pub client_id: String,
    /// The granted scopes.
    pub scopes: Vec<String>,
    /// When it expires, in seconds since 1970; `None` where the server does not say.
    pub expires_at: Option<u64>,
    /// Whether it can be renewed without the user.
    pub is_renewable: bool,
}

/// Logs in to a server and keeps the token.
///
/// `open` gets the address to open in a browser: the library opens nothing
/// itself. It is not called for the client-credentials grant, which needs no
/// user. Dropping the future stops the login and closes the port.
pub async fn login(
    http: &HttpConfig,
    environment: &Environment,
    options: &LoginOptions,
    open: impl FnOnce(&Url),
) -> Result<LoginFacts, OAuthError> {
    let account = Account::new(http, environment)?;
    let token = tokio::select! {
        () = options.cancel.cancelled() => return Err(OAuthError::Cancelled),
        token = account.log_in(options, open) => token?,
    };
    let _lock = account.file.lock().await?;
    account.file.write(&token)?;
    Ok(facts(token))
}

/// The scopes that a login lacks, from the server's `WWW-Authenticate` header.
///
/// What comes from outside is only given back in the form that scopes have.
pub fn missing_scope(challenge: &str) -> Option<String> {
    let scope = wire::wanted_scope(challenge)?;
    let is_scope = |scope: &str| {
        !scope.is_empty() && scope.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '\\'))
    };
    scope.split(' ').all(is_scope).then_some(scope)
}

/// Whether there is a login for a server. Nothing is contacted.
pub fn status(http: &HttpConfig, environment: &Environment) -> Result<LoginStatus, OAuthError> {
    let account = Account::new(http, environment)?;
    Ok(account.stored()?.map_or(LoginStatus::LoggedOut, |token| LoginStatus::LoggedIn(facts(token))))
}

/// Forgets the login for a server; says whether there was one.
pub fn logout(http: &HttpConfig, environment: &Environment) -> Result<bool, OAuthError> {
    Account::new(http, environment)?.file.remove()
}

fn facts(token: LoginToken) -> LoginFacts {
    LoginFacts {
        issuer: token.issuer,
        client_id: token.client_id,
        scopes: token.scopes,
        expires_at: token.expires_at,
        is_renewable: token.refresh.is_some(),
    }
}

#[cfg(test)]
mod tests;
