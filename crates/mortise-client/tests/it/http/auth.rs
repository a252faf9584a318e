//! Tokens: sent, refused, renewed, and kept at home.

use std::sync::{Arc, Mutex};

use mortise_client::secret::Secret;
use mortise_client::server_config::{ServerConfig, Transport};
use mortise_client::{
    CallError, CallOptions, ConnectError, PoolOptions, TokenFuture, TokenSource, TokenSourceError,
};
use mortise_testkit::HttpReply;

use super::{at, done, modern, of};
use crate::support::{PATIENCE, call, options, pool_of, pool_with};

/// Gives `first`, and after a refusal `second`.
#[derive(Debug)]
struct Tokens {
    first: Option<&'static str>,
    second: Result<Option<&'static str>, &'static str>,
    renewed: Mutex<Vec<(Option<String>, Option<String>)>>,
}

impl TokenSource for Tokens {
    fn token<'a>(&'a self, _: &'a ServerConfig) -> TokenFuture<'a> {
        let renewed = !self.renewed.lock().unwrap().is_empty();
        let token = match (renewed, &self.second) {
            (true, Ok(second)) => *second,
            _ => self.first,
        };
        Box::pin(async move { Ok(token.map(Secret::new)) })
    }

    fn renew<'a>(
        &'a self,
        _: &'a ServerConfig,
        refused: Option<&'a Secret>,
        challenge: Option<&'a str>,
    ) -> TokenFuture<'a> {
        let refused = refused.map(|token| token.expose().to_owned());
        self.renewed.lock().unwrap().push((refused, challenge.map(str::to_owned)));
        Box::pin(async move {
            match self.second {
                Ok(token) => Ok(token.map(Secret::new)),
                Err(message) => Err(TokenSourceError { message: message.to_owned() }),
            }
        })
    }
}

fn tokens(first: Option<&'static str>, second: Result<Option<&'static str>, &'static str>) -> Arc<Tokens> {
    Arc::new(Tokens { first, second, renewed: Mutex::default() })
}

fn with(tokens: &Arc<Tokens>) -> PoolOptions {
    PoolOptions { tokens: Some(tokens.clone()), ..options() }
}

fn challenge() -> HttpReply {
    HttpReply::status(401).with("www-authenticate", "Bearer resource_metadata=\"https://a/b\"")
}

#[tokio::test]
async fn a_configured_token_is_sent_with_every_request() {
    let server = modern(|_, request| done(request)).await;
    let mut config = at(server.url("/mcp"));
    let Transport::Http(http) = &mut config.transport else { panic!() };
    http.bearer = Some(Secret::new("canary"));
    let unused = tokens(Some("other"), Ok(None));
    let (pool, upstream) = pool_with(config, with(&unused));
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert!(server.received().iter().all(|request| request.header("authorization") == Some("Bearer canary")));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_and_the_request_sent_again() {
    let server = mortise_testkit::ScriptedHttp::start(|request| {
        match request.header("authorization") {
            Some("Bearer new") => {}
            _ => return challenge(),
        }
        let message = super::message(request);
        match message["method"].as_str() {
            Some("server/discover") => {
                super::result(&message, super::discovered(&serde_json::json!({"tools": {}})))
            }
            Some("tools/list") => super::result(&message, serde_json::json!({"tools": []})),
            _ => done(&message),
        }
    })
    .await
    .unwrap();
    let tokens = tokens(Some("old"), Ok(Some("new")));
    let (pool, upstream) = pool_with(at(server.url("/mcp")), with(&tokens));
    upstream.ready(PATIENCE).await.unwrap();
    let expected = (Some("old".to_owned()), Some("Bearer resource_metadata=\"https://a/b\"".to_owned()));
    assert_eq!(*tokens.renewed.lock().unwrap(), [expected]);
    pool.shutdown().await;
}

#[tokio::test]
async fn without_a_token_the_challenge_is_handed_on_and_nobody_retries() {
    let server = mortise_testkit::ScriptedHttp::start(|_| challenge()).await.unwrap();
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    let ConnectError::AuthRequired { challenge, .. } = &error else { panic!("{error:?}") };
    assert_eq!(challenge.as_deref(), Some("Bearer resource_metadata=\"https://a/b\""));
    assert_eq!(error.to_string(), format!("`http://{}` wants authorization", server.address()));
    assert_eq!(upstream.state().label(), "failed");
    assert_eq!(server.received().len(), 1, "a login is needed, not another attempt");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_server_that_greets_everybody_but_lists_nothing_without_a_login_wants_one() {
    let server = mortise_testkit::ScriptedHttp::start(|request| {
        let message = super::message(request);
        match message["method"].as_str() {
            Some("server/discover") => {
                super::result(&message, super::discovered(&serde_json::json!({"tools": {}})))
            }
            _ => challenge(),
        }
    })
    .await
    .unwrap();
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(&error, ConnectError::AuthRequired { challenge: Some(_), .. }), "{error:?}");
    assert_eq!(error.to_string(), format!("`http://{}` wants authorization", server.address()));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_token_that_expires_later_fails_the_call_and_not_the_connection() {
    let server = modern(|_, _| challenge()).await;
    for (second, detail) in
        [(Ok(None), None), (Ok(Some("still refused")), None), (Err("no network"), Some("no network"))]
    {
        let tokens = tokens(Some("old"), second);
        let (pool, upstream) = pool_with(at(server.url("/mcp")), with(&tokens));
        let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
        let CallError::AuthRequired { detail: found, .. } = &error else { panic!("{error:?}") };
        assert_eq!(found.as_deref(), detail);
        assert!(matches!(&error, CallError::AuthRequired { challenge: Some(_), .. }), "{error:?}");
        assert_eq!(upstream.state().label(), "ready");
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn missing_scope_is_a_matter_of_authorization_and_plain_403_is_not() {
    let scope = "Bearer error=\"insufficient_scope\", scope=\"admin\"";
    let server = modern(move |_, _| HttpReply::status(403).with("www-authenticate", scope)).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(
        matches!(&error, CallError::AuthRequired { challenge: Some(found), .. } if found == scope),
        "{error:?}"
    );
    pool.shutdown().await;

    let server = modern(|_, _| HttpReply::status(403).body("forbidden")).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(&error, CallError::Http { status: 403, body, .. } if body == "forbidden"), "{error:?}");
    assert_eq!(of(&server, "tools/call").len(), 1);
    pool.shutdown().await;
}

#[tokio::test]
async fn no_secret_appears_in_what_is_shown() {
    let server = mortise_testkit::ScriptedHttp::start(|_| challenge()).await.unwrap();
    let mut config = at(server.url("/mcp?token=canary1"));
    let Transport::Http(http) = &mut config.transport else { panic!() };
    http.bearer = Some(Secret::new("canary2"));
    http.headers.insert("x-key".to_owned(), Secret::new("canary3"));
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    let shown = format!("{error} {error:?} {:?} {upstream:?} {pool:?}", upstream.state());
    assert!(!shown.contains("canary"), "{shown}");
    pool.shutdown().await;
}
