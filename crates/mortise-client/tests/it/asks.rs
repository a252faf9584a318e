//! What servers ask of us, by request and in rounds.

use std::sync::Arc;

use mortise_client::{AskFuture, CallError, CallOptions, FaultKind, Handlers, PoolOptions, ServerAsk};
use mortise_contract::RawJson;
use mortise_testkit::{ScriptedReply, answer};
use serde_json::{Value, json};

use crate::support::{call, modern, options, pool_with, raw_result, tool, with_tools};

/// Answers every ask with its own parameters.
fn echo() -> Arc<dyn mortise_client::AskHandler> {
    Arc::new(|ask: ServerAsk| -> AskFuture {
        Box::pin(async move {
            let params = ask.params.map_or_else(|| "null".to_owned(), |params| params.text().to_owned());
            Ok(RawJson::parse(&format!(r#"{{"asked":"{}","params":{params}}}"#, ask.method)).unwrap())
        })
    })
}

fn with(handlers: Handlers) -> PoolOptions {
    PoolOptions { handlers, ..options() }
}

/// A legacy server that asks `frame` during a call and gives our answer back as the result.
async fn answered(handlers: Handlers, frame: &'static str) -> (Value, Value) {
    let calling = std::sync::Mutex::new(None);
    let (config, received) = with_tools(json!([tool("t")]), move |request| {
        if request["method"] == "tools/call" {
            *calling.lock().unwrap() = Some(request.clone());
            return vec![ScriptedReply::line(frame)];
        }
        let call = calling.lock().unwrap().clone().unwrap();
        vec![answer(&call, json!({"content": [], "structuredContent": request}))]
    });
    let (pool, upstream) = pool_with(config, with(handlers));
    let outcome = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    pool.shutdown().await;
    let received = received.lock().unwrap();
    let initialize = received.iter().find(|request| request["method"] == "initialize").unwrap();
    let advertised = initialize["params"]["capabilities"].clone();
    (outcome.result.structured.unwrap().value().unwrap(), advertised)
}

#[tokio::test]
async fn a_handler_answers_and_is_advertised() {
    let frame =
        r#"{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"b":1.10,"a":[]}}"#;
    let (found, advertised) =
        answered(Handlers { sampling: Some(echo()), ..Handlers::default() }, frame).await;
    let result = json!({"asked": "sampling/createMessage", "params": {"b": 1.1, "a": []}});
    assert_eq!(found, json!({"jsonrpc": "2.0", "id": "s-1", "result": result}));
    assert_eq!(advertised, json!({"sampling": {}}));
}

#[tokio::test]
async fn elicitation_goes_to_the_handler_of_its_mode() {
    let form = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?"}}"#;
    let url = r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url"}}"#;
    let handlers = || Handlers { elicitation_form: Some(echo()), ..Handlers::default() };
    let (found, advertised) = answered(handlers(), form).await;
    assert_eq!(found["result"]["asked"], "elicitation/create");
    assert_eq!(advertised, json!({"elicitation": {"form": {}}}));
    let (found, _) = answered(handlers(), url).await;
    let message =
        "this client did not advertise elicitation by URL, so it does not answer `elicitation/create`";
    assert_eq!(found["error"], json!({"code": -32601, "message": message}));
}

#[tokio::test]
async fn what_nobody_answers_is_refused_with_the_reason() {
    for (method, reason) in [
        (
            "sampling/createMessage",
            "this client did not advertise sampling, so it does not answer `sampling/createMessage`",
        ),
        ("roots/list", "this client did not advertise roots, so it does not answer `roots/list`"),
        ("tasks/list", "the method `tasks/list` is not known here"),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}"}}"#);
        let (found, advertised) = answered(Handlers::default(), frame.leak()).await;
        assert_eq!(found, json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": reason}}));
        assert_eq!(advertised, json!({}));
    }
}

#[tokio::test]
async fn a_ping_is_answered() {
    let (found, _) = answered(Handlers::default(), r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#).await;
    assert_eq!(found, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
}

#[tokio::test]
async fn a_withdrawn_ask_gets_no_answer() {
    let never: Arc<dyn mortise_client::AskHandler> =
        Arc::new(|_: ServerAsk| -> AskFuture { Box::pin(std::future::pending()) });
    let (config, received) = with_tools(json!([tool("t")]), |request| match request["method"].as_str() {
        Some("tools/call") => vec![
            ScriptedReply::line(r#"{"jsonrpc":"2.0","id":5,"method":"roots/list"}"#),
            ScriptedReply::line(
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#,
            ),
            answer(request, json!({"content": []})),
        ],
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_with(config, with(Handlers { roots: Some(never), ..Handlers::default() }));
    for _ in 0..3 {
        upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    }
    pool.shutdown().await;
    let received = received.lock().unwrap();
    assert!(received.iter().all(|frame| frame.get("method").is_some()), "{received:?}");
}

/// Calls a tool of a modern server whose answers the closure makes from the parameters of a round.
async fn rounds(
    handlers: Handlers,
    script: impl Fn(&Value) -> Value + Send + Sync + 'static,
) -> (Result<Value, CallError>, Vec<Value>) {
    let (config, received) = modern(json!({"tools": {}}), move |request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")], "resultType": "complete"}))],
        Some("tools/call") => vec![answer(request, script(&request["params"]))],
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_with(config, with(handlers));
    let called = upstream.call(call("t", r#"{"x":1.50}"#), CallOptions::default()).await;
    pool.shutdown().await;
    let received = received.lock().unwrap();
    let calls = received.iter().filter(|request| request["method"] == "tools/call").cloned().collect();
    (called.map(|outcome| outcome.result.raw.value().unwrap()), calls)
}

#[tokio::test]
async fn input_is_given_in_rounds_until_there_is_a_result() {
    let handlers = Handlers { elicitation_form: Some(echo()), roots: Some(echo()), ..Handlers::default() };
    let (result, calls) = rounds(handlers, |params| match params.get("inputResponses") {
        None => json!({
            "resultType": "input_required",
            "inputRequests": {
                "who": {"method": "elicitation/create", "params": {"message": "?"}},
                "where": {"method": "roots/list"},
            },
            "requestState": "sealed\u{1}\u{1F600} state",
        }),
        Some(responses) => json!({
            "content": [], "resultType": "complete",
            "structuredContent": {"responses": responses, "state": params["requestState"]},
        }),
    })
    .await;
    let expected = json!({
        "responses": {
            "who": {"asked": "elicitation/create", "params": {"message": "?"}},
            "where": {"asked": "roots/list", "params": null},
        },
        "state": "sealed\u{1}\u{1F600} state",
    });
    assert_eq!(result.unwrap()["structuredContent"], expected);
    assert_eq!(calls.len(), 2);
    assert_ne!(calls[0]["id"], calls[1]["id"]);
    assert_eq!(calls[1]["params"]["arguments"], json!({"x": 1.5}));
    assert_eq!(
        calls[0]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        json!({
            "elicitation": {"form": {}}, "roots": {}, "extensions": {"io.modelcontextprotocol/tasks": {}},
        })
    );
}

#[tokio::test]
async fn state_alone_is_sent_back_too() {
    let (result, calls) = rounds(Handlers::default(), |params| match params.get("requestState") {
        None => json!({"resultType": "input_required", "requestState": "later"}),
        Some(_) => json!({"content": [], "resultType": "complete"}),
    })
    .await;
    result.unwrap();
    assert_eq!(calls[1]["params"]["requestState"], "later");
    assert_eq!(calls[1]["params"].get("inputResponses"), None);
}

#[tokio::test]
async fn input_that_nobody_can_give_is_an_error_that_says_so() {
    let (result, calls) = rounds(Handlers::default(), |_| {
        json!({"resultType": "input_required", "inputRequests": {"a": {"method": "sampling/createMessage"}}})
    })
    .await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "`t` on server `scripted` needs input: `sampling/createMessage`: this client did not advertise sampling, \
         so it does not answer `sampling/createMessage`"
    );
    assert_eq!(calls.len(), 1);
}

#[tokio::test]
async fn ten_rounds_are_given_and_no_more() {
    let (result, calls) =
        rounds(Handlers::default(), |_| json!({"resultType": "input_required", "requestState": "again"}))
            .await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "`t` on server `scripted` needs input: it asked 10 times and did not come to an end"
    );
    assert_eq!(calls.len(), 11);
}

#[tokio::test]
async fn a_result_of_another_type_is_not_taken_for_a_result() {
    let (result, _) = rounds(Handlers::default(), |_| json!({"resultType": "partial"})).await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "the answer to `t` on server `scripted` breaks the protocol: a result of type `partial` was not asked for"
    );
}

#[tokio::test]
async fn a_modern_server_may_not_send_requests() {
    let (config, received) = modern(json!({"tools": {}}), |request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")]}))],
        Some("tools/call") => {
            let mut replies = vec![ScriptedReply::line(r#"{"jsonrpc":"2.0","id":5,"method":"roots/list"}"#)];
            replies.extend(raw_result(request, r#"{"content":[]}"#));
            replies
        }
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_with(config, with(Handlers { roots: Some(echo()), ..Handlers::default() }));
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    assert!(upstream.fault_counts()[&FaultKind::UnexpectedRequest] >= 1);
    pool.shutdown().await;
    let received = received.lock().unwrap();
    let refusal = received.iter().find(|frame| frame["id"] == 5).unwrap();
    assert_eq!(refusal["error"]["code"], -32601);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused_counted_and_goes_no_further() {
    let asked = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = asked.clone();
    let counting: Arc<dyn mortise_client::AskHandler> = Arc::new(move |_: ServerAsk| -> AskFuture {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Box::pin(async { Ok(RawJson::parse("{}").unwrap()) })
    });
    let calling = std::sync::Mutex::new(None);
    let (config, _) = with_tools(json!([tool("t")]), move |request| {
        if request["method"] == "tools/call" {
            *calling.lock().unwrap() = Some(request.clone());
            let params = json!({ "message": "x".repeat(mortise_client::limits::ASK_BYTES) });
            let ask = json!({ "jsonrpc": "2.0", "id": 4, "method": "elicitation/create", "params": params });
            return vec![ScriptedReply::Frame(ask)];
        }
        let call = calling.lock().unwrap().clone().unwrap();
        vec![answer(&call, json!({ "content": [], "structuredContent": request }))]
    });
    let handlers = Handlers { elicitation_form: Some(counting), ..Handlers::default() };
    let (pool, upstream) = pool_with(config, with(handlers));
    let outcome = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap();
    let found = outcome.result.structured.unwrap().value().unwrap();
    assert_eq!(found["id"], 4);
    let message = found["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(" bytes; at most 262144 are taken"), "{message}");
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 0);
    assert_eq!(upstream.fault_counts().get(&FaultKind::TooLarge), Some(&1));
    pool.shutdown().await;
}
