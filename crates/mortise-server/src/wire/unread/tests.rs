use super::*;

const LIMIT: usize = 1_000;

fn request(session: Option<&str>, name: &str) -> Request<Bytes> {
    let meta = serde_json::json!({ "io.modelcontextprotocol/clientInfo": { "name": name, "version": "1" } });
    let body = serde_json::json!({ "id": 1, "method": "tools/call", "params": { "_meta": meta } });
    let request = Request::builder().uri("/mcp");
    let request = match session {
        Some(session) => request.header(SESSION_HEADER, session),
        None => request,
    };
    request.body(Bytes::from(body.to_string())).unwrap()
}

#[test]
fn bytes_count_until_they_are_dropped() {
    let unread = UnreadAnswers::new(LIMIT);
    let tally = unread.of(&request(Some("s"), "a"));
    let answer = tally.count(Bytes::from_static(b"12345"));
    let part = answer.slice(1..2);
    assert_eq!((answer.as_ref(), tally.bytes()), (&b"12345"[..], 5));
    drop(answer);
    assert_eq!(unread.of(&request(Some("s"), "b")).bytes(), 5, "a part of them is still held");
    drop(part);
    assert_eq!(tally.bytes(), 0);
}

#[test]
fn clients_are_told_apart_by_session_or_name() {
    let unread = UnreadAnswers::new(LIMIT);
    let session = unread.of(&request(Some("s"), "a"));
    let named = unread.of(&request(None, "a"));
    let _held = (session.count(Bytes::from_static(b"1")), named.count(Bytes::from_static(b"12")));
    let bytes = |session, name| unread.of(&request(session, name)).bytes();
    assert_eq!(
        [bytes(Some("s"), "b"), bytes(Some("t"), "a"), bytes(None, "a"), bytes(None, "b")],
        [1, 0, 2, 0]
    );
}

#[test]
fn tallies_of_clients_that_have_gone_are_forgotten() {
    let unread = UnreadAnswers::new(LIMIT);
    for number in 0..10 * SWEEP {
        unread.of(&request(Some(&number.to_string()), "a"));
    }
    assert!(unread.tallies.lock().by_client.len() <= SWEEP + 1);
}

#[test]
fn an_answer_too_many_becomes_an_error_and_the_first_never_does() {
    let tally = UnreadAnswers::new(LIMIT).of(&request(Some("s"), "a"));
    let large = format!(r#"{{"jsonrpc":"2.0","id":"x","result":"{}"}}"#, "y".repeat(LIMIT));
    assert_eq!((tally.replacement(&large), tally.refusal()), (None, None));
    let _held = tally.count(Bytes::from(vec![0; LIMIT / 2 + 1]));
    assert_eq!(tally.replacement(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), None, "a small one has room");
    let replaced: serde_json::Value = serde_json::from_str(&tally.replacement(&large).unwrap()).unwrap();
    assert_eq!((&replaced["id"], &replaced["error"]["code"]), (&"x".into(), &(-32603).into()));
    let notification = large.replace("\"id\":\"x\",\"result\"", "\"method\":\"m\",\"params\"");
    assert_eq!(tally.replacement(&notification), None);
    assert!(tally.refusal().unwrap().message.contains("have not been read"));
}
