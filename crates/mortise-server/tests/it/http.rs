//! A server on a port of its own, and both eras over HTTP.

use std::net::SocketAddr;

use mortise_server::{Answer, HttpOptions, HttpServer, Server, Tool, Tools};
use mortise_testkit::http::{HttpMessage, post, send};
use mortise_testkit::{LEGACY_VERSION, MODERN_VERSION, PeerError, with_meta};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::sample::{server, tools};

/// A running HTTP server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn start(server: &Server, adjust: impl FnOnce(HttpOptions) -> HttpOptions) -> Self {
        let options = adjust(HttpOptions::new("127.0.0.1:0".parse().expect("an address")));
        let http = HttpServer::bind(server, options).await.expect("a free port");
        let address = http.address();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(http.run(async {
            // Dropping the sender stops the server as well.
            let _ = stopped.await;
        }));
        Self { address, stop, serving }
    }

    /// Gives the signal to stop; the server has stopped when the handle is done.
    pub(crate) fn stop(self) -> JoinHandle<()> {
        self.stop.send(()).expect("the server runs");
        self.serving
    }

    /// Posts a legacy message.
    pub(crate) async fn legacy(&self, session: &str, message: &Value) -> Result<HttpMessage, PeerError> {
        let headers = [("mcp-session-id", session), ("mcp-protocol-version", LEGACY_VERSION)];
        post(self.address, "/mcp", &headers, message).await
    }

    /// Opens a legacy session and returns its id.
    pub(crate) async fn initialize(&self, capabilities: Value) -> Result<String, PeerError> {
        let opened = self.open(capabilities).await?;
        let session = opened.header("mcp-session-id").expect("a session").to_owned();
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.legacy(&session, &initialized).await?.status(), 202);
        Ok(session)
    }

    /// Sends `initialize`.
    pub(crate) async fn open(&self, capabilities: Value) -> Result<HttpMessage, PeerError> {
        let params = json!({
            "protocolVersion": LEGACY_VERSION,
            "capabilities": capabilities,
            "clientInfo": { "name": "testkit", "version": "0" },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        post(self.address, "/mcp", &[], &message).await
    }

    /// Posts a modern request with the headers that go with it.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> Result<HttpMessage, PeerError> {
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut headers = vec![("mcp-protocol-version", MODERN_VERSION), ("mcp-method", method)];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params) });
        post(self.address, "/mcp", &headers, &message).await
    }
}

/// The response to `id` among the frames of a body.
pub(crate) fn response(message: &HttpMessage, id: i64) -> Value {
    let frames = message.frames();
    frames
        .into_iter()
        .find(|frame| frame["id"] == id)
        .unwrap_or_else(|| panic!("no response in {}", message.text()))
}

#[tokio::test]
async fn a_legacy_session_lists_calls_and_ends() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    let session = running.initialize(json!({})).await?;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let listed = running.legacy(&session, &list).await?;
    assert_eq!(listed.header("content-type"), Some("text/event-stream"));
    assert_eq!(response(&listed, 1)["result"]["tools"].as_array().unwrap().len(), 9);
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "primes" } });
    let called = running.legacy(&session, &call).await?;
    assert_eq!(response(&called, 2)["result"]["structuredContent"], json!({ "result": [2, 3, 5] }));

    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    let ended = send(running.address, "DELETE /mcp", &headers, b"").await?;
    assert_eq!(ended.status(), 202);
    assert_eq!(running.legacy(&session, &list).await?.status(), 404);
    assert_eq!(running.legacy("guessed", &list).await?.status(), 404);
    let without = post(running.address, "/mcp", &[], &list).await?;
    assert_eq!(without.status(), 400);
    Ok(())
}

#[tokio::test]
async fn a_modern_request_stands_alone() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    let called = running.modern("tools/call", json!({ "name": "primes" })).await?;
    assert_eq!(called.status(), 200);
    assert_eq!(called.header("mcp-session-id"), None);
    assert_eq!(response(&called, 1)["result"]["structuredContent"], json!([2, 3, 5]));
    let listed = running.modern("tools/list", json!({})).await?;
    assert_eq!(response(&listed, 1)["result"]["cacheScope"], "public");
    let unknown = running.modern("tools/juggle", json!({})).await?;
    assert_eq!((unknown.status(), &unknown.frames()[0]["error"]["code"]), (404, &json!(-32601)));
    let wrong = running.modern("tools/call", json!({ "name": "gone" })).await?;
    assert_eq!(response(&wrong, 1)["error"]["code"], -32602);
    for method in ["GET /mcp", "DELETE /mcp"] {
        let headers = [("accept", "text/event-stream"), ("mcp-protocol-version", MODERN_VERSION)];
        assert_eq!(send(running.address, method, &headers, b"").await?.status(), 405, "{method}");
    }
    Ok(())
}

#[tokio::test]
async fn requests_of_both_eras_say_where_they_come_from() -> Result<(), PeerError> {
    let tool = Tool::raw("whence")
        .handler(|_, context| async move { Ok(Answer::text(format!("{:?}", context.peer()))) });
    let running = Running::start(&server(Tools::new([tool]).unwrap()), |options| options).await;
    let modern = running.modern("tools/call", json!({ "name": "whence" })).await?;
    assert_eq!(response(&modern, 1)["result"]["content"][0]["text"], "Some(127.0.0.1)");
    let session = running.initialize(json!({})).await?;
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "whence" } });
    let legacy = running.legacy(&session, &call).await?;
    assert_eq!(response(&legacy, 2)["result"]["content"][0]["text"], "Some(127.0.0.1)");
    Ok(())
}

#[tokio::test]
async fn headers_must_say_what_the_body_says() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": with_meta(json!({ "name": "primes" })),
    });
    let right =
        [("mcp-protocol-version", MODERN_VERSION), ("mcp-method", "tools/call"), ("mcp-name", "primes")];
    assert_eq!(post(running.address, "/mcp", &right, &message).await?.status(), 200);
    for (changed, value) in
        [(0, Some("2025-11-25")), (0, None), (1, Some("tools/list")), (1, None), (2, Some("bmi")), (2, None)]
    {
        let headers: Vec<_> = right
            .iter()
            .enumerate()
            .filter_map(|(index, (name, own))| {
                let own = if index == changed { value } else { Some(*own) };
                own.map(|own| (*name, own))
            })
            .collect();
        let refused = post(running.address, "/mcp", &headers, &message).await?;
        assert_eq!(refused.status(), 400, "{headers:?}");
        assert_eq!(refused.frames()[0]["error"]["code"], -32020, "{headers:?}");
    }
    Ok(())
}

#[tokio::test]
async fn argument_headers_must_say_what_the_arguments_say() -> Result<(), PeerError> {
    let tool = Tool::raw("placed")
        .input_schema(json!({
            "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
        }))
        .handler(|call, _| async move { Ok(Answer::text(call.arguments.text())) });
    let running = Running::start(&server(Tools::new([tool]).unwrap()), |options| options).await;
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": with_meta(json!({ "name": "placed", "arguments": { "region": "eu" } })),
    });
    for (value, status) in [
        (Some("eu"), 200),
        (Some("=?base64?ZXU=?="), 200),
        (Some("us"), 400),
        (Some("=?base64?Z*U=?="), 400),
        (None, 400),
    ] {
        let mut headers = vec![
            ("mcp-protocol-version", MODERN_VERSION),
            ("mcp-method", "tools/call"),
            ("mcp-name", "placed"),
        ];
        headers.extend(value.map(|value| ("mcp-param-region", value)));
        let answer = post(running.address, "/mcp", &headers, &message).await?;
        assert_eq!(answer.status(), status, "{value:?}: {}", answer.text());
        if status == 400 {
            assert_eq!(answer.frames()[0]["error"]["code"], -32020);
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_unknown_version_is_refused_with_the_known_ones() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    let message = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list" });
    let refused = post(running.address, "/mcp", &[("mcp-protocol-version", "2099-01-01")], &message).await?;
    assert_eq!(refused.status(), 400);
    assert_eq!(
        refused.frames()[0],
        json!({ "jsonrpc": "2.0", "id": 3, "error": {
            "code": -32022,
            "message": "unsupported protocol version",
            "data": { "supported": mortise_server::PROTOCOL_VERSIONS, "requested": "2099-01-01" },
        } })
    );
    Ok(())
}

#[tokio::test]
async fn numbers_pass_digit_for_digit_in_both_eras() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options).await;
    let digits = r#"{"price":1.10,"id":123456789012345678901234567890,"huge":1e400}"#;
    let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let session = running.initialize(json!({})).await?;
    let legacy = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{digits}}}}}"#
    );
    let headers = [&usual[..], &[("mcp-session-id", session.as_str())]].concat();
    let answer = send(running.address, "POST /mcp", &headers, legacy.as_bytes()).await?;
    assert!(answer.text().contains(&format!(r#""structuredContent":{digits}"#)), "{}", answer.text());

    let meta = mortise_testkit::client_meta();
    let modern = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{digits},"_meta":{meta}}}}}"#
    );
    let own = [("mcp-protocol-version", MODERN_VERSION), ("mcp-method", "tools/call"), ("mcp-name", "echo")];
    let answer = send(running.address, "POST /mcp", &[&usual[..], &own].concat(), modern.as_bytes()).await?;
    assert!(answer.text().contains(&format!(r#""structuredContent":{digits}"#)), "{}", answer.text());
    Ok(())
}

#[tokio::test]
async fn a_large_result_arrives_whole() -> Result<(), PeerError> {
    let text = "line\n\"quoted\" \u{1F600} ".repeat(100_000);
    let sent = text.clone();
    let tool = Tool::raw("large").handler(move |_, _| {
        let text = text.clone();
        async move { Ok(Answer::structured(json!({ "text": text }))) }
    });
    let running = Running::start(&server(Tools::new([tool]).unwrap()), |options| options).await;
    let answer = running.modern("tools/call", json!({ "name": "large" })).await?;
    assert_eq!(response(&answer, 1)["result"]["structuredContent"]["text"], sent);
    Ok(())
}
