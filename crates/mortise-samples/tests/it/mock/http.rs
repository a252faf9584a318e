//! The mock over HTTP: sessions, streams and faults.

use mortise_samples::mock::{Mock, MockEnd, MockHttp};
use mortise_testkit::http::{self, HttpMessage};
use mortise_testkit::{PeerError, RawPeer, with_meta};
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::call;

async fn listen(scenario: &str) -> MockHttp {
    Mock::parse(scenario).unwrap().listen("127.0.0.1:0".parse().unwrap()).await.unwrap()
}

fn request(method: &str, params: Value) -> Value {
    let mut frame = json!({"jsonrpc": "2.0", "id": 1, "method": method});
    frame["params"] = params;
    frame
}

async fn modern_echo(mock: &MockHttp) -> Result<HttpMessage, PeerError> {
    let frame = request("tools/call", with_meta(call("echo", &json!({"text": "hi"}))));
    http::post(mock.address(), "/mcp", &[], &frame).await
}

async fn post(mock: &MockHttp, session: Option<&str>, frame: &Value) -> HttpMessage {
    let headers: Vec<_> = session.map(|session| ("mcp-session-id", session)).into_iter().collect();
    http::post(mock.address(), "/mcp", &headers, frame).await.unwrap()
}

async fn session(mock: &MockHttp) -> String {
    let answer = post(mock, None, &request("initialize", json!({"protocolVersion": "2025-11-25"}))).await;
    assert_eq!(answer.frames()[0]["result"]["protocolVersion"], "2025-11-25");
    answer.header("mcp-session-id").unwrap().to_owned()
}

#[tokio::test]
async fn a_legacy_client_has_a_session_until_it_ends_it() {
    let mock = listen("ok").await;
    let list = request("tools/list", Value::Null);
    assert_eq!(post(&mock, None, &list).await.status(), 400);
    let session = session(&mock).await;
    assert_eq!(post(&mock, Some(&session), &list).await.frames()[0]["result"]["tools"][1]["name"], "echo");
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&mock, Some(&session), &note).await.status(), 202);
    let headers = [("mcp-session-id", session.as_str())];
    assert_eq!(http::send(mock.address(), "DELETE /mcp", &headers, b"").await.unwrap().status(), 200);
    assert_eq!(post(&mock, Some(&session), &list).await.status(), 404);
}

#[tokio::test]
async fn a_client_that_asks_for_it_gets_its_connection_closed() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mock = listen("ok").await;
    let mut stream = TcpStream::connect(mock.address()).await.unwrap();
    stream.write_all(b"GET /mcp HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 405"), "{answer}");
}

#[tokio::test]
async fn a_modern_client_needs_no_session() {
    let mock = listen("ok").await;
    let answer = modern_echo(&mock).await.unwrap();
    assert_eq!((answer.status(), answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.frames()[0]["result"]["structuredContent"]["text"], "hi");
    let unknown = post(&mock, None, &request("nope", with_meta(Value::Null))).await;
    assert_eq!((unknown.status(), &unknown.frames()[0]["error"]["code"]), (404, &json!(-32601)));
    assert_eq!(http::send(mock.address(), "GET /mcp", &[], b"").await.unwrap().status(), 405);
}

#[tokio::test]
async fn headers_are_compared_with_the_body_when_asked() {
    let mock = listen("strict-headers").await;
    let frame = request("tools/call", with_meta(call("echo", &json!({"text": "hi"}))));
    let version = ("mcp-protocol-version", "2026-07-28");
    let method = ("mcp-method", "tools/call");
    for (headers, status) in [
        (vec![version, method, ("mcp-name", "echo")], 200),
        (vec![version, method, ("mcp-name", "add")], 400),
        (vec![version, method], 400),
        (vec![method, ("mcp-name", "echo")], 400),
        (vec![version, ("mcp-method", "tools/list"), ("mcp-name", "echo")], 400),
    ] {
        let answer = http::post(mock.address(), "/mcp", &headers, &frame).await.unwrap();
        assert_eq!(answer.status(), status, "{headers:?}");
        assert_eq!(answer.frames()[0]["error"]["code"] == -32020, status == 400, "{headers:?}");
    }
}

/// The first line of a stream that has this in it.
async fn line_with(mock: &MockHttp, request: &str, wanted: &str) -> String {
    let mut stream = RawPeer::over(TcpStream::connect(mock.address()).await.unwrap());
    stream.send_bytes(request.as_bytes()).await.unwrap();
    loop {
        let line = stream.next_frame().await.unwrap().text();
        if line.contains(wanted) {
            return line;
        }
    }
}

#[tokio::test]
async fn announcements_reach_streams_of_both_eras() {
    let mock = listen("list-changed=50").await;
    let get = format!("GET /mcp HTTP/1.1\r\nmcp-session-id: {}\r\n\r\n", session(&mock).await);
    assert!(!line_with(&mock, &get, "list_changed").await.contains("subscriptionId"));

    let listen =
        request("subscriptions/listen", with_meta(json!({"notifications": {"toolsListChanged": true}})));
    let body = listen.to_string();
    let post = format!("POST /mcp HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let changed = line_with(&mock, &post, "list_changed").await;
    assert!(changed.contains(r#""io.modelcontextprotocol/subscriptionId":1"#), "{changed}");
}

#[tokio::test]
async fn the_oldest_transport_is_recognised() {
    let mock = listen("http-sse").await;
    assert_eq!(modern_echo(&mock).await.unwrap().status(), 405);
    let endpoint = line_with(&mock, "GET /sse HTTP/1.1\r\n\r\n", "data:").await;
    assert_eq!(endpoint, "data: /messages?session=1");
}

#[tokio::test]
async fn a_session_is_lost_after_so_many_calls() {
    let mock = listen("session-lost=2").await;
    let session = session(&mock).await;
    let echo = request("tools/call", call("echo", &json!({})));
    for status in [200, 200, 404, 404] {
        assert_eq!(post(&mock, Some(&session), &echo).await.status(), status);
    }
}

#[tokio::test]
async fn events_carry_the_answer_in_each_style() {
    for scenario in ["sse", "sse-primed", "sse-many-lines"] {
        let answer = modern_echo(&listen(scenario).await).await.unwrap();
        assert_eq!(answer.header("content-type"), Some("text/event-stream"), "{scenario}");
        assert_eq!(answer.frames()[0]["result"]["structuredContent"]["text"], "hi", "{scenario}");
    }
    for scenario in ["sse-no-data", "sse-cut"] {
        assert!(modern_echo(&listen(scenario).await).await.unwrap().frames().is_empty(), "{scenario}");
    }
    let twice = modern_echo(&listen("duplicate-response").await).await.unwrap();
    assert_eq!(twice.frames().len(), 2);
}

#[tokio::test]
async fn statuses_and_headers_are_as_named() {
    let head = |scenario: &'static str, header: &'static str| async move {
        let answer = modern_echo(&listen(scenario).await).await.unwrap();
        (answer.status(), answer.header(header).unwrap_or_default().to_owned())
    };
    assert_eq!(
        head("http-401", "www-authenticate").await,
        (401, "Bearer error=\"invalid_token\"".to_owned())
    );
    assert_eq!(head("http-503", "retry-after").await, (503, "30".to_owned()));
    assert_eq!(head("http-404", "content-type").await, (404, "text/html".to_owned()));
    assert_eq!(head("html", "content-type").await, (200, "text/html".to_owned()));
    assert_eq!(head("redirect", "location").await, (307, "/moved".to_owned()));
    assert!(head("redirect-private", "location").await.1.starts_with("http://169.254.169.254/"));

    let mock = listen("http-429=2").await;
    let statuses = [modern_echo(&mock).await, modern_echo(&mock).await, modern_echo(&mock).await];
    assert_eq!(statuses.map(|answer| answer.unwrap().status()), [429, 429, 200]);
}

#[tokio::test]
async fn bodies_are_cut_or_packed() {
    assert!(modern_echo(&listen("cut-body").await).await.is_err());
    assert!(modern_echo(&listen("no-http").await).await.is_err());
    let bomb = modern_echo(&listen("gzip-bomb=10000000").await).await.unwrap();
    assert_eq!(bomb.header("content-encoding"), Some("gzip"));
    assert!(bomb.body.len() < 100_000, "{}", bomb.body.len());
    assert_eq!(&bomb.body[..3], [0x1f, 0x8b, 8]);
}

#[tokio::test]
async fn the_mock_dies_with_its_connections() {
    let mock = listen("die-mid=9").await;
    assert!(modern_echo(&mock).await.is_err());
    assert_eq!(mock.ended().await.unwrap(), MockEnd::Exit(9));
}

#[tokio::test]
async fn a_secret_is_repeated_in_the_error() {
    let mock = listen("leak").await;
    let frame = request("tools/list", with_meta(Value::Null));
    let answer =
        http::post(mock.address(), "/mcp", &[("authorization", "Bearer canary")], &frame).await.unwrap();
    assert!(answer.text().contains("Bearer canary"));
}

#[tokio::test]
async fn only_loopback_is_listened_on() {
    let refused = Mock::parse("ok").unwrap().listen("0.0.0.0:0".parse().unwrap()).await;
    assert!(refused.is_err());
}
