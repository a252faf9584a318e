//! Calls: time, cancellation, order, progress.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mortise_client::server_config::{EraChoice, InProcess, ServerConfig, Transport};
use mortise_client::{CallError, CallOptions, ProgressReport};
use mortise_contract::Mode;
use mortise_testkit::{ScriptedReply, answer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::support::{PATIENCE, Received, call, count, legacy, name, pool_of, tool, with_tools};

fn ok(request: &Value) -> ScriptedReply {
    answer(request, json!({"content": []}))
}

/// Waits until the server was told that a request is cancelled; gives its id.
async fn cancelled(received: &Received) -> Value {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
        tokio::time::advance(Duration::from_millis(1)).await;
        let received = received.lock().unwrap();
        if let Some(request) = received.iter().find(|request| request["method"] == "notifications/cancelled")
        {
            return request["params"]["requestId"].clone();
        }
    }
    panic!("the server was not told");
}

fn call_id(received: &Received) -> Value {
    let received = received.lock().unwrap();
    received.iter().find(|request| request["method"] == "tools/call").unwrap()["id"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_call_without_answer_times_out_and_the_server_is_told() {
    let (config, received) = with_tools(json!([tool("t")]), |_| Vec::new());
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let started = Instant::now();
    let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
    let error = upstream.call(call("t", "{}"), options).await.unwrap_err();
    assert_eq!(error.to_string(), "`t` on server `scripted` timed out after 5 s");
    assert_eq!(started.elapsed().as_secs(), 5);
    assert_eq!(cancelled(&received).await, call_id(&received));
    assert_eq!(upstream.state().label(), "ready");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_a_larger_piece_of_work_counts_too() {
    let (config, _) = with_tools(json!([tool("t")]), |_| Vec::new());
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let started = Instant::now();
    let deadline = Some(started + Duration::from_secs(3));
    let error =
        upstream.call(call("t", "{}"), CallOptions { deadline, ..CallOptions::default() }).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }));
    assert_eq!(started.elapsed().as_secs(), 3);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_ends_at_once_and_the_server_is_told() {
    let (config, received) = with_tools(json!([tool("t")]), |_| Vec::new());
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
    let calling = tokio::spawn({
        let upstream = upstream.clone();
        async move { upstream.call(call("t", "{}"), options).await }
    });
    while count(&received, "tools/call") == 0 {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    let error = calling.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Cancelled { .. }));
    assert_eq!(cancelled(&received).await, call_id(&received));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_cancels_its_call() {
    let (config, received) = with_tools(json!([tool("t")]), |_| Vec::new());
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let calling = upstream.call(call("t", "{}"), CallOptions::default());
    assert!(tokio::time::timeout(Duration::from_secs(1), calling).await.is_err());
    assert_eq!(cancelled(&received).await, call_id(&received));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn calls_past_the_limit_wait_in_order() {
    // The server answers a call only when the next one has come, so at most two can be out.
    let (mut config, received) = with_tools(json!([tool("t")]), |request| vec![ok(request)]);
    config.in_flight = 1;
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let calls = (0..20).map(|index| {
        let arguments = format!(r#"{{"index":{index}}}"#);
        let upstream = upstream.clone();
        async move { upstream.call(call("t", &arguments), CallOptions::default()).await.map(|_| index) }
    });
    let finished = futures::future::try_join_all(calls).await.unwrap();
    assert_eq!(finished.len(), 20);
    let order: Vec<u64> = received
        .lock()
        .unwrap()
        .iter()
        .filter(|request| request["method"] == "tools/call")
        .map(|request| request["params"]["arguments"]["index"].as_u64().unwrap())
        .collect();
    assert_eq!(order, (0..20).collect::<Vec<_>>());
    pool.shutdown().await;
}

#[tokio::test]
async fn checking_a_large_result_takes_no_longer_than_the_call_may() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "uniqueItems": true } } });
    let large = json!({ "name": "large", "inputSchema": { "type": "object" }, "outputSchema": schema });
    let items: Vec<Value> = (0..300_000).map(|number| json!({ "x": [number] })).collect();
    let result = json!({ "content": [], "structuredContent": { "a": items } });
    let (config, _) =
        with_tools(json!([large, tool("small")]), move |request| match request["params"]["name"].as_str() {
            Some("large") => vec![answer(request, result.clone())],
            _ => vec![ok(request)],
        });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let short = || CallOptions { timeout: Some(Duration::from_millis(500)), ..CallOptions::default() };
    // Without optimisation the check of one takes seconds.
    let calls = (0..3).map(|_| upstream.call(call("large", "{}"), short()));
    for called in futures::future::join_all(calls).await {
        assert!(matches!(called, Err(CallError::Timeout { .. })), "{called:?}");
    }
    upstream.call(call("small", "{}"), CallOptions::default()).await.unwrap();
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_hanging_call_holds_its_place_only_until_it_times_out() {
    let (mut config, _) =
        with_tools(json!([tool("slow"), tool("fast")]), |request| match request["params"]["name"].as_str() {
            Some("fast") => vec![ok(request)],
            _ => Vec::new(),
        });
    config.in_flight = 1;
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let short = CallOptions { timeout: Some(Duration::from_secs(2)), ..CallOptions::default() };
    let (slow, fast) = tokio::join!(
        upstream.call(call("slow", "{}"), short),
        upstream.call(call("fast", "{}"), CallOptions::default()),
    );
    assert!(matches!(slow, Err(CallError::Timeout { .. })) && fast.is_ok());
    pool.shutdown().await;
}

#[tokio::test]
async fn progress_is_handed_to_the_call_it_belongs_to() {
    let (config, received) = with_tools(json!([tool("t")]), |request| {
        let token = &request["params"]["_meta"]["progressToken"];
        let report = |token: &Value, progress: f64| {
            ScriptedReply::Frame(json!({
                "jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": progress, "total": 2, "message": "half"},
            }))
        };
        vec![report(&json!(987_654), 9.0), report(token, 1.0), ok(request)]
    });
    let (pool, upstream) = pool_of(config);
    let (progress, mut reports) = tokio::sync::mpsc::channel(8);
    let options = CallOptions { progress: Some(progress), ..CallOptions::default() };
    upstream.call(call("t", "{}"), options).await.unwrap();
    let expected = ProgressReport { progress: 1.0, total: Some(2.0), message: Some("half".to_owned()) };
    assert_eq!((reports.recv().await, reports.recv().await), (Some(expected), None));

    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    let received = received.lock().unwrap().clone();
    let silent = received.iter().rfind(|request| request["method"] == "tools/call").unwrap();
    assert_eq!(silent["params"].get("_meta"), None, "nobody wants progress, so none is asked for");
    pool.shutdown().await;
}

#[tokio::test]
async fn meta_of_the_caller_is_sent_along() {
    let (config, received) = with_tools(json!([tool("t")]), |request| vec![ok(request)]);
    let (pool, upstream) = pool_of(config);
    let meta = json!({"traceparent": "00-1-2-01"}).as_object().cloned();
    upstream.call(call("t", "{}"), CallOptions { meta, ..CallOptions::default() }).await.unwrap();
    let received = received.lock().unwrap().clone();
    let sent = received.iter().find(|request| request["method"] == "tools/call").unwrap();
    assert_eq!(sent["params"]["_meta"], json!({"traceparent": "00-1-2-01"}));
    pool.shutdown().await;
}

#[tokio::test]
async fn arguments_may_span_lines_but_must_be_an_object() {
    let (config, received) = with_tools(json!([tool("t")]), |request| vec![ok(request)]);
    let (pool, upstream) = pool_of(config);
    upstream.call(call("t", "{\n  \"a\":\r\n 1\n}"), CallOptions::default()).await.unwrap();
    let sent =
        received.lock().unwrap().iter().find(|request| request["method"] == "tools/call").cloned().unwrap();
    assert_eq!(sent["params"]["arguments"], json!({"a": 1}));
    let error = upstream.call(call("t", "[1]"), CallOptions::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the arguments of `t` must be a JSON object, not an array");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_tool_that_is_not_listed_is_looked_for_and_then_left_to_the_server() {
    let (config, received) = with_tools(json!([tool("t")]), |request| {
        vec![mortise_testkit::refuse(request, -32602, "unknown tool")]
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let error = upstream.call(call("ghost", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::Rpc { .. }), "{error:?}");
    assert_eq!(count(&received, "tools/list"), 2);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn looking_for_a_tool_takes_no_longer_than_the_call_may() {
    let lists = AtomicUsize::new(0);
    // The list after the first never ends.
    let (config, received) = legacy(move |request| match lists.fetch_add(1, Ordering::Relaxed) {
        0 => vec![answer(request, json!({"tools": [tool("t")]}))],
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let started = Instant::now();
    let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
    let error = upstream.call(call("ghost", "{}"), options).await.unwrap_err();
    assert_eq!(error.to_string(), "`ghost` on server `scripted` timed out after 5 s");
    let deadline = Some(Instant::now() + Duration::from_secs(2));
    let options = CallOptions { deadline, ..CallOptions::default() };
    let error = upstream.call(call("ghost", "{}"), options).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error:?}");
    let cancel = CancellationToken::new();
    let options = CallOptions { cancel: cancel.clone(), ..CallOptions::default() };
    let (error, ()) = tokio::join!(upstream.call(call("ghost", "{}"), options), async { cancel.cancel() });
    assert!(matches!(error, Err(CallError::Cancelled { .. })), "{error:?}");
    assert_eq!(started.elapsed().as_secs(), 7);
    assert_eq!(count(&received, "tools/call"), 0);
    pool.shutdown().await;
}

#[tokio::test]
async fn the_narrowest_mode_wins() {
    let mut declared = tool("t");
    declared["outputSchema"] = json!({"type": "object", "required": ["x"]});
    let bad = |request: &Value| vec![answer(request, json!({"content": [], "structuredContent": {}}))];
    let (mut config, _) = with_tools(json!([declared]), bad);
    config.mode = Some(Mode::Strict);
    config.tool_modes.insert("t".to_owned(), Mode::Off);
    let (pool, upstream) = pool_of(config);
    let outcome = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert_eq!(outcome.verdict.status.as_str(), "off");
    let strict = CallOptions { mode: Some(Mode::Strict), ..CallOptions::default() };
    let error = upstream.call(call("t", "{}"), strict).await.unwrap_err();
    assert!(matches!(error, CallError::Violation { .. }));
    assert_eq!(error.code(), Some(-32602));
    let text = error.to_string();
    assert!(
        text.contains("at the root: ") && text.contains("`x`") && text.ends_with("(code -32602)"),
        "{text}"
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn how_results_are_checked_is_a_setting_of_the_server() {
    let mut dated = tool("dated");
    dated["outputSchema"] =
        json!({"type": "object", "properties": {"day": {"type": "string", "format": "date"}}});
    let result = json!({"content": [], "structuredContent": {"day": "someday"}});
    let (usual, _) =
        with_tools(json!([dated, tool("bare")]), move |request| vec![answer(request, result.clone())]);
    let mut asserting = usual.clone();
    asserting.assert_formats = Some(true);
    let mut forbidding = usual.clone();
    forbidding.forbid_unschematised = Some(true);
    for (config, refused) in [(usual, None), (asserting, Some("dated")), (forbidding, Some("bare"))] {
        let (pool, upstream) = pool_of(config);
        for tool in ["dated", "bare"] {
            let called = upstream.call(call(tool, "{}"), CallOptions::default()).await;
            let was_refused = matches!(called, Err(CallError::Violation { .. }));
            assert_eq!(was_refused, refused == Some(tool), "{called:?}");
        }
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn ten_thousand_interleaved_calls_do_not_cross() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        vec![answer(request, json!({"content": [], "structuredContent": request["params"]["arguments"]}))]
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let workers = (0..50).map(|worker| {
        let upstream = upstream.clone();
        tokio::spawn(async move {
            for index in 0..200 {
                let arguments = format!(r#"{{"worker":{worker},"index":{index}}}"#);
                let outcome = upstream.call(call("t", &arguments), CallOptions::default()).await.unwrap();
                let found = outcome.result.structured.unwrap().value().unwrap();
                assert_eq!(found, json!({"worker": worker, "index": index}));
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.unwrap();
    }
    pool.shutdown().await;
}

/// A server that stops reading once its tools are listed, behind a small pipe.
fn deaf() -> ServerConfig {
    let server = InProcess::new(|| {
        let (ours, theirs) = tokio::io::duplex(1024);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = tokio::io::BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let request: Value = serde_json::from_str(&line).unwrap();
                let result = match request["method"].as_str() {
                    Some("tools/list") => json!({"tools": [tool("t")]}),
                    _ => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}),
                };
                let reply = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
                writer.write_all(format!("{reply}\n").as_bytes()).await.unwrap();
                if request["method"] == "tools/list" {
                    std::future::pending::<()>().await;
                }
            }
        });
        ours
    });
    let mut config = ServerConfig::new(name("deaf"), Transport::InProcess(server));
    config.in_flight = 1_000;
    config.era = EraChoice::Legacy;
    config
}

#[tokio::test(start_paused = true)]
async fn the_queue_to_a_server_that_does_not_read_is_bounded() {
    let (pool, upstream) = pool_of(deaf());
    upstream.ready(PATIENCE).await.unwrap();
    let calls = (0..300).map(|_| {
        let upstream = upstream.clone();
        let options = CallOptions { timeout: Some(Duration::from_secs(10)), ..CallOptions::default() };
        async move { upstream.call(call("t", "{}"), options).await.unwrap_err() }
    });
    let errors = futures::future::join_all(calls).await;
    let stalled =
        errors.iter().filter(|error| matches!(error, CallError::Stalled { waiting: 256, .. })).count();
    let timed_out = errors.iter().filter(|error| matches!(error, CallError::Timeout { .. })).count();
    assert_eq!(stalled + timed_out, 300);
    assert!((20..=44).contains(&stalled), "{stalled} found no room");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_reads_again_is_given_up() {
    let (pool, upstream) = pool_of(deaf());
    upstream.ready(PATIENCE).await.unwrap();
    let large = format!(r#"{{"x":"{}"}}"#, "x".repeat(4096));
    let options = CallOptions { timeout: Some(Duration::from_secs(100)), ..CallOptions::default() };
    let error = upstream.call(call("t", &large), options).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "connection to `deaf` closed: the process stopped reading its standard input"
    );
    pool.shutdown().await;
}
