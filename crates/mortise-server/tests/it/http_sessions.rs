//! Sessions, streams and the end over HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use mortise_server::{Answer, Tool, Tools};
use mortise_testkit::http::{post, send};
use mortise_testkit::{LEGACY_VERSION, MODERN_VERSION, PeerError, with_meta};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::http::{Running, response};
use crate::sample::{noop, server, tools};

/// An HTTP response whose events are read one by one.
struct Events(BufReader<TcpStream>);

impl Events {
    async fn open(address: SocketAddr, method: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let mut head = format!("{method} /mcp HTTP/1.1\r\nhost: {address}\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!(
            "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(head.as_bytes()).await.expect("room to write");
        Self(BufReader::new(stream))
    }

    /// A modern subscription.
    async fn listen(address: SocketAddr, id: i64, filter: Value) -> Self {
        let params = with_meta(json!({ "notifications": filter }));
        let message =
            json!({ "jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params });
        let headers = [("mcp-protocol-version", MODERN_VERSION), ("mcp-method", "subscriptions/listen")];
        Self::open(address, "POST", &headers, &message.to_string()).await
    }

    /// The stream of a session.
    async fn standalone(address: SocketAddr, session: &str) -> Self {
        let headers = [("mcp-session-id", session), ("mcp-protocol-version", LEGACY_VERSION)];
        Self::open(address, "GET", &headers, "").await
    }

    /// The next message; `None` at the end of the response.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(Duration::from_secs(60), self.0.read_line(&mut line)).await;
            if read.expect("an event in time").ok()? == 0 {
                return None;
            }
            if line == "0\r\n" {
                // The last chunk.
                return None;
            }
            if let Some(message) =
                line.strip_prefix("data:").and_then(|data| serde_json::from_str(data.trim()).ok())
            {
                return Some(message);
            }
        }
    }
}

#[tokio::test]
async fn a_session_hears_of_changes_on_its_stream() -> Result<(), PeerError> {
    let tools = Tools::new([noop("a")]).unwrap();
    let running = Running::start(&server(tools.clone()), |options| options).await;
    let session = running.initialize(json!({})).await?;
    let mut stream = Events::standalone(running.address, &session).await;
    // A round trip, so that the stream is open before the change.
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    running.legacy(&session, &list).await?;
    tools.add(noop("b")).unwrap();
    let told = stream.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
    Ok(())
}

#[tokio::test]
async fn subscriptions_hear_what_they_asked_for() {
    let tools = Tools::new([noop("a")]).unwrap();
    let running = Running::start(&server(tools.clone()), |options| options).await;
    let mut one = Events::listen(running.address, 1, json!({ "toolsListChanged": true })).await;
    let mut two = Events::listen(running.address, 2, json!({ "promptsListChanged": true })).await;
    for (stream, id) in [(&mut one, 1), (&mut two, 2)] {
        let first = stream.next().await.unwrap();
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    }
    tools.add(noop("b")).unwrap();
    let told = one.next().await.unwrap();
    assert_eq!(told["method"], "notifications/tools/list_changed");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
    // At the end each gets its result, and nothing in between.
    let stopped = running.stop();
    for (stream, id) in [(&mut one, 1), (&mut two, 2)] {
        let last = stream.next().await.unwrap();
        assert_eq!((&last["id"], last["result"].is_object()), (&json!(id), true));
        assert_eq!(stream.next().await, None);
    }
    stopped.await.unwrap();
}

/// A tool that tells when it starts and ends when it is told to.
fn gate() -> (Tools, mpsc::UnboundedReceiver<&'static str>, std::sync::Arc<tokio::sync::Notify>) {
    let (say, heard) = mpsc::unbounded_channel();
    let open = std::sync::Arc::new(tokio::sync::Notify::new());
    let opened = std::sync::Arc::clone(&open);
    let tool = Tool::raw("gate").handler(move |_, context| {
        let (say, opened) = (say.clone(), std::sync::Arc::clone(&opened));
        async move {
            let _ = say.send("started");
            tokio::select! {
                () = opened.notified() => Ok(Answer::text("through")),
                () = context.cancellation().cancelled() => {
                    let _ = say.send("cancelled");
                    Ok(Answer::text("too late"))
                }
            }
        }
    });
    (Tools::new([tool, noop("plain")]).unwrap(), heard, open)
}

fn gate_call(id: i64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "gate" } })
}

fn modern_gate_call() -> (String, [(&'static str, &'static str); 3]) {
    let params = with_meta(json!({ "name": "gate" }));
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let headers =
        [("mcp-protocol-version", MODERN_VERSION), ("mcp-method", "tools/call"), ("mcp-name", "gate")];
    (message.to_string(), headers)
}

#[tokio::test]
async fn leaving_cancels_a_modern_request() {
    let (tools, mut heard, _open) = gate();
    let running = Running::start(&server(tools), |options| options).await;
    let (message, headers) = modern_gate_call();
    let events = Events::open(running.address, "POST", &headers, &message).await;
    assert_eq!(heard.recv().await, Some("started"));
    drop(events);
    assert_eq!(heard.recv().await, Some("cancelled"));
}

#[tokio::test]
async fn the_end_of_a_session_is_told_to_its_calls() -> Result<(), PeerError> {
    let (say, mut heard) = mpsc::unbounded_channel();
    let tool = Tool::raw("waits").handler(move |_, context| {
        let say = say.clone();
        async move {
            let _ = say.send(context.session());
            // Not by being cancelled, which comes seconds later.
            tokio::select! {
                () = context.client_left().cancelled() => drop(say.send(Some(0))),
                () = context.cancellation().cancelled() => drop(say.send(None)),
            }
            Ok(Answer::text("too late"))
        }
    });
    let running = Running::start(&server(Tools::new([tool]).unwrap()), |options| options).await;
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let session = running.initialize(json!({})).await?;
        let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
        let call =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "waits" } });
        let _events = Events::open(running.address, "POST", &headers, &call.to_string()).await;
        numbers.push(heard.recv().await.unwrap().unwrap());
        send(running.address, "DELETE /mcp", &headers, b"").await?;
        assert_eq!(heard.recv().await, Some(Some(0)));
    }
    assert_ne!(numbers[0], numbers[1], "two sessions are two clients");
    Ok(())
}

#[tokio::test]
async fn leaving_does_not_cancel_a_legacy_request() -> Result<(), PeerError> {
    let (tools, mut heard, open) = gate();
    let running = Running::start(&server(tools), |options| options).await;
    let session = running.initialize(json!({})).await?;
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    let events = Events::open(running.address, "POST", &headers, &gate_call(5).to_string()).await;
    assert_eq!(heard.recv().await, Some("started"));
    drop(events);
    // The id is still in use, which the answer on its own stream says.
    let again = running.legacy(&session, &gate_call(5)).await?;
    assert_eq!(response(&again, 5)["error"]["code"], -32600);
    open.notify_one();
    // By name only: asked to, it stops.
    let call = gate_call(6);
    let second = running.legacy(&session, &call);
    let cancel = async {
        assert_eq!(heard.recv().await, Some("started"));
        let params = json!({ "requestId": 6 });
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        running.legacy(&session, &cancel).await.map(|answer| answer.status())
    };
    let (second, cancelled) = tokio::join!(second, cancel);
    assert_eq!(cancelled?, 202);
    assert!(second?.frames().is_empty(), "nothing is sent for a cancelled request");
    assert_eq!(heard.recv().await, Some("cancelled"));
    Ok(())
}

#[tokio::test]
async fn a_legacy_client_is_asked_on_the_stream_of_its_call() -> Result<(), PeerError> {
    let tool = Tool::raw("asks").handler(|_, context| async move {
        let schema = json!({ "type": "object", "properties": {} });
        Ok(Answer::text(format!("{:?}", context.elicit("Well?", schema).await?)))
    });
    let running = Running::start(&server(Tools::new([tool]).unwrap()), |options| options).await;
    let session = running.initialize(json!({ "elicitation": {} })).await?;
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "asks" } });
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    let mut events = Events::open(running.address, "POST", &headers, &call.to_string()).await;
    let question = events.next().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    assert_eq!(running.legacy(&session, &answer).await?.status(), 202);
    assert_eq!(events.next().await.unwrap()["result"]["content"][0]["text"], "Declined");
    Ok(())
}

#[tokio::test]
async fn the_number_of_sessions_is_bounded() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options.sessions(2)).await;
    let first = running.initialize(json!({})).await?;
    running.initialize(json!({})).await?;
    let refused = running.open(json!({})).await?;
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("10")));
    let refusal: Value = serde_json::from_str(&refused.text()).unwrap();
    let error = json!({
        "code": -32603,
        "message": "overloaded: all 2 sessions are in use",
        "data": { "reason": "all 2 sessions are in use" },
    });
    assert_eq!(refusal, json!({ "jsonrpc": "2.0", "id": 0, "error": error }));
    // Requests of the modern era need no session, and an ended session makes room.
    assert_eq!(running.modern("tools/list", json!({})).await?.status(), 200);
    let headers = [("mcp-session-id", first.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    send(running.address, "DELETE /mcp", &headers, b"").await?;
    running.initialize(json!({})).await?;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn the_session_that_is_idle_longest_makes_room() -> Result<(), PeerError> {
    let running = Running::start(&server(tools()), |options| options.sessions(2)).await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let old = running.initialize(json!({})).await?;
    let used = running.initialize(json!({})).await?;
    tokio::time::sleep(Duration::from_secs(70)).await;
    running.legacy(&used, &list).await?;
    let new = running.initialize(json!({})).await?;
    assert_eq!(running.legacy(&old, &list).await?.status(), 404);
    assert_eq!(running.legacy(&used, &list).await?.status(), 200);
    assert_eq!(running.legacy(&new, &list).await?.status(), 200);
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_end_but_not_while_a_call_runs() -> Result<(), PeerError> {
    let (tools, mut heard, _open) = gate();
    let running = Running::start(&server(tools), |options| options).await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let (idle, busy) = (running.initialize(json!({})).await?, running.initialize(json!({})).await?);
    let headers = [("mcp-session-id", busy.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    let events = Events::open(running.address, "POST", &headers, &gate_call(5).to_string()).await;
    assert_eq!(heard.recv().await, Some("started"));
    drop(events);
    tokio::time::sleep(mortise_server::limits::HTTP_IDLE + Duration::from_secs(60)).await;
    assert_eq!(running.legacy(&idle, &list).await?.status(), 404);
    assert_eq!(running.legacy(&busy, &list).await?.status(), 200);
    Ok(())
}

#[tokio::test]
async fn a_stopping_server_finishes_what_it_began() {
    let (tools, mut heard, open) = gate();
    let running = Running::start(&server(tools), |options| options).await;
    let address = running.address;
    let (message, headers) = modern_gate_call();
    let mut events = Events::open(address, "POST", &headers, &message).await;
    assert_eq!(heard.recv().await, Some("started"));
    let stopped = running.stop();
    // No new connections, but the call goes on.
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!stopped.is_finished());
    open.notify_one();
    assert_eq!(events.next().await.unwrap()["result"]["content"][0]["text"], "through");
    stopped.await.unwrap();
}

#[tokio::test]
async fn a_stopping_server_waits_no_longer_than_it_was_told() {
    let (tools, mut heard, _open) = gate();
    let running = Running::start(&server(tools), |options| options.drain(Duration::from_millis(50))).await;
    let (message, headers) = modern_gate_call();
    let mut events = Events::open(running.address, "POST", &headers, &message).await;
    assert_eq!(heard.recv().await, Some("started"));
    running.stop().await.unwrap();
    assert_eq!(heard.recv().await, Some("cancelled"));
    check_stopped(&mut events, 1).await;
}

/// A call that was cut off is answered with an error, and then the response ends.
async fn check_stopped(events: &mut Events, id: i64) {
    let last = events.next().await.expect("an answer");
    assert_eq!((&last["id"], &last["error"]["code"]), (&json!(id), &json!(-32603)), "{last}");
    assert_eq!(last["error"]["data"]["reason"], "stopping");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn every_open_call_of_a_session_is_answered_before_the_end() -> Result<(), PeerError> {
    let (tools, mut heard, _open) = gate();
    let running = Running::start(&server(tools), |options| options.drain(Duration::from_millis(50))).await;
    let session = running.initialize(json!({})).await?;
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    let mut calls = Vec::new();
    for id in 5..9 {
        calls.push((Events::open(running.address, "POST", &headers, &gate_call(id).to_string()).await, id));
        assert_eq!(heard.recv().await, Some("started"));
    }
    running.stop().await.unwrap();
    for (mut events, id) in calls {
        check_stopped(&mut events, id).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_stopping_server_ends_sessions_and_their_calls() -> Result<(), PeerError> {
    let (tools, mut heard, _open) = gate();
    let running = Running::start(&server(tools), |options| options.drain(Duration::from_millis(50))).await;
    let session = running.initialize(json!({})).await?;
    let mut stream = Events::standalone(running.address, &session).await;
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
    let events = Events::open(running.address, "POST", &headers, &gate_call(5).to_string()).await;
    assert_eq!(heard.recv().await, Some("started"));
    drop(events);
    running.stop().await.unwrap();
    assert_eq!(stream.next().await, None);
    assert_eq!(heard.recv().await, Some("cancelled"));
    Ok(())
}

#[tokio::test]
async fn requests_during_the_drain_are_turned_away() -> Result<(), PeerError> {
    let (tools, mut heard, open) = gate();
    let running = Running::start(&server(tools), |options| options).await;
    let address = running.address;
    // A connection that is in the middle of its first request head when the server begins to stop.
    let mut late = TcpStream::connect(address).await?;
    late.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\n").await?;
    let (message, headers) = modern_gate_call();
    let mut events = Events::open(address, "POST", &headers, &message).await;
    assert_eq!(heard.recv().await, Some("started"));
    let stopped = running.stop();
    while TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    late.write_all(b"connection: close\r\n\r\n").await?;
    let mut line = String::new();
    BufReader::new(late).read_line(&mut line).await?;
    // Closed or told that the server stops, but not that it is ready.
    assert!(line.is_empty() || line.starts_with("HTTP/1.1 503"), "{line}");
    open.notify_one();
    assert!(events.next().await.is_some());
    stopped.await.unwrap();
    let refused = post(address, "/mcp", &[], &json!({})).await;
    assert!(refused.is_err());
    Ok(())
}
