//! Results of `echo`.

use serde_json::{Value, json};

use super::{call, echo, peer, still_works};

/// The result of `echo`; the connection works afterwards.
async fn result(scenario: &str) -> Value {
    let mut peer = peer(scenario);
    let frame = echo(&mut peer, "x").await;
    still_works(&mut peer).await;
    frame["result"].clone()
}

#[tokio::test]
async fn structured_content_lies_in_each_way() {
    let structured = |scenario| async move { result(scenario).await["structuredContent"].clone() };
    assert_eq!(structured("lie-mismatch").await, json!({"text": 42}));
    assert_eq!(structured("lie-zero").await, 0);
    assert_eq!(structured("lie-false").await, false);
    assert_eq!(structured("lie-empty-string").await, "");
    assert_eq!(structured("lie-array").await, json!([{"text": "hi"}]));
    assert_eq!(structured("lie-many=3").await["rows"], json!(["x", "x", "x"]));
    assert_eq!(result("lie-missing").await.get("structuredContent"), None);
    assert_eq!(result("lie-null").await.get("structuredContent"), Some(&Value::Null));
}

#[tokio::test]
async fn every_second_result_lies() {
    let mut peer = peer("lie-sometimes");
    let mut texts = Vec::new();
    for _ in 0..4 {
        texts.push(echo(&mut peer, "x").await["result"]["structuredContent"]["text"].clone());
    }
    assert_eq!(texts, [json!("x"), Value::Null, json!("x"), Value::Null]);
}

#[tokio::test]
async fn results_are_odd_in_each_way() {
    assert_eq!(result("empty-result").await, json!({}));
    assert_eq!(result("result-not-object").await, "done");
    assert_eq!(result("is-error-string").await["isError"], "no");
    assert_eq!(result("unknown-block").await["content"][0]["type"], "hologram");
    assert_eq!(result("no-content").await.get("content"), None);
    assert_eq!(result("content-not-array").await["content"], "hi");
    assert_eq!(result("extra-keys").await["action"], "accept");
    assert_eq!(result("tool-error").await["isError"], true);
    assert_eq!(result("fastmcp-wrap").await["_meta"]["fastmcp"]["wrap_result"], true);
    assert_eq!(result("vendor-fields").await["x-trace"], "abc");
    assert_eq!(result("many-blocks").await["content"].as_array().unwrap().len(), 6);
    let error = echo(&mut peer("rpc-error"), "x").await;
    assert_eq!(
        error["error"],
        json!({"code": -32603, "message": "the database is down", "data": {"retry": false}})
    );
}

#[tokio::test]
async fn a_fault_can_be_ordered_for_one_call() {
    let mut peer = peer("on-demand");
    let fault = |mode: &str| call("fault", &json!({ "mode": mode }));
    let lie = peer.request("tools/call", fault("lie-mismatch")).await.unwrap();
    assert_eq!(lie["result"]["structuredContent"]["text"], 42);
    let unknown = peer.request("tools/call", fault("nonsense")).await.unwrap();
    assert_eq!(unknown["result"]["isError"], true);
    assert_eq!(echo(&mut peer, "fine").await["result"]["structuredContent"]["text"], "fine");
    peer.start("tools/call", fault("die-before")).await.unwrap();
    assert!(peer.rest().await.unwrap().is_empty());
}
