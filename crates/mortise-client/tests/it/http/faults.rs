//! HTTP that goes wrong.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mortise_client::{CallError, CallOptions, CloseReason, ConnectError, PoolOptions};
use mortise_testkit::{HttpReply, ScriptedHttp};
use serde_json::json;

use super::{at, done, legacy, modern, modern_with, of, result};
use crate::support::{PATIENCE, call, options, pool_of, pool_with, tool};

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (pool, upstream) = pool_of(at(format!("http://{address}/mcp?token=canary")));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }), "{error:?}");
    let shown = format!("{error} {error:?}");
    assert!(shown.contains("refused") && !shown.contains("canary"), "{shown}");
    assert_eq!(upstream.state().label(), "backing-off");
    pool.shutdown().await;
}

#[tokio::test]
async fn the_transport_before_streamable_http_is_refused_by_name() {
    let server = ScriptedHttp::start(|request| match request.method() {
        "GET" => HttpReply::status(200)
            .with("content-type", "text/event-stream")
            .body("event: endpoint\ndata: /messages?session=1\n\n"),
        _ => HttpReply::status(405),
    })
    .await
    .unwrap();
    let (pool, upstream) = pool_of(at(server.url("/sse")));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "`http://{}` speaks HTTP+SSE (protocol 2024-11-05), which is not supported; \
             the server must offer Streamable HTTP",
            server.address()
        )
    );
    assert_eq!(upstream.state().label(), "failed");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_page_is_no_answer() {
    let server =
        ScriptedHttp::start(|_| HttpReply::status(200).with("content-type", "text/html").body("<html>hi"))
            .await
            .unwrap();
    let (pool, upstream) = pool_of(at(server.url("/")));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot use the server's answer to `initialize`: no JSON-RPC answer but text/html: <html>hi"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn a_plain_status_fails_the_call_with_its_body() {
    for status in [400, 404, 500, 502] {
        let server = modern(move |_, _| HttpReply::status(status).body("upstream is down")).await;
        let (pool, upstream) = pool_of(at(server.url("/mcp")));
        let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
        let CallError::Http { status: found, body, .. } = &error else { panic!("{error:?}") };
        assert_eq!((*found, body.as_str()), (status, "upstream is down"));
        assert_eq!(upstream.state().label(), "ready");
        assert_eq!(of(&server, "tools/call").len(), 1);
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_busy_server_is_asked_again_only_where_that_does_no_harm() {
    let read_only =
        json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    for (declared, expected) in [(read_only, true), (tool("t"), false)] {
        let asked = AtomicUsize::new(0);
        let server =
            modern_with(json!([declared]), move |_, request| match asked.fetch_add(1, Ordering::Relaxed) {
                0 => HttpReply::status(429).with("retry-after", "0"),
                _ => done(request),
            })
            .await;
        let (pool, upstream) = pool_of(at(server.url("/mcp")));
        let called = upstream.call(call("t", "{}"), CallOptions::default()).await;
        assert_eq!(called.is_ok(), expected, "{called:?}");
        pool.shutdown().await;
    }
    let server = modern_with(
        json!([{"name": "t", "inputSchema": {"type": "object"}, "annotations": {"idempotentHint": true}}]),
        |_, _| HttpReply::status(429).with("retry-after", "3600"),
    )
    .await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let started = Instant::now();
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Http { retry_after: Some(after), .. } if after == "3600"),
        "{error:?}"
    );
    assert!(error.is_transient() && started.elapsed().as_secs() < 30);
    pool.shutdown().await;
}

#[tokio::test]
async fn bodies_and_events_past_the_limit_fail_their_call() {
    for kind in ["whole", "chunked", "event"] {
        for (excess, expected) in [(0, true), (1, false)] {
            let server = modern(move |_, request| {
                let start = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[],"x":""#, request["id"]);
                let filler = "x".repeat(4096 + excess - start.len() - 3);
                let body = format!("{start}{filler}\"}}}}");
                match kind {
                    "whole" => HttpReply::status(200).with("content-type", "application/json").body(body),
                    "event" => HttpReply::status(200)
                        .with("content-type", "text/event-stream")
                        .body(format!("data: {body}\n\n")),
                    _ => HttpReply::Raw(
                        format!(
                            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n\
                             {:x}\r\n{body}\r\n0\r\n\r\n",
                            body.len()
                        )
                        .into_bytes(),
                    ),
                }
            })
            .await;
            let (pool, upstream) =
                pool_with(at(server.url("/mcp")), PoolOptions { frame_limit: 4096, ..options() });
            let called = upstream.call(call("t", "{}"), CallOptions::default()).await;
            match expected {
                true => drop(called.unwrap()),
                false => {
                    let error = called.unwrap_err();
                    assert!(matches!(error, CallError::TooLarge { limit: 4096, .. }), "{kind}: {error:?}");
                }
            }
            assert_eq!(upstream.state().label(), "ready");
            pool.shutdown().await;
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_fails_at_once() {
    for reply in [
        HttpReply::Close,
        HttpReply::Raw(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"json"
                .to_vec(),
        ),
        HttpReply::status(200)
            .with("content-type", "text/event-stream")
            .body("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n"),
    ] {
        let server = modern(move |_, _| reply.clone()).await;
        let (pool, upstream) = pool_of(at(server.url("/mcp")));
        let started = Instant::now();
        let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
        assert!(matches!(error, CallError::Closed { reason: CloseReason::Network { .. }, .. }), "{error:?}");
        assert!(started.elapsed().as_secs() < 30);
        assert_eq!(upstream.state().label(), "ready", "one broken answer is no lost server");
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn compression_nobody_asked_for_is_not_unpacked() {
    let server =
        modern(|_, request| result(request, json!({"content": []})).with("content-encoding", "gzip")).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Protocol { .. }), "{error:?}");
    pool.shutdown().await;
}

#[tokio::test]
async fn an_answer_to_another_request_is_no_answer() {
    let server =
        modern(|_, _| HttpReply::json(&json!({"jsonrpc": "2.0", "id": 999_999, "result": {"content": []}})))
            .await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Protocol { .. }), "{error:?}");
    assert_eq!(upstream.faults()[0].kind.label(), "unknown_response");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_server_that_goes_away_is_noticed_and_found_again() {
    let server = legacy(|_, request| done(request)).await;
    let address = server.address();
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.ready(PATIENCE).await.unwrap();
    drop(server);
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Closed { .. }), "{error:?}");
    let mut state = upstream.watch_state();
    state.wait_for(|state| state.error().is_some()).await.unwrap();
    assert_eq!(address.ip().to_string(), "127.0.0.1");
    pool.shutdown().await;
}
