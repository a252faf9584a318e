//! One server, how to log in to it, and its token on disk.

use std::collections::HashSet;
use std::time::Duration;

use reqwest::Url;
use tokio::time::timeout;
use tracing::warn;

use super::listener::RedirectListener;
use super::store::{LoginToken, TokenFile};
use super::wire::{AuthorizationServer, origin, wanted_scope};
use super::{LoginOptions, OAuthError};
use crate::environment::Environment;
use crate::guard::AddressGuard;
use crate::secret::Secret;
use crate::server_config::{HttpConfig, OAuthConfig};

/// How long finding an authorization server and talking to it may take, the browser left out.
const TALK_LIMIT: Duration = Duration::from_secs(60);

/// One server and how to log in to it.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) server: Url,
    pub(super) config: OAuthConfig,
    guard: AddressGuard,
    pub(super) file: TokenFile,
}

impl Account {
    pub(super) fn new(http: &HttpConfig, environment: &Environment) -> Result<Self, OAuthError> {
        let parse = |key, text: &str| {
            Url::parse(text).map_err(|error| OAuthError::BadUrl { key, reason: error.to_string() })
        };
        let server = parse("url", &http.url)?;
        let config = http.oauth.clone().unwrap_or_default();
        let issuer = config.issuer.as_deref().map(|issuer| parse("oauth.issuer", issuer)).transpose()?;
        let guard = AddressGuard::new(std::iter::once(&server).chain(&issuer), environment);
        let file = TokenFile::new(&server, environment)?;
        Ok(Self { server, config, guard, file })
    }

    /// The token on disk, unless it belongs to another client than the configured one.
    pub(super) fn stored(&self) -> Result<Option<LoginToken>, OAuthError> {
        let token = self.file.read()?;
        let is_ours =
            |token: &LoginToken| self.config.client_id.as_ref().is_none_or(|id| *id == token.client_id);
        Ok(token.filter(is_ours))
    }

    pub(super) async fn log_in(
        &self,
        options: &LoginOptions,
        open: impl FnOnce(&Url),
    ) -> Result<LoginToken, OAuthError> {
        let limit = options.timeout;
        let challenge = options.challenge.as_deref();
        if self.config.client_credentials {
            return self.client_credentials(challenge).await;
        }
        let scopes = self.scopes(options)?;
        let listener = RedirectListener::open().await?;
        let pending = talk("finding the authorization server", async {
            let server = self.discover(challenge).await?;
            server.begin(&self.config, &scopes, listener.redirect()).await
        })
        .await?;
        open(&pending.address);
        let callback = timeout(limit, listener.wait(&pending.state))
            .await
            .map_err(|_| OAuthError::TimedOut { what: "the login in the browser", limit })??;
        talk("getting the token", pending.finish(&callback, &self.config)).await
    }

    /// The scopes to ask for; none to leave the choice to what the server says.
    fn scopes(&self, options: &LoginOptions) -> Result<Vec<String>, OAuthError> {
        let missing = options.challenge.as_deref().and_then(wanted_scope).unwrap_or_default();
        let more = options.scopes.iter().cloned().chain(missing.split_whitespace().map(str::to_owned));
        let more: Vec<String> = more.collect();
        let mut scopes = self.config.scopes.clone();
        if !more.is_empty() {
            // A login replaces the one before, so it must allow at least as much.
            scopes.extend(self.stored()?.map(|token| token.scopes).unwrap_or_default());
            scopes.extend(more);
        }
        let mut seen = HashSet::new();
        scopes.retain(|scope| seen.insert(scope.clone()));
        Ok(scopes)
    }

    async fn discover(&self, challenge: Option<&str>) -> Result<AuthorizationServer, OAuthError> {
        AuthorizationServer::discover(&self.server, &self.config, &self.guard, challenge).await
    }

    async fn client_credentials(&self, challenge: Option<&str>) -> Result<LoginToken, OAuthError> {
        talk("getting the token", async {
            let server = self.discover(challenge).await?;
            server.client_credentials(&self.config).await
        })
        .await
    }

    /// A fresh token instead of `rejected` (or of one that has expired), from disk or from the server.
    pub(super) async fn fresh(&self, rejected: Option<&Secret>) -> Result<LoginToken, OAuthError> {
        let _lock = self.file.lock().await?;
        let stored = self.stored()?;
        // Another process may have been here while we waited for the lock.
        if let Some(token) = &stored
            && token.is_fresh()
            && rejected != Some(&token.access)
        {
            return Ok(token.clone());
        }
        let token = match stored {
            _ if self.config.client_credentials => self.client_credentials(None).await?,
            Some(old) if old.refresh.is_some() => self.refresh(old).await?,
            _ => return Err(OAuthError::LoginRequired { origin: origin(&self.server) }),
        };
        self.keep(&token);
        Ok(token)
    }

    async fn refresh(&self, old: LoginToken) -> Result<LoginToken, OAuthError> {
        let refreshed = talk("renewing the token", async {
            let server = self.discover(None).await?;
            server.refresh(&old, &self.config).await
        })
        .await;
        if let Err(OAuthError::LoginRequired { .. }) = refreshed {
            // Refused for good: asking again with every request would change nothing.
            self.keep(&LoginToken { refresh: None, ..old });
        }
        refreshed
    }

    /// Writes a token down. Failing that it is still good for this process.
    fn keep(&self, token: &LoginToken) {
        if let Err(error) = self.file.write(token) {
            warn!(server = %origin(&self.server), %error, "a renewed login can't be written down");
        }
    }
}

async fn talk<T>(
    what: &'static str,
    future: impl Future<Output = Result<T, OAuthError>>,
) -> Result<T, OAuthError> {
    match timeout(TALK_LIMIT, Box::pin(future)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(OAuthError::TimedOut { what, limit: TALK_LIMIT }),
    }
}
