//! The tokens that connections send.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use tokio_util::task::TaskTracker;

use super::OAuthError;
use super::account::Account;
use super::store::LoginToken;
use super::wire::{origin, wanted_scope};
use crate::environment::Environment;
use crate::secret::Secret;
use crate::server_config::{HttpConfig, ServerConfig, Transport};
use crate::token::{TokenFuture, TokenSource, TokenSourceError};

/// Gives each server the token of its login. A token is renewed before it expires, once for all waiting requests.
#[derive(Debug)]
pub struct LoginTokens {
    environment: Environment,
    servers: Mutex<BTreeMap<Key, Arc<Tokens>>>,
}

/// The address and the configured client: two entries may log in to one server as different clients.
type Key = (String, Option<String>);

impl LoginTokens {
    /// The logins of this user.
    pub fn new(environment: Environment) -> Self {
        Self { environment, servers: Mutex::default() }
    }

    /// The tokens of one server; `None` where there can be no login.
    fn of(&self, server: &ServerConfig) -> Result<Option<Arc<Tokens>>, OAuthError> {
        let Transport::Http(http) = &server.transport else { return Ok(None) };
        if http.oauth.is_none() && self.environment.state_directory.is_none() {
            return Ok(None);
        }
        let client_id = http.oauth.as_ref().and_then(|oauth| oauth.client_id.clone());
        let key = (http.url.clone(), client_id);
        let mut servers = self.servers.lock();
        if let Some(tokens) = servers.get(&key) {
            return Ok(Some(Arc::clone(tokens)));
        }
        let tokens = Arc::new(Tokens::new(http, &self.environment)?);
        servers.insert(key, Arc::clone(&tokens));
        Ok(Some(tokens))
    }
}

impl TokenSource for LoginTokens {
    fn token<'a>(&'a self, server: &'a ServerConfig) -> TokenFuture<'a> {
        Box::pin(async move {
            let Some(tokens) = self.of(server).map_err(public)? else { return Ok(None) };
            without_login(tokens.token().await)
        })
    }

    fn renew<'a>(
        &'a self,
        server: &'a ServerConfig,
        refused: Option<&'a Secret>,
        challenge: Option<&'a str>,
    ) -> TokenFuture<'a> {
        Box::pin(async move {
            let Some(tokens) = self.of(server).map_err(public)? else { return Ok(None) };
            let address = &tokens.account.server;
            if let Some(scope) = challenge.and_then(wanted_scope) {
                return Err(public(OAuthError::InsufficientScope { origin: origin(address), scope }));
            }
            without_login(tokens.renew(refused).await.map(Some))
        })
    }
}

/// A missing login is not an error here: the server will refuse the request.
fn without_login(outcome: Result<Option<Secret>, OAuthError>) -> Result<Option<Secret>, TokenSourceError> {
    match outcome {
        Err(OAuthError::LoginRequired { .. }) => Ok(None),
        other => other.map_err(public),
    }
}

fn public(error: OAuthError) -> TokenSourceError {
    TokenSourceError { message: error.to_string() }
}

/// The tokens of one server, shared by all requests to it.
#[derive(Debug)]
struct Tokens {
    account: Account,
    state: Mutex<TokenState>,
    renewals: TaskTracker,
}

#[derive(Default)]
struct TokenState {
    current: Option<LoginToken>,
    renewal: Option<Renewal>,
}

/// A renewal that is under way, shared by all requests that wait for it.
type Renewal = Shared<BoxFuture<'static, Result<LoginToken, OAuthError>>>;

impl fmt::Debug for TokenState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TokenState").field("current", &self.current).finish_non_exhaustive()
    }
}

impl Tokens {
    fn new(http: &HttpConfig, environment: &Environment) -> Result<Self, OAuthError> {
        let account = Account::new(http, environment)?;
        Ok(Self { account, state: Mutex::default(), renewals: TaskTracker::new() })
    }

    /// The token to send; `None` to send none.
    async fn token(self: &Arc<Self>) -> Result<Option<Secret>, OAuthError> {
        let current = self.with_state(|state| state.current.clone());
        let known = match current {
            Some(token) => Some(token),
            None => self.account.stored()?,
        };
        match known {
            Some(token) if token.is_fresh() => {
                // A renewal may have put a newer one there in the meantime.
                Ok(Some(self.with_state(|state| state.current.get_or_insert(token).access.clone())))
            }
            None if !self.account.config.client_credentials => Ok(None),
            Some(_) | None => self.renewed(None).await.map(Some),
        }
    }

    /// A token to try instead of the rejected one.
    async fn renew(self: &Arc<Self>, rejected: Option<&Secret>) -> Result<Secret, OAuthError> {
        // Another request may have renewed it since this one was sent.
        let newer = self.with_state(|state| {
            state.current.as_ref().map(|token| token.access.clone()).filter(|access| Some(access) != rejected)
        });
        match newer {
            Some(access) => Ok(access),
            None => self.renewed(rejected).await,
        }
    }

    /// Joins the renewal that is under way, or begins one.
    async fn renewed(self: &Arc<Self>, rejected: Option<&Secret>) -> Result<Secret, OAuthError> {
        let renewal = self.with_state(|state| match &state.renewal {
            Some(renewal) => renewal.clone(),
            None => {
                let renewal = self.begin(rejected.cloned());
                state.renewal = Some(renewal.clone());
                renewal
            }
        });
        renewal.await.map(|token| token.access)
    }

    /// Begins a renewal in a separate task. A server may revoke the old refresh token as soon as it is asked, so the
    /// answer must be kept even when no request waits for it any more. The task ends, since every step has a limit.
    fn begin(self: &Arc<Self>, rejected: Option<Secret>) -> Renewal {
        let tokens = Arc::clone(self);
        let task = self.renewals.spawn(async move {
            let outcome = tokens.account.fresh(rejected.as_ref()).await;
            tokens.with_state(|state| {
                state.renewal = None;
                state.current = outcome.as_ref().ok().cloned();
            });
            outcome
        });
        let joined = async move {
            task.await.unwrap_or_else(|error| Err(OAuthError::Internal { reason: error.to_string() }))
        };
        joined.boxed().shared()
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut TokenState) -> T) -> T {
        change(&mut self.state.lock())
    }
}
