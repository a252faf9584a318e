//! Calls that a server of the modern era answers with a task.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(feature = "http")]
use mortise_client::server_config::HttpConfig;
use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_client::{CallError, CallOptions, Handlers, Pool, PoolOptions, ServerAsk, Upstream};
use mortise_contract::verdict::Status;
use mortise_contract::{Mode, RawJson};
use mortise_samples::mock::Mock;
use mortise_testkit::{answer, refuse};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::support::{PATIENCE, call, count, modern, name, options, pool_of, pool_with, tool};

/// A pool with a mock that plays these scenarios.
async fn mocked(scenarios: &str) -> (Mock, Pool, Upstream) {
    mocked_with(scenarios, options()).await
}

async fn mocked_with(scenarios: &str, options: PoolOptions) -> (Mock, Pool, Upstream) {
    let mock = Mock::parse(scenarios).unwrap();
    let server = mock.clone();
    let transport = Transport::InProcess(InProcess::new(move || server.connect()));
    let (pool, upstream) = pool_with(ServerConfig::new(name("mock"), transport), options);
    upstream.ready(PATIENCE).await.unwrap();
    (mock, pool, upstream)
}

fn sent(mock: &Mock, method: &str) -> Vec<Value> {
    mock.received().into_iter().filter(|request| request["method"] == method).collect()
}

/// Waits, by the clock that a test moves, until the mock got a request of this method.
async fn until_sent(mock: &Mock, method: &str) -> Value {
    for _ in 0..1000 {
        if let Some(request) = sent(mock, method).pop() {
            return request;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("no `{method}` was sent");
}

async fn echo(upstream: &Upstream, options: CallOptions) -> Result<String, CallError> {
    let outcome = upstream.call(call("echo", r#"{"text":"hi"}"#), options).await?;
    assert_eq!(outcome.verdict.status, Status::Valid);
    Ok(outcome.result.structured.unwrap().text().to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_task_is_awaited_at_the_pace_of_its_server_and_its_result_is_judged() {
    let (mock, pool, upstream) = mocked("task=1000").await;
    let started = Instant::now();
    assert_eq!(echo(&upstream, CallOptions::default()).await.unwrap(), r#"{"text":"hi"}"#);
    assert!(started.elapsed() >= Duration::from_secs(1) && started.elapsed() < Duration::from_secs(2));
    let asked = sent(&mock, "tasks/get").len();
    assert!((18..=21).contains(&asked), "asked {asked} times in a second, every 50 ms");
    assert_eq!(sent(&mock, "tasks/cancel").len(), 0);
    // The extension is declared with calls, and not where it could change a list of tools.
    let declared = |method: &str| {
        sent(&mock, method)[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone()
    };
    let extension = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    assert_eq!((declared("tools/call"), declared("tasks/get")), (extension.clone(), extension));
    assert_eq!((declared("tools/list"), declared("server/discover")), (json!({}), json!({})));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_frames_of_the_call_and_of_its_end_are_reported() {
    let (_, pool, upstream) = mocked("task=1000").await;
    let report = upstream.call_reported(call("echo", r#"{"text":"hi"}"#), CallOptions::default()).await;
    assert!(report.outcome.is_ok());
    let methods: Vec<_> = report.exchanges.iter().map(|exchange| exchange.method).collect();
    assert_eq!(methods, ["tools/call", "tasks/get"], "what is said while nothing happens is left out");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn messages_of_a_task_are_progress() {
    let (_, pool, upstream) = mocked("task-slow").await;
    let (progress, mut reports) = mpsc::channel(16);
    let options = CallOptions { progress: Some(progress), ..CallOptions::default() };
    echo(&upstream, options).await.unwrap();
    let mut seen = Vec::new();
    while let Some(report) = reports.recv().await {
        seen.push((report.progress, report.message.unwrap()));
    }
    let step = |number: u32| (f64::from(number), format!("step {number}"));
    assert_eq!(seen, [step(1), step(2), step(3)]);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_ends_badly_is_an_error_that_says_how() {
    for (scenario, words) in [
        ("task-fails", "`echo` on server `mock` failed: server error -32603: the task broke"),
        (
            "task-cancelled",
            "the task for `echo` on server `mock` is lost: the server cancelled it: out of patience",
        ),
        ("task-without-result", "breaks the protocol: its task is completed and has no result"),
        ("task-odd-status", "breaks the protocol: the task has the unknown status `almost`"),
        ("task-other-id", "breaks the protocol: it speaks of another task than it was asked about"),
        (
            "task-forgotten",
            "is lost: the server does not know it any more (server error -32602: there is no such task)",
        ),
    ] {
        let (_, pool, upstream) = mocked(scenario).await;
        let error = echo(&upstream, CallOptions::default()).await.unwrap_err();
        let told = mortise_contract::text::error_chain(&error);
        assert!(told.contains(words), "{scenario}: {told}");
        // The server goes on as before.
        assert!(upstream.call(call("add", r#"{"a":2,"b":3}"#), CallOptions::default()).await.is_ok());
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_is_too_large_fails_its_call_alone() {
    let (mock, pool, upstream) =
        mocked_with("task-large=200000", PoolOptions { frame_limit: 100_000, ..options() }).await;
    let error = echo(&upstream, CallOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the answer to `echo` on server `mock` is larger than 100000 bytes");
    until_sent(&mock, "tasks/cancel").await;
    assert!(upstream.call(call("add", r#"{"a":2,"b":3}"#), CallOptions::default()).await.is_ok());
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_is_cancelled_when_its_time_is_up_or_its_caller_stops_waiting() {
    for scenario in ["task-endless", "task-stubborn"] {
        let (mock, pool, upstream) = mocked(scenario).await;
        let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
        let error = echo(&upstream, options).await.unwrap_err();
        assert_eq!(error.to_string(), "`echo` on server `mock` timed out after 5 s");
        let cancelled = until_sent(&mock, "tasks/cancel").await;
        assert_eq!(cancelled["params"]["taskId"], sent(&mock, "tasks/get")[0]["params"]["taskId"]);
        pool.shutdown().await;
    }

    let (mock, pool, upstream) = mocked("task-endless").await;
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
    let calling = tokio::spawn(async move { echo(&upstream, options).await });
    until_sent(&mock, "tasks/get").await;
    cancel.cancel();
    assert!(matches!(calling.await.unwrap(), Err(CallError::Cancelled { .. })));
    until_sent(&mock, "tasks/cancel").await;
    pool.shutdown().await;

    let (mock, pool, upstream) = mocked("task-endless").await;
    let calling = tokio::spawn(async move { echo(&upstream, CallOptions::default()).await });
    until_sent(&mock, "tasks/get").await;
    calling.abort();
    until_sent(&mock, "tasks/cancel").await;
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_may_have_more_time_than_a_call() {
    let (_, pool, upstream) = mocked("task=90000").await;
    let started = Instant::now();
    let task_deadline = Some(started + Duration::from_secs(120));
    let options = CallOptions { task_deadline, ..CallOptions::default() };
    assert_eq!(echo(&upstream, options).await.unwrap(), r#"{"text":"hi"}"#);
    assert_eq!(started.elapsed().as_secs(), 90);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_asks_gets_its_answer() {
    let handler = |ask: ServerAsk| -> mortise_client::AskFuture {
        assert_eq!(ask.method, "elicitation/create");
        Box::pin(async { Ok(RawJson::parse(r#"{"action":"accept","content":{"word":"yes"}}"#).unwrap()) })
    };
    let handlers = Handlers { elicitation_form: Some(Arc::new(handler)), ..Handlers::default() };
    let (mock, pool, upstream) = mocked_with("task-asks", PoolOptions { handlers, ..options() }).await;
    let said = echo(&upstream, CallOptions::default()).await.unwrap();
    assert!(said.contains("accept"), "{said}");
    assert_eq!(sent(&mock, "tasks/update").len(), 1);
    pool.shutdown().await;

    let (mock, pool, upstream) = mocked("task-asks").await;
    let error = echo(&upstream, CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::InputRequired { .. }), "{error}");
    until_sent(&mock, "tasks/cancel").await;
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_for_the_status_that_is_lost_is_put_again() {
    let asked = AtomicUsize::new(0);
    let (config, received) = modern(json!({"tools": {}}), move |request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")], "resultType": "complete"}))],
        Some("tools/call") => {
            vec![answer(request, json!({"resultType": "task", "taskId": "t", "status": "working"}))]
        }
        Some("tasks/get") if asked.fetch_add(1, Ordering::Relaxed) == 0 => Vec::new(),
        Some("tasks/get") => {
            let result = json!({"content": [], "resultType": "complete"});
            vec![answer(request, json!({"taskId": "t", "status": "completed", "result": result}))]
        }
        _ => vec![refuse(request, -32601, "no")],
    });
    let (pool, upstream) = pool_of(config);
    let started = Instant::now();
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(started.elapsed().as_secs(), 32, "a second, half a minute without an answer, a second");
    assert_eq!(count(&received, "tasks/get"), 2);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_broken_contract_is_seen_in_the_result_of_a_task() {
    let task = |status: &str| json!({"taskId": "t", "status": status, "ttlMs": null, "createdAt": "", "lastUpdatedAt": ""});
    let (config, received) = modern(json!({"tools": {}}), move |request| match request["method"].as_str() {
        Some("tools/list") => {
            let output = json!({"type": "object", "required": ["n"]});
            let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output});
            vec![answer(request, json!({"tools": [tool], "resultType": "complete"}))]
        }
        Some("tools/call") => {
            // A server may end its task before it answers.
            let mut created = task("completed");
            created["resultType"] = json!("task");
            vec![answer(request, created)]
        }
        Some("tasks/get") => {
            let mut done = task("completed");
            done["result"] = json!({"content": [], "structuredContent": {}, "resultType": "complete"});
            vec![answer(request, done)]
        }
        _ => vec![refuse(request, -32601, "no")],
    });
    let (pool, upstream) = pool_of(config);
    let options = CallOptions { mode: Some(Mode::Strict), ..CallOptions::default() };
    let started = Instant::now();
    let error = upstream.call(call("t", "{}"), options).await.unwrap_err();
    assert!(matches!(error, CallError::Violation { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_millis(50), "the result is asked for at once");
    assert_eq!((count(&received, "tasks/get"), count(&received, "tasks/cancel")), (1, 0));
    pool.shutdown().await;
}

#[cfg(feature = "http")]
#[tokio::test]
async fn requests_about_a_task_carry_its_id_in_a_header() {
    let mock = Mock::parse("task strict-headers").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let config = ServerConfig::new(name("mock"), Transport::Http(HttpConfig::new(http.url())));
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(echo(&upstream, CallOptions::default()).await.unwrap(), r#"{"text":"hi"}"#);
    pool.shutdown().await;
}
