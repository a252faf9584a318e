use http::header::{ACCEPT, HOST};
use http::{Method, StatusCode};
use serde_json::json;

use super::*;

fn initialize() -> Request<Bytes> {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    });
    let frame = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let request = Request::builder()
        .method(Method::POST)
        .uri("/mcp")
        .header(HOST, "127.0.0.1")
        .header(ACCEPT, "application/json, text/event-stream")
        .header(CONTENT_TYPE, "application/json");
    request.body(Bytes::from(frame.to_string())).unwrap()
}

#[tokio::test]
async fn who_finds_the_last_place_taken_is_turned_away() {
    let server = Server::new("s", "1").build().unwrap();
    let options = HttpOptions::new("127.0.0.1:0".parse().unwrap()).sessions(1);
    let endpoint = Endpoint::new(&server, &options, Ends::default());
    // Both have found room before either has a session.
    let first = endpoint.begin_in_room(initialize()).await.unwrap();
    assert_eq!(first.status(), StatusCode::OK);
    assert!(endpoint.begin_in_room(initialize()).await.is_none());
    assert!(endpoint.begin(initialize()).await.is_none());
    endpoint.stop();
}
