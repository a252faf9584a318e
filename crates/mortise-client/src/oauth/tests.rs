//! Logins against an authorization server in the same process.

use super::*;
use crate::secret::Secret;
use crate::server_config::{OAuthConfig, ServerConfig, Transport};
use crate::token::TokenSource;
use fake::{Behaviour, Fake};
use mortise_contract::ServerName;
use std::path::PathBuf;
use tempfile::TempDir;

mod browser;
mod fake;
mod machine;
mod renewal;

/// A user with a state directory, and a server to log in to.
struct Scene {
    fake: Fake,
    directory: TempDir,
    oauth: Option<OAuthConfig>,
}

impl Scene {
    async fn new(behaviour: Behaviour) -> Self {
        Self { fake: Fake::start(behaviour).await, directory: TempDir::new().unwrap(), oauth: None }
    }

    fn environment(&self) -> Environment {
        Environment { state_directory: Some(self.directory.path().join("state")), ..Environment::default() }
    }

    fn http(&self) -> HttpConfig {
        HttpConfig { oauth: self.oauth.clone(), ..HttpConfig::new(self.fake.server()) }
    }

    fn server(&self) -> ServerConfig {
        ServerConfig::new(ServerName::parse("fake").unwrap(), Transport::Http(self.http()))
    }

    /// Logs in with a browser that does as it is told.
    async fn log_in(&self) -> Result<LoginFacts, OAuthError> {
        self.log_in_with(LoginOptions::default()).await
    }

    async fn log_in_with(&self, options: LoginOptions) -> Result<LoginFacts, OAuthError> {
        let fake = self.fake.clone();
        let open = move |address: &Url| drop(tokio::spawn(fake.browse(address.clone())));
        login(&self.http(), &self.environment(), &options, open).await
    }

    fn tokens(&self) -> LoginTokens {
        LoginTokens::new(self.environment())
    }

    fn token_file(&self) -> PathBuf {
        let mut files = std::fs::read_dir(self.directory.path().join("state/tokens")).unwrap();
        let is_token = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
        files.find_map(|entry| Some(entry.unwrap().path()).filter(is_token)).unwrap()
    }
}

/// The text of a token that must be there.
fn text(token: Result<Option<Secret>, crate::token::TokenSourceError>) -> String {
    token.unwrap().unwrap().expose().to_owned()
}

/// Everything an error shows, to look for secrets in.
fn shown(error: &OAuthError) -> String {
    format!("{error} {error:?} {:?}", error.hint("fake"))
}
