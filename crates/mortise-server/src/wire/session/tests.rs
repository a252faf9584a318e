//! Which stream a message goes on, without the HTTP around it.

use futures::FutureExt as _;
use rmcp::model::JsonRpcMessage;
use serde_json::{Value, json};

use super::*;

fn client(message: Value) -> ClientJsonRpcMessage {
    serde_json::from_value(message).unwrap()
}

fn server(message: Value) -> ServerJsonRpcMessage {
    serde_json::from_value(message).unwrap()
}

fn call(id: i64) -> JsonRpcRequest<ClientRequest> {
    let meta = json!({ "progressToken": format!("token {id}") });
    let params = json!({ "name": "t", "arguments": {}, "_meta": meta });
    match client(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })) {
        JsonRpcMessage::Request(request) => request,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn begin(session: &HttpSession, id: i64) -> Listener {
    session.begin(&call(id)).unwrap().unwrap()
}

fn progress(id: i64) -> ServerJsonRpcMessage {
    let params = json!({ "progressToken": format!("token {id}"), "progress": 1 });
    server(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
}

fn changed() -> ServerJsonRpcMessage {
    server(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
}

fn answer(id: i64) -> ServerJsonRpcMessage {
    server(json!({ "jsonrpc": "2.0", "id": id, "result": {} }))
}

fn cancelled(id: i64) -> ClientJsonRpcMessage {
    let params = json!({ "requestId": id });
    client(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
}

/// Sends what can be sent at once.
#[track_caller]
fn send(transport: &mut SessionTransport, message: ServerJsonRpcMessage) {
    assert_eq!(transport.send(message).now_or_never(), Some(Ok(())));
}

/// The ids of the events that came, and `end` if no more can come.
fn heard(listener: &mut Listener) -> Vec<String> {
    let mut ids = Vec::new();
    loop {
        match listener.try_recv() {
            Ok(event) => ids.push(event.event_id.unwrap()),
            Err(mpsc::error::TryRecvError::Empty) => return ids,
            Err(mpsc::error::TryRecvError::Disconnected) => {
                ids.push("end".to_owned());
                return ids;
            }
        }
    }
}

#[tokio::test]
async fn a_message_goes_on_the_stream_of_its_call() {
    let (session, mut transport) = HttpSession::open();
    let (mut first, mut second) = (begin(&session, 1), begin(&session, 2));
    let mut standalone = session.listen().unwrap();
    send(&mut transport, progress(2));
    send(&mut transport, changed());
    send(&mut transport, answer(1));
    send(&mut transport, answer(2));
    assert_eq!(heard(&mut first), ["0/0", "1/0", "end"]);
    assert_eq!(heard(&mut second), ["0/1", "1/1", "2/1", "end"]);
    assert_eq!(heard(&mut standalone), ["1"]);
}

#[tokio::test]
async fn an_id_is_in_use_until_its_request_is_answered_or_cancelled() {
    let (session, mut transport) = HttpSession::open();
    let _first = begin(&session, 1);
    assert!(session.begin(&call(1)).unwrap().is_none());
    assert_eq!(session.idle(), None);
    send(&mut transport, answer(1));
    assert!(session.idle().is_some());
    let mut again = begin(&session, 1);
    session.post(cancelled(1)).await.unwrap();
    assert_eq!(heard(&mut again), ["0/1", "end"]);
    // The handler may answer all the same.
    send(&mut transport, answer(1));
    assert!(session.begin(&call(1)).unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_no_connection_took_is_kept_for_a_while() {
    let (session, mut transport) = HttpSession::open();
    let lost = |session: &HttpSession, transport: &mut SessionTransport| {
        drop(begin(session, 1));
        send(transport, progress(1));
        send(transport, answer(1));
    };
    lost(&session, &mut transport);
    let mut resumed = session.resume("0/0").unwrap();
    assert_eq!(heard(&mut resumed), ["1/0", "2/0", "end"]);
    assert!(session.resume("0/0").is_err(), "it was taken");

    lost(&session, &mut transport);
    tokio::time::advance(KEPT).await;
    session.forget_kept();
    assert!(session.resume("0/1").is_err());

    for _ in 0..KEPT_CALLS + 1 {
        lost(&session, &mut transport);
    }
    assert!(session.resume("0/2").is_err(), "the oldest is gone");
    assert!(session.resume("0/3").is_ok());
}

#[tokio::test]
async fn a_stream_goes_on_after_the_event_that_its_client_saw_last() {
    let (session, mut transport) = HttpSession::open();
    let first = begin(&session, 1);
    send(&mut transport, progress(1));
    send(&mut transport, progress(1));
    drop(first);
    send(&mut transport, progress(1));
    let mut resumed = session.resume("1/0").unwrap();
    send(&mut transport, answer(1));
    assert_eq!(heard(&mut resumed), ["2/0", "3/0", "4/0", "end"]);
    for nonsense in ["", "x", "1/x", "x/0", "1/7", "99999999999999999999", "18446744073709551615/0"] {
        assert!(session.resume(nonsense).is_err(), "{nonsense}");
    }
}

#[tokio::test]
async fn one_of_several_streams_without_a_request_gets_each_message() {
    let (session, mut transport) = HttpSession::open();
    send(&mut transport, changed());
    let mut first = session.listen().unwrap();
    let mut second = session.listen().unwrap();
    send(&mut transport, changed());
    assert_eq!(heard(&mut first), ["1", "2"]);
    drop(first);
    send(&mut transport, changed());
    assert_eq!(heard(&mut second), ["3"]);
    // This client says that its stream broke, though we can't see that yet.
    let mut resumed = session.resume("2").unwrap();
    send(&mut transport, changed());
    assert_eq!(heard(&mut resumed), ["3", "4"]);
    assert!(heard(&mut second).is_empty());
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_its_own_stream_alone() {
    let (session, mut transport) = HttpSession::open();
    let mut unread = begin(&session, 1);
    let mut read = begin(&session, 2);
    for _ in 1..UNREAD {
        send(&mut transport, progress(1));
    }
    let waiting = transport.send(progress(1));
    tokio::pin!(waiting);
    assert_eq!(waiting.as_mut().now_or_never(), None);
    send(&mut transport, answer(2));
    assert_eq!(heard(&mut read), ["0/1", "1/1", "end"]);
    unread.recv().await.unwrap();
    assert_eq!(waiting.await, Ok(()));
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_streams_and_its_handler() {
    let (session, mut transport) = HttpSession::open();
    let (mut own, mut standalone) = (begin(&session, 1), session.listen().unwrap());
    session.close();
    assert_eq!(heard(&mut own), ["0/0", "end"]);
    assert_eq!(heard(&mut standalone), ["end"]);
    assert!(transport.receive().await.is_none());
    // A request that found the session just before its end.
    assert!(session.begin(&call(2)).is_err());
    assert!(session.listen().is_err());
    assert!(session.resume("0").is_err());
    drop(transport);
    assert!(session.post(cancelled(1)).await.is_err());
}

#[test]
fn kept_answers_are_bounded_in_bytes() {
    let (session, mut transport) = HttpSession::open();
    let large = "x".repeat(KEPT_BYTES / 3);
    for id in 0..5 {
        drop(begin(&session, id));
        let result = json!({ "content": [{ "type": "text", "text": large }] });
        send(&mut transport, server(json!({ "jsonrpc": "2.0", "id": id, "result": result })));
    }
    let mut kept: Vec<CallNumber> = session.routes.lock().calls.keys().copied().collect();
    kept.sort_unstable();
    assert_eq!(kept, [3, 4], "the newest that fit");
    drop(begin(&session, 9));
    let result = json!({ "content": [{ "type": "text", "text": "x".repeat(KEPT_BYTES) }] });
    send(&mut transport, server(json!({ "jsonrpc": "2.0", "id": 9, "result": result })));
    assert_eq!(
        session.routes.lock().calls.keys().copied().collect::<Vec<_>>(),
        [5],
        "the newest, whatever it takes"
    );
}

/// A log message of about this many bytes.
fn log(bytes: usize) -> ServerJsonRpcMessage {
    let params = json!({ "level": "info", "data": "x".repeat(bytes) });
    server(json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params }))
}

#[tokio::test]
async fn recent_events_are_bounded_in_bytes_and_the_oldest_go_first() {
    let (session, mut transport) = HttpSession::open();
    let mut reading = session.listen().unwrap();
    for _ in 0..8 {
        send(&mut transport, log(HTTP_RECENT_BYTES / 4));
        reading.recv().await.unwrap();
    }
    assert!(session.routes.lock().standalone.bytes <= HTTP_RECENT_BYTES);
    assert_eq!(heard(&mut session.resume("0").unwrap()), ["6", "7", "8"]);
    // What is larger than all that is kept goes to the connection and is not kept.
    let mut resumed = session.resume("8").unwrap();
    send(&mut transport, log(HTTP_RECENT_BYTES));
    assert_eq!(heard(&mut resumed), ["9"]);
    assert_eq!(session.routes.lock().standalone.bytes, 0);
}

#[tokio::test]
async fn a_large_answer_drives_out_no_event_before_it() {
    let (session, mut transport) = HttpSession::open();
    drop(begin(&session, 1));
    send(&mut transport, progress(1));
    let result = json!({ "content": [{ "type": "text", "text": "x".repeat(2 * HTTP_RECENT_BYTES) }] });
    send(&mut transport, server(json!({ "jsonrpc": "2.0", "id": 1, "result": result })));
    assert_eq!(heard(&mut session.resume("0/0").unwrap()), ["1/0", "2/0", "end"]);
}
