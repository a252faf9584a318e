//! Which call a server's question or log message belongs to, and who gets it.

use std::sync::{Arc, Mutex};

use mortise_client::server_config::{HttpConfig, ServerConfig, Transport};
use mortise_client::{
    AskFuture, AskHandler, CallListener, CallOptions, Handlers, LogMessage, PoolOptions, ServerAsk,
    ServerEvent,
};
use mortise_contract::RawJson;
use mortise_testkit::{HttpReply, ScriptedHttp, ScriptedReply, answer};
use serde_json::{Value, json};

use crate::support::{PATIENCE, call, modern, name, options, pool_with, tool, with_tools};

/// Answers every question with its own name and keeps what it hears.
#[derive(Debug)]
struct Listener {
    name: &'static str,
    heard: Mutex<Vec<String>>,
}

impl Listener {
    fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self { name, heard: Mutex::default() })
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

impl CallListener for Listener {
    fn ask(&self, _ask: ServerAsk) -> AskFuture {
        let text = json!({ "asked": self.name }).to_string();
        Box::pin(async move { Ok(RawJson::parse(&text).unwrap()) })
    }

    fn log(&self, message: LogMessage) {
        self.heard.lock().unwrap().push(message.data.text().to_owned());
    }
}

fn heard_by(listener: &Arc<Listener>) -> CallOptions {
    CallOptions { listener: Some(listener.clone()), ..CallOptions::default() }
}

/// A pool whose own handler answers what belongs to no call.
fn pool() -> PoolOptions {
    let handler: Arc<dyn AskHandler> = Arc::new(|_: ServerAsk| -> AskFuture {
        Box::pin(async { Ok(RawJson::parse(r#"{"asked":"the pool"}"#).unwrap()) })
    });
    options_with(handler)
}

fn options_with(roots: Arc<dyn AskHandler>) -> PoolOptions {
    PoolOptions { handlers: Handlers { roots: Some(roots), ..Handlers::default() }, ..options() }
}

fn log(data: &str, meta: Value) -> Value {
    let params = json!({ "level": "info", "data": data, "_meta": meta });
    json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params })
}

fn roots(id: &str, meta: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list", "params": { "_meta": meta } })
}

fn token(call: &Value) -> Value {
    json!({ "progressToken": call["params"]["_meta"]["progressToken"] })
}

#[tokio::test]
async fn what_repeats_a_calls_token_goes_to_that_calls_listener() {
    // The first call waits until the second is there; what is said then names the first, or none.
    let calls = Mutex::new(Vec::new());
    let (config, _) = with_tools(json!([tool("t")]), move |request| {
        let mut calls = calls.lock().unwrap();
        if request["method"] == "tools/call" {
            calls.push(request.clone());
            let [first, _] = calls.as_slice() else { return Vec::new() };
            let first = token(first);
            return vec![
                ScriptedReply::Frame(log("of the first", first.clone())),
                ScriptedReply::Frame(log("of none", json!({}))),
                ScriptedReply::Frame(roots("linked", first)),
                ScriptedReply::Frame(roots("open", json!({}))),
            ];
        }
        // Two answers to questions: each ends a call.
        let call = if request["id"] == "linked" { &calls[0] } else { &calls[1] };
        vec![answer(call, json!({ "content": [], "structuredContent": request["result"] }))]
    });
    let (pool, upstream) = pool_with(config, pool());
    upstream.ready(PATIENCE).await.unwrap();
    let mut events = upstream.events();
    let (first, second) = (Listener::new("first"), Listener::new("second"));
    let (one, two) = tokio::join!(
        upstream.call(call("t", "{}"), heard_by(&first)),
        upstream.call(call("t", "{}"), heard_by(&second)),
    );
    let result = |outcome: mortise_contract::ToolOutcome| outcome.result.structured.unwrap().value().unwrap();
    assert_eq!(result(one.unwrap()), json!({ "asked": "first" }));
    assert_eq!(result(two.unwrap()), json!({ "asked": "the pool" }));
    assert_eq!((first.heard(), second.heard()), (vec![r#""of the first""#.to_owned()], Vec::new()));
    let ServerEvent::Log(open) = events.recv().await.unwrap() else { panic!("a log message") };
    assert_eq!(open.data.text(), r#""of none""#);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_token_can_not_be_guessed_and_is_compared_by_type() {
    let (config, received) = with_tools(json!([tool("t")]), |request| {
        if request["method"] != "tools/call" {
            return Vec::new();
        }
        let id = &request["id"];
        let own = request["params"]["_meta"]["progressToken"].as_str().unwrap_or_default();
        let guesses = [
            id.clone(),
            json!(id.to_string()),
            json!(format!("{id}-")),
            json!(format!("{id}-{}", "0".repeat(32))),
            json!(own.to_uppercase() + "x"),
            json!([own]),
        ];
        let guesses =
            guesses.map(|guess| ScriptedReply::Frame(log("guessed", json!({ "progressToken": guess }))));
        let known = ScriptedReply::Frame(log("known", token(request)));
        guesses.into_iter().chain([known, answer(request, json!({ "content": [] }))]).collect()
    });
    let (pool, upstream) = pool_with(config, pool());
    let listener = Listener::new("own");
    for _ in 0..2 {
        upstream.call(call("t", "{}"), heard_by(&listener)).await.unwrap();
    }
    assert_eq!(listener.heard(), [r#""known""#, r#""known""#]);
    let received = received.lock().unwrap().clone();
    let tokens: Vec<&str> = received
        .iter()
        .filter_map(|request| request["params"]["_meta"]["progressToken"].as_str())
        .map(|token| token.split_once('-').unwrap().1)
        .collect();
    let [first, second] = tokens.as_slice() else { panic!("two tokens: {tokens:?}") };
    assert_eq!((first.len(), second.len()), (32, 32), "128 bits each");
    assert_ne!(first, second, "knowing one does not help with the next");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_question_ends_with_its_call() {
    /// Says when its question was dropped.
    #[derive(Debug)]
    struct Never(Mutex<Option<tokio::sync::oneshot::Sender<()>>>);
    impl CallListener for Never {
        fn ask(&self, _ask: ServerAsk) -> AskFuture {
            let held = self.0.lock().unwrap().take();
            Box::pin(async move {
                let _held = held;
                std::future::pending().await
            })
        }
        fn log(&self, _message: LogMessage) {}
    }
    let (told, mut was_told) = tokio::sync::mpsc::unbounded_channel();
    let (config, _) = with_tools(json!([tool("t")]), move |request| {
        if request["method"] == "tools/call" {
            return vec![
                ScriptedReply::Frame(roots("r", token(request))),
                answer(request, json!({ "content": [] })),
            ];
        }
        let _ = told.send(request["error"]["message"].clone());
        Vec::new()
    });
    let (pool, upstream) = pool_with(config, pool());
    let (held, dropped) = tokio::sync::oneshot::channel();
    let listener: Arc<dyn CallListener> = Arc::new(Never(Mutex::new(Some(held))));
    let options = CallOptions { listener: Some(listener), ..CallOptions::default() };
    upstream.call(call("t", "{}"), options).await.unwrap();
    let ended = async { (was_told.recv().await, dropped.await) };
    let (message, dropped) = tokio::time::timeout(PATIENCE, ended).await.expect("the question ends");
    assert_eq!(message.unwrap(), "the call that this request belongs to has ended");
    assert!(dropped.is_err());
    pool.shutdown().await;
}

#[tokio::test]
async fn the_input_that_a_result_asks_for_is_given_by_the_calls_listener() {
    let (config, _) = modern(json!({ "tools": {} }), |request| match request["method"].as_str() {
        Some("tools/list") => {
            vec![answer(request, json!({ "tools": [tool("t")], "resultType": "complete" }))]
        }
        Some("tools/call") => match request["params"].get("inputResponses") {
            None => {
                let requests = json!({ "r": { "method": "roots/list" } });
                vec![answer(request, json!({ "resultType": "input_required", "inputRequests": requests }))]
            }
            Some(given) => {
                let result = json!({ "resultType": "complete", "content": [], "structuredContent": given });
                vec![answer(request, result)]
            }
        },
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_with(config, pool());
    let listener = Listener::new("own");
    let outcome = upstream.call(call("t", "{}"), heard_by(&listener)).await.unwrap();
    let given = outcome.result.structured.unwrap().value().unwrap();
    assert_eq!(given, json!({ "r": { "asked": "own" } }));
    pool.shutdown().await;
}

#[tokio::test]
async fn what_comes_on_a_calls_http_stream_belongs_to_it_also_where_the_stream_is_resumed() {
    let calling = Mutex::new(Value::Null);
    let server = ScriptedHttp::start(move |request| {
        let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let mut calling = calling.lock().unwrap();
        let result = |message: &Value, result: Value| {
            HttpReply::json(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
        };
        match (request.method(), message["method"].as_str()) {
            (_, Some("server/discover")) => HttpReply::status(404),
            (_, Some("initialize")) => {
                let answer = json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} } });
                result(&message, answer).with("mcp-session-id", "s")
            }
            (_, Some("tools/list")) => result(&message, json!({ "tools": [tool("t")] })),
            (_, Some("tools/call")) => {
                *calling = message.clone();
                let body = format!("id: e1\nretry: 1\ndata: {}\n\n", log("at first", json!({})));
                HttpReply::status(200).with("content-type", "text/event-stream").body(body)
            }
            ("GET", _) if request.header("last-event-id") == Some("e1") => {
                let done = json!({ "jsonrpc": "2.0", "id": calling["id"], "result": { "content": [] } });
                HttpReply::sse(&[log("resumed", json!({})), done])
            }
            ("GET", _) => HttpReply::status(405),
            _ => HttpReply::status(202),
        }
    })
    .await
    .unwrap();
    let config = ServerConfig::new(name("h"), Transport::Http(HttpConfig::new(server.url("/mcp"))));
    let (pool, upstream) = pool_with(config, pool());
    let listener = Listener::new("own");
    upstream.call(call("t", "{}"), heard_by(&listener)).await.unwrap();
    assert_eq!(listener.heard(), [r#""at first""#, r#""resumed""#]);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_note_stands_for_what_is_too_large_in_a_notification() {
    let large = "x".repeat(mortise_client::limits::NOTIFICATION_BYTES);
    let (config, _) = with_tools(json!([tool("t")]), move |request| {
        let meta = token(request);
        let mut message = log(&large, json!({}));
        message["params"]["logger"] = json!("db");
        let report = json!({ "progressToken": meta["progressToken"], "progress": 1, "message": large });
        let updated = json!({ "uri": large });
        let notification = |method: &str, params: &Value| {
            ScriptedReply::Frame(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
        };
        vec![
            ScriptedReply::Frame(log(&large, meta)),
            ScriptedReply::Frame(message),
            notification("notifications/progress", &report),
            notification("notifications/resources/updated", &updated),
            notification("notifications/other", &updated),
            answer(request, json!({ "content": [] })),
        ]
    });
    let (pool, upstream) = pool_with(config, pool());
    upstream.ready(PATIENCE).await.unwrap();
    let mut events = upstream.events();
    let listener = Listener::new("first");
    let (progress, mut reports) = tokio::sync::mpsc::channel(8);
    let options = CallOptions { progress: Some(progress), ..heard_by(&listener) };
    upstream.call(call("t", "{}"), options).await.unwrap();
    let is_note = |text: &str| text.len() < 100 && text.contains(" bytes were left out: ");
    let heard = listener.heard();
    assert!(heard.len() == 1 && is_note(&heard[0]), "{} heard", heard.len());
    assert!(is_note(&reports.recv().await.unwrap().message.unwrap()));
    let mut seen = Vec::new();
    while seen.len() < 3 {
        match events.recv().await.unwrap() {
            ServerEvent::Log(open) => {
                assert!(is_note(open.data.text()));
                assert_eq!((open.level.as_str(), open.logger.as_deref()), ("info", Some("db")));
                seen.push("log");
            }
            ServerEvent::Fault(fault) => seen.push(fault.kind.label()),
            ServerEvent::Other { params, .. } => {
                assert!(is_note(params.unwrap().text()));
                seen.push("other");
            }
            ServerEvent::ResourceUpdated { .. } => panic!("a part of an address is another address"),
            _ => {}
        }
    }
    assert_eq!(seen, ["log", "too_large", "other"]);
    pool.shutdown().await;
}
