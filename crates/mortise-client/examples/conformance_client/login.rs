//! Scenarios with a login: as a user would do it who runs `mortise login` when told to.

use std::sync::Arc;

use mortise_client::oauth::{self, LoginOptions, LoginTokens};
use mortise_client::secret::Secret;
use mortise_client::server_config::{HttpConfig, OAuthConfig};
use mortise_client::{CallError, ConnectError, Handlers, Upstream};
use reqwest::Url;

use crate::{Outcome, PATIENCE, Scenario, call};

/// Logins for one scenario; a server that always wants another one is given up.
const LOGINS: usize = 3;
/// What a client that publishes its metadata is known by.
const PUBLISHED_CLIENT: &str = "https://conformance-test.local/client-metadata.json";

pub(crate) async fn run(scenario: &Scenario) -> Outcome {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut http = scenario.http();
    http.oauth = Some(client(scenario));
    let tokens = Arc::new(LoginTokens::new(scenario.environment.clone()));
    let (pool, upstream) = scenario.connect(http.clone(), Handlers::default(), Some(tokens))?;
    let done = steps(scenario, &http, &upstream).await;
    pool.shutdown().await;
    done
}

/// The client that the scenario has registered, if any.
fn client(scenario: &Scenario) -> OAuthConfig {
    let text = |member: &str| scenario.context[member].as_str().map(str::to_owned);
    let mut client = OAuthConfig {
        client_id: text("client_id"),
        client_secret: text("client_secret").map(Secret::new),
        ..OAuthConfig::default()
    };
    match scenario.name.as_str() {
        "auth/basic-cimd" => client.client_id = Some(PUBLISHED_CLIENT.to_owned()),
        "auth/client-credentials-basic" => client.client_credentials = true,
        _ => {}
    }
    client
}

async fn steps(scenario: &Scenario, http: &HttpConfig, upstream: &Upstream) -> Outcome {
    let mut logins = 0;
    loop {
        let challenge = match attempt(upstream).await {
            Ok(()) => return Ok(()),
            Err(Failed::Login(challenge)) if logins < LOGINS => challenge,
            Err(Failed::Login(_)) => return Err("the server always wants another login".into()),
            Err(Failed::Other(error)) => return Err(error),
        };
        logins += 1;
        let options = LoginOptions { challenge, ..LoginOptions::default() };
        oauth::login(http, &scenario.environment, &options, browse).await?;
        if upstream.state().error().is_some() {
            upstream.reconnect().await;
        }
    }
}

/// Why an attempt ended.
enum Failed {
    Login(Option<String>),
    Other(Box<dyn std::error::Error>),
}

async fn attempt(upstream: &Upstream) -> Result<(), Failed> {
    match upstream.ready(PATIENCE).await {
        Ok(()) => {}
        Err(ConnectError::AuthRequired { challenge, .. }) => return Err(Failed::Login(challenge)),
        Err(error) => return Err(Failed::Other(error.into())),
    }
    for contract in &upstream.catalog().contracts {
        match call(upstream, contract.name.as_str(), "{}").await {
            Ok(_) => {}
            Err(CallError::AuthRequired { challenge, .. }) => return Err(Failed::Login(challenge)),
            Err(error) => return Err(Failed::Other(error.into())),
        }
    }
    Ok(())
}

/// The user's browser: goes where it is sent, and back to us.
fn browse(address: &Url) {
    let address = address.clone();
    tokio::spawn(async move { reqwest::get(address).await });
}
