//! Calls that are answered with tasks.

use std::time::Duration;

use mortise_server::limits::{
    TASK_BYTES_PER_CLIENT, TASK_KEPT, TASK_RESULT_KEPT, TASK_TIME, TASKS_PER_CLIENT,
};
use mortise_server::{
    Answer, InputRequest, InputRequired, ProtocolError, Reply, Server, Tool, ToolError, Tools,
};
use mortise_testkit::{PeerError, RawPeer, with_meta};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::sample::{connect, server};

/// Long enough for a task.
const LONG: Duration = Duration::from_secs(2);
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn with_capabilities(mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = json!({ "io.modelcontextprotocol/clientCapabilities": capabilities });
    with_meta(params)
}

/// A request of a client that takes tasks and can be asked.
async fn able(peer: &mut RawPeer, method: &str, params: Value) -> Result<Value, PeerError> {
    let capabilities = json!({ "extensions": { EXTENSION: {} }, "elicitation": {}, "roots": {} });
    let mut answer = peer.request(method, with_capabilities(params, &capabilities)).await?;
    Ok(if answer["error"].is_null() { answer["result"].take() } else { answer["error"].take() })
}

async fn call(peer: &mut RawPeer, tool: &str) -> Result<Value, PeerError> {
    able(peer, "tools/call", json!({ "name": tool })).await
}

async fn get(peer: &mut RawPeer, created: &Value) -> Result<Value, PeerError> {
    able(peer, "tasks/get", json!({ "taskId": created["taskId"] })).await
}

/// Asks at the pace that the server names until the task has this status.
async fn until(peer: &mut RawPeer, created: &Value, status: &str) -> Result<Value, PeerError> {
    loop {
        let task = get(peer, created).await?;
        if task["status"] == status || task["status"].is_null() {
            return Ok(task);
        }
        tokio::time::sleep(Duration::from_millis(task["pollIntervalMs"].as_u64().unwrap())).await;
    }
}

fn only(tool: Tool) -> Server {
    server(Tools::new([tool]).unwrap())
}

/// A tool that takes two seconds and then answers with this.
fn slow(reply: impl Fn() -> Result<Reply, ToolError> + Send + Sync + Clone + 'static) -> Tool {
    Tool::raw("slow").may_take_long().handler(move |_, context| {
        let reply = reply.clone();
        async move {
            context.progress(3.0, Some(10.0), None);
            tokio::time::sleep(LONG).await;
            reply()
        }
    })
}

fn exact() -> Result<Reply, ToolError> {
    let text = mortise_contract::RawJson::parse(r#"{"n":1.10}"#).unwrap();
    Ok(Answer::structured_raw(text).into())
}

/// A tool that waits to be cancelled and says so.
fn endless() -> (Tool, mpsc::UnboundedReceiver<&'static str>) {
    let (say, heard) = mpsc::unbounded_channel();
    let tool = Tool::raw("endless").may_take_long().handler(move |_, context| {
        let say = say.clone();
        async move {
            let _ = say.send("began");
            context.cancellation().cancelled().await;
            let _ = say.send("cancelled");
            Ok(Answer::text("too late"))
        }
    });
    (tool, heard)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_long_is_answered_with_a_task_that_keeps_its_result() -> Result<(), PeerError> {
    let mut peer = connect(&only(slow(exact)));
    let created = call(&mut peer, "slow").await?;
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")));
    assert_eq!(created["taskId"].as_str().unwrap().len(), 32);
    assert_eq!(created["ttlMs"], json!(TASK_KEPT.as_millis()));
    assert!(created["createdAt"].as_str().unwrap().ends_with('Z') && created["lastUpdatedAt"].is_string());
    assert!(created["pollIntervalMs"].as_u64().unwrap() >= 250);
    for absent in ["result", "error", "inputRequests", "requestState", "ttl", "task"] {
        assert!(created.get(absent).is_none(), "{absent}");
    }
    let working = get(&mut peer, &created).await?;
    assert_eq!((&working["resultType"], &working["status"]), (&json!("complete"), &json!("working")));

    let id = peer
        .start(
            "tasks/get",
            with_capabilities(
                json!({ "taskId": created["taskId"] }),
                &json!({ "extensions": { EXTENSION: {} } }),
            ),
        )
        .await?;
    peer.response(id).await?;
    let done = until(&mut peer, &created, "completed").await?;
    assert_eq!(done["taskId"], created["taskId"]);
    assert_eq!(done["result"]["structuredContent"].to_string(), r#"{"n":1.1}"#);
    assert_eq!(done["result"]["content"][0]["text"], r#"{"n":1.10}"#);
    assert_eq!(done["result"]["resultType"], "complete");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_soon_is_answered_as_usual() -> Result<(), PeerError> {
    let quick = Tool::raw("quick").may_take_long().handler(|_, _| async { Ok(Answer::text("done")) });
    let mut peer = connect(&only(quick));
    let answer = call(&mut peer, "quick").await?;
    assert_eq!((&answer["resultType"], &answer["content"][0]["text"]), (&json!("complete"), &json!("done")));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_tool_decides_how_long_a_client_waits_for_its_result() -> Result<(), PeerError> {
    let mut peer = connect(&only(slow(exact).task_after(Duration::from_secs(3))));
    assert_eq!(call(&mut peer, "slow").await?["resultType"], "complete");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn clients_without_tasks_wait_for_the_result() -> Result<(), PeerError> {
    let server = only(slow(exact));
    let mut modern = connect(&server);
    let answer = modern.modern("tools/call", json!({ "name": "slow" })).await?;
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"n":1.10}"#);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let refused = modern.modern(method, json!({ "taskId": "t", "inputResponses": {} })).await?;
        assert_eq!(refused["error"]["code"], -32021, "{method}");
    }

    let mut legacy = connect(&server);
    legacy.initialize_as("2025-11-25", json!({ "extensions": { EXTENSION: {} } })).await?;
    let answer = legacy.request("tools/call", json!({ "name": "slow" })).await?;
    assert_eq!(answer["result"]["content"][0]["text"], r#"{"n":1.10}"#);
    let refused = legacy.request("tasks/get", json!({ "taskId": "t" })).await?;
    assert_eq!(refused["error"]["code"], -32601);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_tool_may_need_tasks() -> Result<(), PeerError> {
    let mut peer = connect(&only(slow(exact).needs_tasks()));
    let refused = peer.modern("tools/call", json!({ "name": "slow" })).await?;
    assert_eq!(refused["error"]["code"], -32021);
    assert_eq!(refused["error"]["data"]["requiredCapabilities"], json!({ "extensions": { EXTENSION: {} } }));
    assert_eq!(call(&mut peer, "slow").await?["resultType"], "task");
    Ok(())
}

#[tokio::test]
async fn the_extension_is_declared_where_a_tool_may_take_long() -> Result<(), PeerError> {
    let plain = Tool::raw("plain").handler(|_, _| async { Ok(Answer::text("done")) });
    for (tool, declared) in [(plain, Value::Null), (slow(exact), json!({ EXTENSION: {} }))] {
        let found = connect(&only(tool)).modern("server/discover", Value::Null).await?;
        assert_eq!(found["result"]["capabilities"]["extensions"], declared);
        assert!(found["result"]["capabilities"].get("tasks").is_none());
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_last_progress_is_the_message_of_the_status() -> Result<(), PeerError> {
    let tool = Tool::raw("steps").may_take_long().handler(|_, context| async move {
        for step in 1..=3 {
            let message = format!("step {step}");
            context.progress(f64::from(step), Some(3.0), (step > 1).then_some(message.as_str()));
            tokio::time::sleep(LONG).await;
        }
        Ok(Answer::text("done"))
    });
    let mut peer = connect(&only(tool));
    let created = call(&mut peer, "steps").await?;
    let mut seen = Vec::new();
    loop {
        let task = get(&mut peer, &created).await?;
        if task["status"] == "completed" {
            break;
        }
        let message = task["statusMessage"].as_str().map(str::to_owned);
        seen.extend(message.filter(|message| seen.last() != Some(message)));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(seen, ["1 of 3", "step 2", "step 3"]);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_tool_error_completes_a_task_and_a_protocol_error_fails_it() -> Result<(), PeerError> {
    let mut peer = connect(&only(slow(|| Err(ToolError::new("no luck")))));
    let created = call(&mut peer, "slow").await?;
    let done = until(&mut peer, &created, "completed").await?;
    assert_eq!(
        (&done["result"]["isError"], &done["result"]["content"][0]["text"]),
        (&json!(true), &json!("no luck"))
    );

    let mut peer = connect(&only(slow(|| Ok(ProtocolError::new(-32603, "broke").into()))));
    let created = call(&mut peer, "slow").await?;
    let failed = until(&mut peer, &created, "failed").await?;
    assert_eq!(failed["error"], json!({ "code": -32603, "message": "broke" }));
    assert!(failed.get("result").is_none());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_task_stops_its_handler_and_stays_cancelled() -> Result<(), PeerError> {
    let (tool, mut heard) = endless();
    let mut peer = connect(&only(tool));
    let created = call(&mut peer, "endless").await?;
    assert_eq!(heard.recv().await, Some("began"));
    for _ in 0..2 {
        let mut answer = able(&mut peer, "tasks/cancel", json!({ "taskId": created["taskId"] })).await?;
        answer.as_object_mut().unwrap().remove("_meta");
        assert_eq!(answer, json!({ "resultType": "complete" }));
    }
    assert_eq!(get(&mut peer, &created).await?["status"], "cancelled");
    assert_eq!(heard.recv().await, Some("cancelled"));
    tokio::time::sleep(LONG).await;
    assert_eq!(get(&mut peer, &created).await?["status"], "cancelled");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_task_is_seen_by_its_own_client_only() -> Result<(), PeerError> {
    let server = only(slow(exact));
    let (mut own, mut other) = (connect(&server), connect(&server));
    let created = call(&mut own, "slow").await?;
    let mut refusals = Vec::new();
    for id in [&created["taskId"], &json!("invented")] {
        for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
            refusals.push(able(&mut other, method, json!({ "taskId": id, "inputResponses": {} })).await?);
        }
    }
    assert!(refusals.iter().all(|refusal| *refusal == refusals[0]), "{refusals:?}");
    assert_eq!(refusals[0]["code"], -32602);
    assert_eq!(until(&mut own, &created, "completed").await?["status"], "completed");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_task_asks_its_client_and_goes_on_with_the_answers() -> Result<(), PeerError> {
    let tool = Tool::raw("pairs").may_take_long().handler(|_, context| async move {
        let (one, two) =
            tokio::join!(context.ask(InputRequest::list_roots()), context.ask(InputRequest::list_roots()));
        let three = context.ask(InputRequest::list_roots()).await;
        Ok(Answer::text(format!("{} {} {}", one?["roots"], two?["roots"], three?["roots"])))
    });
    let mut peer = connect(&only(tool));
    let created = call(&mut peer, "pairs").await?;
    let asked = until(&mut peer, &created, "input_required").await?;
    let question = json!({ "method": "roots/list" });
    assert_eq!(asked["inputRequests"], json!({ "input_1": question, "input_2": question }));
    let update = |key: &str, roots: Value| json!({ "taskId": created["taskId"], "inputResponses": { key: { "roots": roots }, "unknown": {} } });
    let mut answer = able(&mut peer, "tasks/update", update("input_2", json!(["b"]))).await?;
    answer.as_object_mut().unwrap().remove("_meta");
    assert_eq!(answer, json!({ "resultType": "complete" }));
    let asked = get(&mut peer, &created).await?;
    assert_eq!(asked["inputRequests"], json!({ "input_1": question }));
    able(&mut peer, "tasks/update", update("input_1", json!(["a"]))).await?;
    let asked = until(&mut peer, &created, "input_required").await?;
    assert_eq!(asked["inputRequests"], json!({ "input_3": question }), "a key is never used twice");
    able(&mut peer, "tasks/update", update("input_3", json!(["c"]))).await?;
    let done = until(&mut peer, &created, "completed").await?;
    assert_eq!(done["result"]["content"][0]["text"], r#"["a"] ["b"] ["c"]"#);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_asks_does_so_before_the_task_or_within_it() -> Result<(), PeerError> {
    let tool = Tool::raw("asks").input_schema(json!({ "type": "object" })).may_take_long().handler(
        |_, context| async move {
            let is_slow = context.arguments().contains_key("slow");
            let Some(answer) = context.answer("roots") else {
                tokio::time::sleep(if is_slow { LONG } else { Duration::ZERO }).await;
                let input = InputRequired::new().ask("roots", InputRequest::list_roots()).state(json!("s"));
                return Ok(Reply::from(input));
            };
            assert_eq!(context.state(), Some(&json!("s")));
            let text = answer["roots"].to_string();
            tokio::time::sleep(LONG).await;
            Ok(Answer::text(text).into())
        },
    );
    let mut peer = connect(&only(tool));
    let roots = json!({ "roots": ["a"] });
    let asked = call(&mut peer, "asks").await?;
    assert_eq!(asked["resultType"], "input_required");
    let again = json!({ "name": "asks", "requestState": asked["requestState"], "inputResponses": { "roots": roots } });
    let created = able(&mut peer, "tools/call", again).await?;
    assert_eq!((&created["resultType"], created.get("requestState")), (&json!("task"), None));
    let done = until(&mut peer, &created, "completed").await?;
    assert_eq!(done["result"]["content"][0]["text"], r#"["a"]"#);

    let slow = json!({ "name": "asks", "arguments": { "slow": true } });
    let created = able(&mut peer, "tools/call", slow).await?;
    let asked = until(&mut peer, &created, "input_required").await?;
    assert_eq!(asked["inputRequests"], json!({ "input_1": { "method": "roots/list" } }));
    let update = json!({ "taskId": created["taskId"], "inputResponses": { "input_1": roots } });
    able(&mut peer, "tasks/update", update).await?;
    let done = until(&mut peer, &created, "completed").await?;
    assert_eq!(done["result"]["content"][0]["text"], r#"["a"]"#);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_task_that_its_client_forgets_is_stopped_and_dropped() -> Result<(), PeerError> {
    let (tool, mut heard) = endless();
    let mut peer = connect(&only(tool));
    let created = call(&mut peer, "endless").await?;
    tokio::time::sleep(TASK_KEPT - Duration::from_secs(1)).await;
    let working = get(&mut peer, &created).await?;
    assert_eq!(working["ttlMs"].as_u64().unwrap() / 1000, TASK_KEPT.as_secs() * 2 - 1, "asking extends it");
    let before = Instant::now();
    assert_eq!((heard.recv().await, heard.recv().await), (Some("began"), Some("cancelled")));
    assert_eq!(before.elapsed().as_secs(), TASK_KEPT.as_secs());
    assert_eq!(get(&mut peer, &created).await?["code"], -32602);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_result_that_was_read_is_kept_for_another_minute() -> Result<(), PeerError> {
    let mut peer = connect(&only(slow(exact)));
    let created = call(&mut peer, "slow").await?;
    until(&mut peer, &created, "completed").await?;
    tokio::time::sleep(TASK_RESULT_KEPT - Duration::from_secs(1)).await;
    assert_eq!(get(&mut peer, &created).await?["status"], "completed");
    tokio::time::sleep(TASK_RESULT_KEPT + Duration::from_secs(1)).await;
    assert_eq!(get(&mut peer, &created).await?["code"], -32602);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_task_has_a_day() -> Result<(), PeerError> {
    let (tool, mut heard) = endless();
    let mut peer = connect(&only(tool));
    let created = call(&mut peer, "endless").await?;
    let begin = Instant::now();
    let failed = loop {
        tokio::time::sleep(TASK_KEPT / 2).await;
        let task = get(&mut peer, &created).await?;
        if task["status"] != "working" {
            break task;
        }
    };
    assert!(begin.elapsed() >= TASK_TIME && begin.elapsed() < TASK_TIME + TASK_KEPT);
    let message = "the task was ended after 24 hours; what it did until then is not undone";
    assert_eq!(failed["error"]["message"], message);
    assert_eq!((heard.recv().await, heard.recv().await), (Some("began"), Some("cancelled")));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_client_with_too_many_tasks_waits_for_its_result() -> Result<(), PeerError> {
    let (tool, _heard) = endless();
    let server = server(Tools::new([tool, slow(exact)]).unwrap());
    let mut peer = connect(&server);
    for _ in 0..TASKS_PER_CLIENT {
        assert_eq!(call(&mut peer, "endless").await?["resultType"], "task");
    }
    assert_eq!(call(&mut peer, "slow").await?["resultType"], "complete");
    // Another client has a number of its own.
    assert_eq!(call(&mut connect(&server), "slow").await?["resultType"], "task");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_result_for_which_there_is_no_room_fails_its_task() -> Result<(), PeerError> {
    let large = || Ok(Answer::text("x".repeat(TASK_BYTES_PER_CLIENT / 2)).into());
    let mut peer = connect(&only(slow(large)));
    call(&mut peer, "slow").await?;
    tokio::time::sleep(LONG * 2).await;
    let second = call(&mut peer, "slow").await?;
    let failed = until(&mut peer, &second, "failed").await?;
    let message = failed["error"]["message"].as_str().unwrap();
    assert!(message.contains("results of this client's tasks already hold 33554"), "{message}");
    assert!(message.ends_with("of at most 67108864 bytes; ask for less"), "{message}");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_ends_its_tasks() -> Result<(), PeerError> {
    let (tool, mut heard) = endless();
    let mut peer = connect(&only(tool));
    call(&mut peer, "endless").await?;
    drop(peer);
    let before = Instant::now();
    assert_eq!((heard.recv().await, heard.recv().await), (Some("began"), Some("cancelled")));
    assert!(before.elapsed() < TASK_KEPT);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_ends_its_tasks() -> Result<(), PeerError> {
    let (tool, mut heard) = endless();
    let stop = CancellationToken::new();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let stopped = stop.clone().cancelled_owned();
    tokio::spawn(async move { only(tool).serve(reader, writer, stopped).await });
    let mut peer = RawPeer::over(ours);
    call(&mut peer, "endless").await?;
    stop.cancel();
    let before = Instant::now();
    assert_eq!((heard.recv().await, heard.recv().await), (Some("began"), Some("cancelled")));
    assert!(before.elapsed() < TASK_KEPT);
    Ok(())
}
