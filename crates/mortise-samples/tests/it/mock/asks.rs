//! Questions to the client in the middle of a call.

use mortise_testkit::with_meta;
use serde_json::json;

use super::{call, peer};

#[tokio::test]
async fn a_legacy_client_is_asked_by_a_request() {
    let mut peer = peer("ask-elicitation");
    peer.initialize().await.unwrap();
    let id = peer.start("tools/call", call("echo", &json!({}))).await.unwrap();
    let question = peer.called("elicitation/create").await.unwrap();
    assert_eq!(question["params"]["message"], "Which word?");
    peer.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}}))
        .await
        .unwrap();
    let answer = peer.response(id).await.unwrap();
    assert_eq!(answer["result"]["structuredContent"]["text"], r#"{"action":"decline"}"#);
}

#[tokio::test]
async fn the_refusal_of_a_question_shows_in_the_result() {
    let mut peer = peer("ask-roots");
    let id = peer.start("tools/call", call("echo", &json!({}))).await.unwrap();
    let question = peer.called("roots/list").await.unwrap();
    let error = json!({"code": -32601, "message": "no roots here"});
    peer.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error})).await.unwrap();
    let answer = peer.response(id).await.unwrap();
    assert_eq!(answer["result"]["structuredContent"]["text"], error.to_string());
}

#[tokio::test]
async fn a_modern_client_is_asked_by_a_result_and_calls_again() {
    let mut peer = peer("ask-sampling");
    let asked = peer.modern("tools/call", call("echo", &json!({}))).await.unwrap();
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["question"]["method"], "sampling/createMessage");
    let mut again = call("echo", &json!({}));
    again["inputResponses"] = json!({"question": {"role": "assistant"}});
    again["requestState"] = asked["result"]["requestState"].clone();
    let answer = peer.request("tools/call", with_meta(again)).await.unwrap();
    assert_eq!(answer["result"]["structuredContent"]["text"], r#"{"role":"assistant"}"#);
}

#[tokio::test]
async fn some_servers_never_stop_asking() {
    let mut peer = peer("ask-endlessly");
    let id = peer.start("tools/call", call("echo", &json!({}))).await.unwrap();
    for _ in 0..20 {
        let question = peer.called("elicitation/create").await.unwrap();
        peer.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept"}}))
            .await
            .unwrap();
    }
    let question = peer.called("elicitation/create").await.unwrap();
    peer.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1}})).await.unwrap();
    assert!(peer.response(id).await.unwrap()["result"].is_object());
}
