//! Redirects and proxies: where a request may go.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mortise_client::environment::Environment;
use mortise_client::secret::Secret;
use mortise_client::server_config::Transport;
use mortise_client::{CallOptions, ConnectError, PoolOptions};
use mortise_testkit::{HttpReply, ScriptedHttp};

use super::{at, done, modern};
use crate::support::{PATIENCE, call, environment, options, pool_of, pool_with};

/// A server that redirects every request there.
async fn redirecting(status: u16, location: String) -> ScriptedHttp {
    ScriptedHttp::start(move |_| HttpReply::status(status).with("location", &location)).await.unwrap()
}

#[tokio::test]
async fn another_origin_is_never_followed() {
    let elsewhere = modern(|_, request| done(request)).await;
    for status in [301, 302, 303, 307, 308] {
        for location in [
            elsewhere.url("/mcp"),
            "http://169.254.169.254/latest".to_owned(),
            "https://example.com/".to_owned(),
        ] {
            let server = redirecting(status, location).await;
            let mut config = at(server.url("/mcp"));
            let Transport::Http(http) = &mut config.transport else { panic!() };
            http.bearer = Some(Secret::new("canary"));
            let (pool, upstream) = pool_of(config);
            let error = upstream.ready(PATIENCE).await.unwrap_err();
            let ConnectError::Http { body, status: found, .. } = &error else { panic!("{error:?}") };
            assert_eq!(*found, status);
            assert!(body.contains("another origin"), "{body}");
            pool.shutdown().await;
        }
    }
    assert_eq!(elsewhere.received().len(), 0);
}

#[tokio::test]
async fn the_same_origin_is_followed_with_message_and_token() {
    let server = ScriptedHttp::start(|request| {
        if request.target() == "/mcp" {
            return HttpReply::status(308).with("location", "/mcp/");
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
    let mut config = at(server.url("/mcp"));
    let Transport::Http(http) = &mut config.transport else { panic!() };
    http.bearer = Some(Secret::new("canary"));
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    assert!(server.received().iter().all(|request| request.header("authorization") == Some("Bearer canary")));
    pool.shutdown().await;
}

#[tokio::test]
async fn three_redirects_are_followed_and_a_fourth_is_not() {
    for (hops, reached) in [(3, true), (4, false)] {
        let seen = Arc::new(AtomicUsize::new(0));
        let counter = seen.clone();
        let server = ScriptedHttp::start(move |request| {
            let hop: usize = request.target().trim_start_matches('/').parse().unwrap();
            if hop < hops {
                return HttpReply::status(307).with("location", &format!("/{}", hop + 1));
            }
            counter.fetch_add(1, Ordering::Relaxed);
            HttpReply::status(500)
        })
        .await
        .unwrap();
        let (pool, upstream) = pool_of(at(server.url("/0")));
        upstream.ready(PATIENCE).await.unwrap_err();
        assert_eq!(seen.load(Ordering::Relaxed) > 0, reached);
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_redirect_that_would_lose_the_message_is_refused() {
    let server = redirecting(302, "/elsewhere".to_owned()).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    let ConnectError::Http { body, .. } = &error else { panic!("{error:?}") };
    assert_eq!(body, "a redirect with status 302 would lose the message");
    pool.shutdown().await;
}

fn with_variable(variable: &str, value: &str) -> PoolOptions {
    let environment = Environment { variables: [(variable.into(), value.into())].into(), ..environment() };
    PoolOptions { environment, ..options() }
}

#[tokio::test]
async fn a_proxy_of_the_environment_is_used_but_not_for_this_machine() {
    let server = modern(|_, request| done(request)).await;
    let variable = with_variable("HTTP_PROXY", &server.url(""));
    let (pool, upstream) = pool_with(at("http://mcp.example.com/mcp".to_owned()), variable.clone());
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert!(server.received().iter().all(|request| request.target() == "http://mcp.example.com/mcp"));
    pool.shutdown().await;

    let nearby = modern(|_, request| done(request)).await;
    let (pool, upstream) = pool_with(at(nearby.url("/mcp")), variable);
    upstream.ready(PATIENCE).await.unwrap();
    assert_ne!(nearby.received().len(), 0);
    pool.shutdown().await;
}

#[tokio::test]
async fn certificates_that_are_not_there_are_told_by_name() {
    let variable = with_variable("SSL_CERT_FILE", "/nowhere/roots.pem");
    let (pool, upstream) = pool_with(at("https://mcp.example.com/mcp".to_owned()), variable);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert!(error.to_string().contains("no certificate found by SSL_CERT_FILE or SSL_CERT_DIR"), "{error}");
    pool.shutdown().await;
}

#[tokio::test]
async fn only_web_addresses_are_addresses() {
    for (url, expected) in [
        ("ftp://example.com/mcp", "only http and https are spoken"),
        ("file:///etc/passwd", "only http and https are spoken"),
        ("mcp.example.com", "relative URL without a base"),
    ] {
        let (pool, upstream) = pool_of(at(url.to_owned()));
        let error = upstream.ready(PATIENCE).await.unwrap_err();
        assert!(error.to_string().ends_with(expected), "{error}");
        pool.shutdown().await;
    }
}
