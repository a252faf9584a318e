//! Tokens on disk: one private file per server in the state directory.
//!
//! The name of a file is the hash of the server's address, so a token is never
//! offered to another address; the issuer stands inside and is compared before
//! a token is renewed.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use super::OAuthError;
use crate::content_hash::ContentHash;
use crate::environment::Environment;
use crate::private_file;
use crate::secret::Secret;
use crate::wall_clock::seconds_since_1970;

/// A token is renewed this long before it expires, so that it does not die on the way.
const MARGIN: u64 = 30;
/// How long another process may take to renew the same token.
const LOCK_LIMIT: Duration = Duration::from_secs(60);

/// What a login gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoginToken {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    /// Seconds since 1970; `None` where the server does not say.
    pub(super) expires_at: Option<u64>,
    pub(super) scopes: Vec<String>,
    pub(super) client_id: String,
    /// Of a client that was registered on the way.
    pub(super) client_secret: Option<Secret>,
    pub(super) issuer: Option<String>,
}

impl LoginToken {
    /// Whether it can still be sent.
    pub(super) fn is_fresh(&self) -> bool {
        self.expires_at.is_none_or(|expires_at| seconds_since_1970() + MARGIN < expires_at)
    }
}

/// The token file of one server.
#[derive(Clone, Debug)]
pub(super) struct TokenFile {
    path: PathBuf,
    server: String,
}

/// What the file holds. Not `Debug`: these are the secrets themselves.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    server: String,
    access_token: String,
    refresh_token: Option<String>,
    expires_at: Option<u64>,
    scopes: Vec<String>,
    client_id: String,
    client_secret: Option<String>,
    issuer: Option<String>,
}

impl TokenFile {
    const VERSION: u32 = 1;

    pub(super) fn new(server: &Url, environment: &Environment) -> Result<Self, OAuthError> {
        let directory = environment.state_directory.as_ref().ok_or(OAuthError::NoStateDirectory)?;
        private_file::check_directory(directory)?;
        let digest = ContentHash::of(server.as_str().as_bytes());
        let path = directory.join("tokens").join(format!("{}.json", &digest.as_str()[..32]));
        Ok(Self { path, server: server.as_str().to_owned() })
    }

    pub(super) fn read(&self) -> Result<Option<LoginToken>, OAuthError> {
        let Some(text) = private_file::read_secret(&self.path)? else { return Ok(None) };
        // The complaint of the parser could quote a token.
        let stored: Stored = serde_json::from_str(&text).map_err(|_| self.damaged())?;
        if stored.version != Self::VERSION || stored.server != self.server {
            return Err(self.damaged());
        }
        Ok(Some(LoginToken {
            access: Secret::new(stored.access_token),
            refresh: stored.refresh_token.map(Secret::new),
            expires_at: stored.expires_at,
            scopes: stored.scopes,
            client_id: stored.client_id,
            client_secret: stored.client_secret.map(Secret::new),
            issuer: stored.issuer,
        }))
    }

    pub(super) fn write(&self, token: &LoginToken) -> Result<(), OAuthError> {
        let exposed = |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.expose().to_owned());
        let stored = Stored {
            version: Self::VERSION,
            server: self.server.clone(),
            access_token: token.access.expose().to_owned(),
            refresh_token: exposed(&token.refresh),
            expires_at: token.expires_at,
            scopes: token.scopes.clone(),
            client_id: token.client_id.clone(),
            client_secret: exposed(&token.client_secret),
            issuer: token.issuer.clone(),
        };
        let text = serde_json::to_string_pretty(&stored)
            .map_err(|error| OAuthError::Internal { reason: error.to_string() })?;
        private_file::write(&self.path, &text)?;
        Ok(())
    }

    /// Removes the file; says whether there was one.
    pub(super) fn remove(&self) -> Result<bool, OAuthError> {
        Ok(private_file::remove(&self.path)?)
    }

    /// Keeps other processes from renewing the same token at the same time: many servers
    /// take a second use of a refresh token for theft and end the login.
    pub(super) async fn lock(&self) -> Result<File, OAuthError> {
        let deadline = Instant::now() + LOCK_LIMIT;
        loop {
            if let Some(lock) = private_file::try_lock(&self.path)? {
                return Ok(lock);
            }
            if Instant::now() >= deadline {
                return Err(OAuthError::TimedOut { what: "another process's login", limit: LOCK_LIMIT });
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn damaged(&self) -> OAuthError {
        OAuthError::Damaged { path: self.path.clone() }
    }
}
