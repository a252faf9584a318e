//! What a call says while it runs, and how it is stopped.

use std::sync::Arc;

use mortise_server::{Answer, LogLevel, Tool, Tools};
use mortise_testkit::{PeerError, RawPeer};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::sample::{connect, server};

fn talkative() -> Tools {
    Tools::new([
        Tool::raw("counts").handler(|_, context| async move {
            for step in [1.0, 1.0, 0.5, f64::NAN, 2.0, 3.0] {
                context.progress(step, Some(3.0), Some("counting"));
                // Let each report out before the next overtakes it.
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
            context.progress(4.0, None, None);
            Ok(Answer::text("counted"))
        }),
        Tool::raw("rushes").handler(|_, context| async move {
            for step in 0..10_000 {
                context.progress(f64::from(step), None, None);
            }
            Ok(Answer::text("rushed"))
        }),
        Tool::raw("logs").handler(|_, context| async move {
            context.log(LogLevel::Debug, json!("fine grain"));
            context.log(LogLevel::Info, json!({ "loaded": 3 }));
            context.log(LogLevel::Error, json!("broken"));
            Ok(Answer::text("logged"))
        }),
        Tool::raw("floods").handler(|_, context| async move {
            for number in 0..1_000 {
                context.log(LogLevel::Info, json!(number));
            }
            Ok(Answer::text("flooded"))
        }),
    ])
    .unwrap()
}

/// Calls a tool and returns its notifications of one method, then its result.
async fn notified(peer: &mut RawPeer, params: Value, method: &str) -> Result<Vec<Value>, PeerError> {
    let id = peer.start("tools/call", params).await?;
    let mut seen = Vec::new();
    loop {
        let frame = peer.next_frame().await?;
        if frame.answers(&json!(id)) {
            return Ok(seen);
        }
        if frame.method() == Some(method) {
            seen.push(frame.json.unwrap()["params"].take());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_learns_at_once_that_its_client_has_left() -> Result<(), PeerError> {
    let (say, mut heard) = mpsc::unbounded_channel();
    let tool = Tool::raw("waits").handler(move |_, context| {
        let say = say.clone();
        async move {
            let _ = say.send((context.session(), tokio::time::Instant::now()));
            context.client_left().cancelled().await;
            let _ = say.send((context.session(), tokio::time::Instant::now()));
            Ok(Answer::text("too late"))
        }
    });
    let mut peer = connect(&server(Tools::new([tool]).unwrap()));
    peer.initialize().await?;
    peer.start("tools/call", json!({ "name": "waits" })).await?;
    let (session, started) = heard.recv().await.unwrap();
    assert!(session.is_some());
    peer.close().await?;
    let (same, ended) = heard.recv().await.unwrap();
    assert_eq!((same, ended), (session, started), "no time has passed");
    Ok(())
}

#[tokio::test]
async fn sessions_are_told_apart_by_a_number() -> Result<(), PeerError> {
    let tool = Tool::raw("who")
        .handler(|_, context| async move { Ok(Answer::text(format!("{:?}", context.session()))) });
    let server = server(Tools::new([tool]).unwrap());
    let mut numbers = Vec::new();
    for _ in 0..2 {
        let mut peer = connect(&server);
        peer.initialize().await?;
        let mut of_this = Vec::new();
        for _ in 0..2 {
            let said = peer.request("tools/call", json!({ "name": "who" })).await?;
            of_this.push(said["result"]["content"][0]["text"].as_str().unwrap().to_owned());
        }
        assert_eq!(of_this[0], of_this[1]);
        numbers.push(of_this.remove(0));
    }
    assert!(
        numbers[0] != numbers[1] && numbers.iter().all(|number| number.starts_with("Some(")),
        "{numbers:?}"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn progress_only_goes_forward_and_comes_before_the_result() -> Result<(), PeerError> {
    let mut peer = connect(&server(talkative()));
    peer.initialize().await?;
    let params = json!({ "name": "counts", "_meta": { "progressToken": "p" } });
    let seen = notified(&mut peer, params, "notifications/progress").await?;
    let report = |progress: f64| json!({ "progressToken": "p", "progress": progress, "total": 3.0, "message": "counting" });
    assert_eq!(
        seen,
        [report(1.0), report(2.0), report(3.0), json!({ "progressToken": "p", "progress": 4.0 })]
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn progress_is_not_sent_to_who_did_not_ask() -> Result<(), PeerError> {
    let mut peer = connect(&server(talkative()));
    peer.initialize().await?;
    assert!(notified(&mut peer, json!({ "name": "counts" }), "notifications/progress").await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn progress_that_nobody_could_read_in_time_is_left_out() -> Result<(), PeerError> {
    let mut peer = connect(&server(talkative()));
    peer.initialize().await?;
    let params = json!({ "name": "rushes", "_meta": { "progressToken": 7 } });
    let seen = notified(&mut peer, params, "notifications/progress").await?;
    let steps: Vec<f64> = seen.iter().map(|report| report["progress"].as_f64().unwrap()).collect();
    assert!(steps.len() < 10_000, "{} reports", steps.len());
    assert!(steps.is_sorted_by(|one, next| one < next));
    assert_eq!(steps.last(), Some(&9_999.0));
    Ok(())
}

#[tokio::test]
async fn a_legacy_client_sets_what_it_wants_to_hear() -> Result<(), PeerError> {
    let mut peer = connect(&server(talkative()));
    peer.initialize().await?;
    let seen = notified(&mut peer, json!({ "name": "logs" }), "notifications/message").await?;
    assert_eq!(
        seen,
        [json!({ "level": "info", "data": { "loaded": 3 } }), json!({ "level": "error", "data": "broken" })]
    );
    assert_eq!(peer.request("logging/setLevel", json!({ "level": "debug" })).await?["result"], json!({}));
    assert_eq!(notified(&mut peer, json!({ "name": "logs" }), "notifications/message").await?.len(), 3);
    peer.request("logging/setLevel", json!({ "level": "emergency" })).await?;
    assert!(notified(&mut peer, json!({ "name": "logs" }), "notifications/message").await?.is_empty());
    assert_eq!(peer.request("logging/setLevel", json!({ "level": "loud" })).await?["error"]["code"], -32602);
    Ok(())
}

#[tokio::test]
async fn a_modern_client_says_with_each_request_what_it_wants_to_hear() -> Result<(), PeerError> {
    let mut peer = connect(&server(talkative()));
    let params = mortise_testkit::with_meta(json!({ "name": "logs" }));
    assert!(notified(&mut peer, params, "notifications/message").await?.is_empty());
    let meta = json!({ "io.modelcontextprotocol/logLevel": "error" });
    let params = mortise_testkit::with_meta(json!({ "name": "logs", "_meta": meta }));
    let seen = notified(&mut peer, params, "notifications/message").await?;
    assert_eq!(seen, [json!({ "level": "error", "data": "broken" })]);
    Ok(())
}

#[tokio::test]
async fn log_messages_beyond_the_bound_are_dropped_and_that_is_said() -> Result<(), PeerError> {
    let mut peer = connect(&server(talkative()));
    peer.initialize().await?;
    let seen = notified(&mut peer, json!({ "name": "floods" }), "notifications/message").await?;
    assert!(seen.len() <= 258, "{} messages", seen.len());
    let last = &seen.last().unwrap()["data"];
    assert_eq!(*last, "log messages were dropped: more than 256, or 1048576 bytes, were waiting");
    Ok(())
}

/// A tool that waits for ever and tells when it starts, when it is told to stop, and when it is gone.
fn endless() -> (Tools, mpsc::UnboundedReceiver<&'static str>) {
    let (say, heard) = mpsc::unbounded_channel();
    let tool = Tool::raw("endless").handler(move |_, context| {
        let say = say.clone();
        async move {
            let gone = OnDrop(say.clone());
            let _ = say.send("started");
            context.cancellation().cancelled().await;
            let _ = say.send("cancelled");
            context.progress(99.0, None, None);
            drop(gone);
            Ok(Answer::text("too late"))
        }
    });
    (Tools::new([tool]).unwrap(), heard)
}

struct OnDrop(mpsc::UnboundedSender<&'static str>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

#[tokio::test]
async fn a_cancelled_call_stops_and_says_nothing_more() -> Result<(), PeerError> {
    let (tools, mut heard) = endless();
    let mut peer = connect(&server(tools));
    peer.initialize().await?;
    let params = json!({ "name": "endless", "_meta": { "progressToken": 1 } });
    let id = peer.start("tools/call", params).await?;
    assert_eq!(heard.recv().await, Some("started"));
    peer.notify("notifications/cancelled", json!({ "requestId": id, "reason": "enough" })).await?;
    assert_eq!(heard.recv().await, Some("cancelled"));
    assert_eq!(heard.recv().await, Some("gone"));
    // Had anything been sent for the call, it would be before this.
    assert_eq!(peer.request("ping", json!({})).await?["result"], json!({}));
    assert_eq!(peer.kept().count(), 0);
    // Cancelling what is over, or never was, does no harm.
    peer.notify("notifications/cancelled", json!({ "requestId": id })).await?;
    peer.notify("notifications/cancelled", json!({ "requestId": "nothing" })).await?;
    assert_eq!(peer.request("ping", json!({})).await?["result"], json!({}));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_does_not_listen_is_dropped_after_a_grace() -> Result<(), PeerError> {
    let (say, mut heard) = mpsc::unbounded_channel();
    let deaf = Tool::raw("deaf").handler(move |_, _| {
        let say = say.clone();
        async move {
            let _gone = OnDrop(say.clone());
            let _ = say.send("started");
            std::future::pending::<()>().await;
            Ok(Answer::default())
        }
    });
    let mut peer = connect(&server(Tools::new([deaf]).unwrap()));
    peer.initialize().await?;
    let id = peer.start("tools/call", json!({ "name": "deaf" })).await?;
    assert_eq!(heard.recv().await, Some("started"));
    peer.notify("notifications/cancelled", json!({ "requestId": id })).await?;
    assert_eq!(heard.recv().await, Some("gone"));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn calls_that_run_when_the_client_leaves_are_stopped() -> Result<(), PeerError> {
    let (tools, mut heard) = endless();
    let mut peer = connect(&server(tools));
    peer.initialize().await?;
    peer.start("tools/call", json!({ "name": "endless" })).await?;
    assert_eq!(heard.recv().await, Some("started"));
    drop(peer);
    assert_eq!(heard.recv().await, Some("cancelled"));
    assert_eq!(heard.recv().await, Some("gone"));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_signal_stops_the_server_and_its_calls() -> Result<(), PeerError> {
    let (tools, mut heard) = endless();
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let (stop, stopped) = oneshot::channel::<()>();
    let server = server(tools);
    let serving = tokio::spawn(async move {
        let stopped = async {
            let _ = stopped.await;
        };
        server.serve(reader, writer, stopped).await;
    });
    let mut peer = RawPeer::over(ours);
    peer.initialize().await?;
    peer.start("tools/call", json!({ "name": "endless" })).await?;
    assert_eq!(heard.recv().await, Some("started"));
    stop.send(()).unwrap();
    assert_eq!(heard.recv().await, Some("cancelled"));
    serving.await.unwrap();
    Ok(())
}

#[tokio::test]
async fn two_clients_with_the_same_ids_get_their_own_answers() -> Result<(), PeerError> {
    let tool = Tool::raw("who")
        .input_schema(json!({ "type": "object" }))
        .handler(|call, _| async move { Ok(Answer::text(call.arguments.text())) });
    let server = server(Tools::new([tool]).unwrap());
    let talk = |name: &'static str| {
        let mut peer = connect(&server);
        async move {
            peer.initialize().await?;
            let mut ids = Vec::new();
            for number in 0..500 {
                let arguments = json!({ "who": name, "number": number });
                ids.push(peer.start("tools/call", json!({ "name": "who", "arguments": arguments })).await?);
            }
            for (number, id) in ids.into_iter().enumerate() {
                let answer = peer.response(id).await?;
                let expected = json!({ "who": name, "number": number }).to_string();
                assert_eq!(answer["result"]["content"][0]["text"], expected);
            }
            Ok::<_, PeerError>(())
        }
    };
    let (one, two) = tokio::join!(talk("one"), talk("two"));
    one.and(two)
}

#[tokio::test]
async fn the_request_s_meta_and_the_client_reach_the_handler() -> Result<(), PeerError> {
    let tool = Tool::raw("who").handler(|_, context| async move {
        let client = context.client();
        Ok(Answer::structured(json!({
            "trace": context.meta().get("traceparent"),
            "version": client.version(),
            "name": client.name(),
            "capabilities": client.capabilities(),
        })))
    });
    let server = server(Tools::new([tool]).unwrap());
    let mut peer = connect(&server);
    peer.initialize_as("2025-06-18", json!({ "roots": {} })).await?;
    let meta = json!({ "traceparent": "00-1-2-01" });
    let seen = peer.request("tools/call", json!({ "name": "who", "_meta": meta })).await?;
    let expected = json!({
        "trace": "00-1-2-01", "version": "2025-06-18", "name": "testkit", "capabilities": { "roots": {} },
    });
    assert_eq!(seen["result"]["structuredContent"], expected);
    let meta = json!({
        "traceparent": "00-3-4-01",
        "io.modelcontextprotocol/clientCapabilities": { "x-unknown": { "a": 1 } },
    });
    let seen = peer.modern("tools/call", json!({ "name": "who", "_meta": meta })).await?;
    let expected = json!({
        "trace": "00-3-4-01",
        "version": "2026-07-28",
        "name": "testkit",
        "capabilities": { "x-unknown": { "a": 1 } },
    });
    assert_eq!(seen["result"]["structuredContent"], expected);
    Ok(())
}

#[tokio::test]
async fn a_tool_set_is_called_without_any_transport() {
    use mortise_contract::{RawJson, ToolCall, ToolName};
    use mortise_server::{CallContext, Client, Reply, ToolSet as _};
    let tools = Arc::new(talkative());
    let client = Client::new("2026-07-28", serde_json::Map::new());
    let call = ToolCall { tool: ToolName::parse("logs").unwrap(), arguments: RawJson::parse("{}").unwrap() };
    let reply = tools.call(call, CallContext::detached(client, serde_json::Map::new())).await;
    assert!(matches!(reply, Reply::Answer(answer) if !answer.is_error()));
}

#[test]
fn arguments_that_take_long_to_check_hold_up_no_other_call() {
    let one_thread_beside =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
    one_thread_beside.block_on(async {
        let numbers = json!({ "type": "array", "items": { "type": "integer" } });
        let sums = Tool::raw("sums")
            .input_schema(json!({ "type": "object", "properties": { "n": numbers } }))
            .handler(|_, _| async { Ok(Answer::text("summed")) });
        let mut peer = connect(&server(Tools::new([sums]).unwrap()));
        peer.initialize().await.unwrap();
        let (free, taken) = std::sync::mpsc::channel::<()>();
        let beside = tokio::task::spawn_blocking(move || taken.recv());
        let mut many = json!((0..30_000).collect::<Vec<_>>());
        many[20_000] = json!("x");
        let call = |numbers: Value| json!({ "name": "sums", "arguments": { "n": numbers } });
        let large = peer.start("tools/call", call(many)).await.unwrap();
        let small = peer.start("tools/call", call(json!([1]))).await.unwrap();
        let first = peer.next_frame().await.unwrap();
        assert!(first.answers(&json!(small)), "{:?}", first.json);
        free.send(()).unwrap();
        beside.await.unwrap().unwrap();
        let refused = peer.response(large).await.unwrap();
        let text = refused["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("Input validation error: sums: /n/20000: expected integer"), "{text}");
    });
}
