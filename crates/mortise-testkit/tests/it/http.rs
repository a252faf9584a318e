//! Raw HTTP requests against a scripted HTTP server.

use mortise_testkit::{HttpReply, PeerError, ScriptedHttp, http};
use serde_json::json;

#[tokio::test]
async fn a_request_reaches_the_script_and_its_reply_comes_back() {
    let server = ScriptedHttp::start(|request| match request.target() {
        "/json" => HttpReply::json(&json!({"id": 1})).with("mcp-session-id", "s1"),
        "/sse" => HttpReply::sse(&[json!({"a": 1}), json!({"b": 2})]),
        "/chunked" => HttpReply::Raw(
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n".to_vec(),
        ),
        "/until-close" => HttpReply::Raw(b"HTTP/1.1 500 No\r\n\r\nrest".to_vec()),
        _ => HttpReply::Close,
    })
    .await
    .unwrap();
    let address = server.address();

    let json = http::post(address, "/json", &[("x-test", "1")], &json!({"id": 1})).await.unwrap();
    assert_eq!(
        (json.status(), json.header("Mcp-Session-Id"), json.frames()),
        (200, Some("s1"), vec![json!({"id": 1})])
    );
    let sse = http::post(address, "/sse", &[], &json!({})).await.unwrap();
    assert_eq!(sse.frames(), [json!({"a": 1}), json!({"b": 2})]);
    let chunked = http::send(address, "GET /chunked", &[], b"").await.unwrap();
    assert_eq!(chunked.text(), "abcde");
    let until_close = http::send(address, "GET /until-close", &[], b"").await.unwrap();
    assert_eq!((until_close.status(), until_close.text().as_str()), (500, "rest"));
    let closed = http::send(address, "DELETE /gone", &[], b"").await.unwrap_err();
    assert!(matches!(closed, PeerError::Http { .. }), "{closed}");

    let received = server.received();
    assert_eq!(received.len(), 5);
    assert_eq!((received[0].method(), received[0].header("x-test")), ("POST", Some("1")));
    assert_eq!(received[0].text(), r#"{"id":1}"#);
}

#[test]
fn data_lines_of_one_event_are_joined() {
    assert_eq!(http::sse_data(": hello\n\nid: 1\ndata: a\r\ndata:b\r\n\r\ndata\n\n"), ["a\nb"]);
}
