//! A raw client against a scripted server, over a duplex and as a child.

use std::time::Duration;

use mortise_testkit::{
    MODERN_VERSION, PeerError, RawChild, RawPeer, ScriptedReply, ScriptedServer, answer, with_meta,
};
use serde_json::{Value, json};
use tokio::process::Command;

#[tokio::test]
async fn a_response_is_found_behind_notifications_and_broken_lines() {
    let server = ScriptedServer::legacy(|request| {
        vec![
            ScriptedReply::line("Server ready!"),
            ScriptedReply::Frame(
                json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"n": 1}}),
            ),
            ScriptedReply::Raw(b"\xff\xfe\n".to_vec()),
            answer(request, json!({"tools": []})),
        ]
    });
    let (stream, served) = server.spawn();
    let mut peer = RawPeer::over(stream);
    assert_eq!(peer.initialize().await.unwrap()["result"]["serverInfo"]["name"], "scripted");
    assert_eq!(peer.request("tools/list", Value::Null).await.unwrap()["result"], json!({"tools": []}));
    assert_eq!(peer.kept().count(), 3);
    assert_eq!(peer.called("notifications/message").await.unwrap()["params"]["n"], 1);
    assert_eq!(peer.next_frame().await.unwrap().text(), "Server ready!");
    assert_eq!(peer.next_frame().await.unwrap().raw, b"\xff\xfe");
    peer.close().await.unwrap();
    let received: Vec<_> =
        served.await.unwrap().unwrap().iter().filter_map(|frame| frame.method().map(str::to_owned)).collect();
    assert_eq!(received, ["initialize", "notifications/initialized", "tools/list"]);
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let mut first = None;
    let server = ScriptedServer::legacy(move |request| match first.take() {
        None => {
            first = Some(request.clone());
            Vec::new()
        }
        Some(first) => vec![answer(request, json!("second")), answer(&first, json!("first"))],
    });
    let mut peer = RawPeer::over(server.spawn().0);
    let one = peer.start("a", Value::Null).await.unwrap();
    let two = peer.start("b", Value::Null).await.unwrap();
    assert_eq!(peer.response(one).await.unwrap()["result"], "first");
    assert_eq!(peer.response(two).await.unwrap()["result"], "second");
}

#[tokio::test(start_paused = true)]
async fn silence_ends_at_the_limit_and_names_what_was_waited_for() {
    let mut peer =
        RawPeer::over(ScriptedServer::new(|_| Vec::new()).spawn().0).waiting(Duration::from_secs(3));
    let error = peer.request("tools/list", Value::Null).await.unwrap_err();
    assert_eq!(error.to_string(), "no response to id 1 within 3s; received until then: nothing");
}

#[tokio::test]
async fn a_closed_stream_shows_the_last_frames() {
    let server =
        ScriptedServer::new(|_| vec![ScriptedReply::Raw(b"{\"half\"".to_vec()), ScriptedReply::Close]);
    let mut peer = RawPeer::over(server.spawn().0);
    let error = peer.request("x", Value::Null).await.unwrap_err();
    assert!(matches!(&error, PeerError::Closed { received, .. } if received == "{\"half\""), "{error}");
}

#[tokio::test]
async fn a_child_is_spoken_to_and_its_end_is_seen() {
    let mut command = Command::new("sh");
    command.args(["-c", "echo note >&2; read line; echo \"$line\"; exit 3"]);
    let mut child = RawChild::spawn(command).unwrap();
    child.peer.send_line("{\"method\":\"echo\"}").await.unwrap();
    assert_eq!(child.peer.called("echo").await.unwrap(), json!({"method": "echo"}));
    let (status, stderr) = child.finish().await.unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(3), "note\n"));
}

#[test]
fn modern_params_keep_their_own_meta() {
    let params = with_meta(json!({"name": "t", "_meta": {"progressToken": 7}}));
    assert_eq!(params["_meta"]["progressToken"], 7);
    assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], MODERN_VERSION);
}
