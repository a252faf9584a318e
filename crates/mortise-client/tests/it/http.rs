//! Servers over Streamable HTTP.

mod auth;
mod faults;
mod redirects;

use std::sync::Mutex;

use mortise_client::server_config::{HttpConfig, ServerConfig, Transport};
use mortise_client::{CallError, CallOptions, Era, ProgressReport};
use mortise_testkit::http::HttpMessage;
use mortise_testkit::{HttpReply, ScriptedHttp};
use serde_json::{Value, json};

use crate::support::{PATIENCE, call, discovered, name, pool_of, tool};

/// A server at this address.
fn at(url: String) -> ServerConfig {
    ServerConfig::new(name("web"), Transport::Http(HttpConfig::new(url)))
}

/// The JSON-RPC message in a request.
fn message(request: &HttpMessage) -> Value {
    serde_json::from_slice(&request.body).unwrap_or_default()
}

fn result(request: &Value, result: Value) -> HttpReply {
    HttpReply::json(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
}

fn refusal(request: &Value, status: u16, code: i32) -> HttpReply {
    let error = json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "no"}});
    let HttpReply::Whole { headers, body, .. } = HttpReply::json(&error) else { panic!() };
    HttpReply::Whole { status, headers, body }
}

/// A modern server with the tool `t`; the closure answers calls.
async fn modern(script: impl Fn(&HttpMessage, &Value) -> HttpReply + Send + Sync + 'static) -> ScriptedHttp {
    modern_with(json!([tool("t")]), script).await
}

async fn modern_with(
    tools: Value,
    script: impl Fn(&HttpMessage, &Value) -> HttpReply + Send + Sync + 'static,
) -> ScriptedHttp {
    ScriptedHttp::start(move |request| {
        let message = message(request);
        match message["method"].as_str() {
            Some("server/discover") => result(&message, discovered(&json!({"tools": {}}))),
            Some("tools/list") => result(&message, json!({"tools": tools, "resultType": "complete"})),
            Some("tools/call") => script(request, &message),
            _ => HttpReply::status(405),
        }
    })
    .await
    .unwrap()
}

fn done(request: &Value) -> HttpReply {
    result(request, json!({"content": [], "resultType": "complete"}))
}

/// A legacy server with sessions and the tool `t`; the closure answers calls.
async fn legacy(script: impl Fn(&HttpMessage, &Value) -> HttpReply + Send + Sync + 'static) -> ScriptedHttp {
    let sessions = Mutex::new(0);
    ScriptedHttp::start(move |request| {
        let message = message(request);
        match message["method"].as_str() {
            Some("server/discover") => refusal(&message, 400, -32000),
            Some("initialize") => {
                let mut sessions = sessions.lock().unwrap();
                *sessions += 1;
                let initialized = json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "old", "version": "1"},
                });
                result(&message, initialized).with("mcp-session-id", &format!("session-{sessions}"))
            }
            Some("tools/list") => result(&message, json!({"tools": [tool("t")]})),
            Some("tools/call") => script(request, &message),
            Some(_) => HttpReply::status(202),
            None => HttpReply::status(405),
        }
    })
    .await
    .unwrap()
}

/// The requests of one JSON-RPC method.
fn of(server: &ScriptedHttp, method: &str) -> Vec<HttpMessage> {
    server.received().into_iter().filter(|request| message(request)["method"] == method).collect()
}

#[tokio::test]
async fn a_modern_request_carries_its_headers() {
    let tools = json!([{
        "name": "wetter für alle",
        "inputSchema": {"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "days": {"type": "integer", "x-mcp-header": "Days"},
        }},
    }]);
    let server = modern_with(tools, |_, request| done(request)).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp?key=1#part")));
    let arguments = r#"{"region":"Zürich","days":3}"#;
    upstream.call(call("wetter für alle", arguments), CallOptions::default()).await.unwrap();
    assert_eq!(upstream.facts().unwrap().era, Era::Modern);
    let sent = &of(&server, "tools/call")[0];
    let header = |name: &str| sent.header(name).unwrap_or("-").to_owned();
    assert_eq!(sent.start, "POST /mcp?key=1 HTTP/1.1");
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(header("accept"), "application/json, text/event-stream");
    assert_eq!(header("mcp-protocol-version"), "2026-07-28");
    assert_eq!(header("mcp-method"), "tools/call");
    assert_eq!(header("mcp-name"), "=?base64?d2V0dGVyIGbDvHIgYWxsZQ==?=");
    assert_eq!(header("mcp-param-region"), "=?base64?WsO8cmljaA==?=");
    assert_eq!(header("mcp-param-days"), "3");
    assert!(sent.text().contains(arguments), "{}", sent.text());
    let list = &of(&server, "tools/list")[0];
    assert_eq!((list.header("mcp-method"), list.header("mcp-name")), (Some("tools/list"), None));
    pool.shutdown().await;
    assert!(
        server.received().iter().all(|request| request.method() == "POST"),
        "no session, no GET, no DELETE"
    );
}

#[tokio::test]
async fn prompts_and_resources_are_named_in_the_header_too() {
    let server = modern(|_, request| done(request)).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.read_resource("file:///a", CallOptions::default()).await.unwrap_err();
    upstream.get_prompt("greet", None, CallOptions::default()).await.unwrap_err();
    assert_eq!(of(&server, "resources/read")[0].header("mcp-name"), Some("file:///a"));
    assert_eq!(of(&server, "prompts/get")[0].header("mcp-name"), Some("greet"));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_tool_with_a_wrong_header_annotation_is_set_aside() {
    let tools = json!([tool("good"), {
        "name": "bad",
        "inputSchema": {"type": "object", "properties": {"n": {"type": "number", "x-mcp-header": "N"}}},
    }]);
    let server = modern_with(tools, |_, request| done(request)).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.ready(PATIENCE).await.unwrap();
    let catalog = upstream.catalog();
    assert_eq!(catalog.contracts.len(), 1);
    assert_eq!(
        catalog.rejected[0].reason,
        "`x-mcp-header` of `n` is on a property that is neither string nor integer nor boolean"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn a_legacy_session_is_opened_used_and_ended() {
    let server = legacy(|_, request| done(request)).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    let facts = upstream.facts().unwrap();
    assert_eq!((facts.era, facts.name()), (Era::Legacy, Some("old")));
    pool.shutdown().await;
    let initialize = &of(&server, "initialize")[0];
    assert_eq!(initialize.header("mcp-session-id"), None);
    for method in ["notifications/initialized", "tools/list", "tools/call"] {
        let request = &of(&server, method)[0];
        assert_eq!(request.header("mcp-session-id"), Some("session-1"), "{method}");
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"), "{method}");
    }
    let end = server.received().into_iter().find(|request| request.method() == "DELETE").unwrap();
    assert_eq!(end.header("mcp-session-id"), Some("session-1"));
}

#[tokio::test]
async fn a_session_that_is_gone_is_renewed_and_the_tools_are_listed_again() {
    let server = legacy(|request, message| match request.header("mcp-session-id") {
        Some("session-1") => HttpReply::status(404),
        _ => done(message),
    })
    .await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.ready(PATIENCE).await.unwrap();
    let mut events = upstream.events();
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    while upstream.catalog().revision < 2 {
        events.recv().await.unwrap();
    }
    assert_eq!(of(&server, "initialize").len(), 2);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_session_lost_with_the_wrong_status_is_renewed_too() {
    let server = legacy(|request, message| match request.header("mcp-session-id") {
        Some("session-1") => {
            let error =
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "no session"}});
            let HttpReply::Whole { headers, body, .. } = HttpReply::json(&error) else { panic!() };
            HttpReply::Whole { status: 400, headers, body }
        }
        _ => done(message),
    })
    .await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(of(&server, "initialize").len(), 2);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_session_has_its_stream_of_events_before_the_first_call() {
    let server = legacy(|_, message| done(message)).await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.ready(PATIENCE).await.unwrap();
    let streams = server.received().iter().filter(|request| request.method() == "GET").count();
    assert_eq!(streams, 1);
    pool.shutdown().await;
}

#[tokio::test]
async fn an_answer_may_come_as_events_after_others() {
    let server = modern(|_, request| {
        let token = &request["params"]["_meta"]["progressToken"];
        let progress = json!({
            "jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": 1},
        });
        let body = format!(
            ": hello\n\nevent: ping\ndata: x\n\ndata: {progress}\n\ndata: not json\n\nid: 5\nretry: 1\ndata:\n\n\
             data: {{\"jsonrpc\":\"2.0\",\"id\":{},\ndata: \"result\":{{\"content\":[],\"n\":1.10}}}}\n\n",
            request["id"]
        );
        HttpReply::status(200).with("content-type", "text/event-stream; charset=utf-8").body(body)
    })
    .await;
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    let (progress, mut reports) = tokio::sync::mpsc::channel(8);
    let outcome = upstream
        .call(call("t", "{}"), CallOptions { progress: Some(progress), ..CallOptions::default() })
        .await
        .unwrap();
    assert_eq!(outcome.result.raw.text(), "{\"content\":[],\"n\":1.10}");
    assert_eq!(reports.recv().await, Some(ProgressReport { progress: 1.0, total: None, message: None }));
    assert_eq!(upstream.faults()[0].kind.label(), "not_json");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_broken_event_stream_is_resumed_where_it_was() {
    let calling = Mutex::new(None);
    let server = ScriptedHttp::start(move |request| {
        let message = message(request);
        match (request.method(), message["method"].as_str()) {
            (_, Some("server/discover")) => refusal(&message, 404, -32601),
            (_, Some("initialize")) => {
                let answer = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}});
                result(&message, answer).with("mcp-session-id", "s")
            }
            (_, Some("tools/list")) => result(&message, json!({"tools": [tool("t")]})),
            (_, Some("tools/call")) => {
                *calling.lock().unwrap() = Some(message["id"].clone());
                HttpReply::status(200)
                    .with("content-type", "text/event-stream")
                    .body("id: e1\nretry: 1\ndata:\n\n")
            }
            ("GET", _) if request.header("last-event-id") == Some("e1") => {
                let id = calling.lock().unwrap().clone();
                HttpReply::sse(&[json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}})])
            }
            ("GET", _) => HttpReply::status(405),
            _ => HttpReply::status(202),
        }
    })
    .await
    .unwrap();
    let (pool, upstream) = pool_of(at(server.url("/mcp")));
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    pool.shutdown().await;
}

#[tokio::test]
async fn configured_headers_are_sent_and_the_protocols_own_are_not_for_sale() {
    let server = modern(|_, request| done(request)).await;
    let mut config = at(server.url("/mcp"));
    let Transport::Http(http) = &mut config.transport else { panic!() };
    http.headers.insert("X-Team".to_owned(), mortise_client::secret::Secret::new("sums"));
    let (pool, upstream) = pool_of(config.clone());
    upstream.ready(PATIENCE).await.unwrap();
    assert!(server.received().iter().all(|request| request.header("x-team") == Some("sums")));
    pool.shutdown().await;

    for (header, value, expected) in [
        ("Mcp-Session-Id", "x", "the header `Mcp-Session-Id` can't be sent: the protocol sets it"),
        ("a b", "x", "the header `a b` can't be sent: it is not a header name"),
        (
            "x-key",
            "canary\n",
            "the header `x-key` can't be sent: its value has characters no header can have",
        ),
    ] {
        let mut config = config.clone();
        let Transport::Http(http) = &mut config.transport else { panic!() };
        http.headers.insert(header.to_owned(), mortise_client::secret::Secret::new(value));
        let (pool, upstream) = pool_of(config);
        let error = upstream.ready(PATIENCE).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(upstream.state().label(), "failed");
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn an_error_with_any_status_keeps_its_code() {
    for status in [200, 400, 404, 500] {
        let server = modern(move |_, request| refusal(request, status, -32602)).await;
        let (pool, upstream) = pool_of(at(server.url("/mcp")));
        let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
        assert!(
            matches!(&error, CallError::Rpc { error, .. } if error.code == -32602),
            "{status}: {error:?}"
        );
        assert_eq!(upstream.state().label(), "ready");
        pool.shutdown().await;
    }
}
