//! Tools that are called as tasks of 2025-11-25.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mortise_client::server_config::ServerConfig;
use mortise_client::{CallError, CallOptions};
use mortise_contract::verdict::Status;
use mortise_testkit::{ScriptedReply, answer, refuse};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{PATIENCE, Received, call, count, pool_of, with_tools};

mod modern;

/// A tool that is called as a task, with an output schema.
fn job() -> Value {
    json!({
        "name": "job", "inputSchema": { "type": "object" }, "execution": { "taskSupport": "required" },
        "outputSchema": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] },
    })
}

fn task(status: &str) -> Value {
    json!({ "taskId": "t\"1", "status": status, "pollInterval": 2000, "ttl": 1, "createdAt": "2026-01-01T00:00:00Z" })
}

/// A server whose task is working for some questions and then has this status and this answer to `tasks/result`.
fn working(
    questions: usize,
    then: &'static str,
    result: fn(&Value) -> Vec<ScriptedReply>,
) -> (ServerConfig, Received) {
    let asked = AtomicUsize::new(0);
    with_tools(json!([job()]), move |request| match request["method"].as_str() {
        Some("tools/call") => vec![answer(request, json!({ "task": task("working") }))],
        Some("tasks/get") if asked.fetch_add(1, Ordering::Relaxed) < questions => {
            vec![answer(request, task("working"))]
        }
        Some("tasks/get") => vec![answer(request, task(then))],
        Some("tasks/result") => result(request),
        _ => vec![answer(request, task("cancelled"))],
    })
}

fn seven(request: &Value) -> Vec<ScriptedReply> {
    vec![answer(request, json!({ "content": [], "structuredContent": { "n": 7 } }))]
}

fn sent(received: &Received, method: &str) -> Value {
    let received = received.lock().unwrap();
    received.iter().find(|request| request["method"] == method).cloned().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn a_task_is_awaited_and_its_result_is_judged() {
    let (config, received) = working(2, "completed", seven);
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let started = Instant::now();
    let outcome = upstream.call(call("job", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(outcome.verdict.status, Status::Valid);
    assert_eq!(outcome.result.structured.unwrap().text(), r#"{"n":7}"#);
    assert_eq!(started.elapsed().as_secs(), 6, "the server's pace of two seconds");
    let params = sent(&received, "tools/call")["params"].clone();
    assert_eq!((&params["name"], &params["task"]["ttl"]), (&json!("job"), &json!(120_000)));
    assert_eq!(sent(&received, "tasks/result")["params"]["taskId"], "t\"1");
    assert_eq!((count(&received, "tasks/get"), count(&received, "tasks/cancel")), (3, 0));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_fails_or_needs_input_is_asked_for_its_result() {
    for (status, refused) in [("failed", true), ("input_required", false), ("cancelled", true)] {
        let result = if refused { |request: &Value| vec![refuse(request, -32000, "broke")] } else { seven };
        let (config, received) = working(0, status, result);
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap();
        let outcome = upstream.call(call("job", "{}"), CallOptions::default()).await;
        assert_eq!(matches!(outcome, Err(CallError::Rpc { .. })), refused, "{status}: {outcome:?}");
        assert_eq!(count(&received, "tasks/cancel"), 0, "{status}");
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_takes_too_long_is_cancelled() {
    let (config, received) = working(usize::MAX, "working", seven);
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
    let error = upstream.call(call("job", "{}"), options).await.unwrap_err();
    assert_eq!(error.to_string(), "`job` on server `scripted` timed out after 5 s");
    for _ in 0..1000 {
        tokio::task::yield_now().await;
        tokio::time::advance(Duration::from_millis(1)).await;
        if count(&received, "tasks/cancel") == 1 {
            assert_eq!(sent(&received, "tasks/cancel")["params"]["taskId"], "t\"1");
            return pool.shutdown().await;
        }
    }
    panic!("the server was not told");
}

#[tokio::test(start_paused = true)]
async fn a_server_may_answer_at_once_and_not_with_an_unreadable_task() {
    for (result, is_ok) in [
        (json!({ "content": [], "structuredContent": { "n": 7 } }), true),
        (json!({ "task": { "status": "working" } }), false),
    ] {
        let (config, _) = with_tools(json!([job()]), move |request| vec![answer(request, result.clone())]);
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap();
        let outcome = upstream.call(call("job", "{}"), CallOptions::default()).await;
        assert_eq!(outcome.is_ok(), is_ok, "{outcome:?}");
        if let Err(error) = outcome {
            assert!(error.to_string().contains("the task has no `taskId` that is a string"), "{error}");
        }
        pool.shutdown().await;
    }
}
