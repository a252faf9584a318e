//! Calls that the mock answers with tasks.

use std::time::Duration;

use mortise_testkit::{RawPeer, with_meta};
use serde_json::{Value, json};

use super::{call, peer};

/// A request of a client that takes tasks.
async fn able(peer: &mut RawPeer, method: &str, mut params: Value) -> Value {
    let extensions = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    params["_meta"] = json!({ "io.modelcontextprotocol/clientCapabilities": extensions });
    let mut answer = peer.request(method, with_meta(params)).await.unwrap();
    if answer["error"].is_null() { answer["result"].take() } else { answer["error"].take() }
}

/// Calls `echo` and returns the task's end as `tasks/get` shows it.
async fn ended(scenario: &str) -> Value {
    let mut peer = peer(scenario);
    let created = able(&mut peer, "tools/call", call("echo", &json!({"text": "hi"}))).await;
    assert_eq!(
        (&created["resultType"], &created["status"]),
        (&json!("task"), &json!("working")),
        "{scenario}"
    );
    let id = json!({ "taskId": created["taskId"] });
    tokio::time::sleep(Duration::from_secs(4)).await;
    able(&mut peer, "tasks/get", id).await
}

#[tokio::test(start_paused = true)]
async fn a_task_ends_as_its_scenario_says() {
    for (scenario, members) in [
        ("task", json!({"status": "completed"})),
        ("task-slow", json!({"status": "completed"})),
        ("task-asks", json!({"status": "input_required"})),
        ("task-fails", json!({"status": "failed", "error": {"code": -32603, "message": "the task broke"}})),
        ("task-cancelled", json!({"status": "cancelled"})),
        ("task-endless", json!({"status": "working"})),
        ("task-without-result", json!({"status": "completed", "result": null})),
        ("task-odd-status", json!({"status": "almost"})),
        ("task-other-id", json!({"taskId": "another"})),
        ("task-forgotten", json!({"code": -32602})),
    ] {
        let end = ended(scenario).await;
        for (name, value) in members.as_object().unwrap() {
            assert_eq!(end[name], *value, "{scenario}: {end}");
        }
    }
    assert_eq!(ended("task").await["result"]["structuredContent"], json!({"text": "hi"}));
    let large = ended("task-large=5000").await;
    assert_eq!(large["result"]["structuredContent"]["text"].as_str().unwrap().len(), 5000);
}

#[tokio::test(start_paused = true)]
async fn a_client_without_tasks_gets_the_result_itself() {
    let mut peer = peer("task-endless");
    let answer = peer.modern("tools/call", call("echo", &json!({"text": "hi"}))).await.unwrap();
    assert_eq!(answer["result"]["structuredContent"], json!({"text": "hi"}));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_ends_unless_it_is_stubborn() {
    for (scenario, status) in [("task-endless", "cancelled"), ("task-stubborn", "working")] {
        let mut peer = peer(scenario);
        let created = able(&mut peer, "tools/call", call("echo", &json!({}))).await;
        let id = json!({ "taskId": created["taskId"] });
        able(&mut peer, "tasks/cancel", id.clone()).await;
        assert_eq!(able(&mut peer, "tasks/get", id).await["status"], status);
    }
}
