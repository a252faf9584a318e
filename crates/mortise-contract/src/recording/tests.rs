use super::*;
use crate::json::RawJson;

const HEADER: &str =
    "{\"mortise_recording\":1,\"server\":\"weather\",\"started\":\"2026-11-18T09:00:00Z\"}\n";

fn recording(lines: &[&str]) -> Recording {
    Recording::parse(&format!("{HEADER}{}\n", lines.join("\n"))).unwrap()
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    assert_eq!(Recording::parse(text).unwrap_err().to_string(), expected);
}

#[test]
fn what_is_written_is_read_byte_for_byte() {
    let texts = [
        r#"{"jsonrpc":"2.0", "id":1,"method":"x","params":{"b":1.10,"a":123456789012345678901234567890}}"#,
        "[]",
        "not JSON at all",
        "{\n  \"pretty\": true\n}",
        "\"a string\"",
        "null",
        "{\"cut\":",
        "",
    ];
    let mut file = header_line("we\"ather", "2026-11-18T09:00:00Z");
    for (ms, text) in (0u64..).zip(texts) {
        let from = if ms % 2 == 0 { MessageSource::Client } else { MessageSource::Server };
        file.push_str(&message_line(ms, from, text));
    }
    file.push_str(&end_line(9, "the client closed its side"));
    let recording = Recording::parse(&file).unwrap();
    let read: Vec<&str> = recording.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(read, texts);
    assert_eq!(recording.server, "we\"ather");
    assert_eq!((recording.messages[1].line, recording.messages[1].ms), (3, 1));
    assert_eq!(recording.end.as_deref(), Some("the client closed its side"));
    assert_eq!(recording.cut_line, None);
}

#[test]
fn a_recording_cut_at_any_byte_opens_with_every_whole_line() {
    let lines = [
        message_line(1, MessageSource::Client, r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"é":"ü"}}"#),
        message_line(2, MessageSource::Server, "noise"),
        message_line(3, MessageSource::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
        end_line(4, "done"),
    ];
    let whole = format!("{HEADER}{}", lines.concat());
    for end in HEADER.len()..whole.len() {
        let Some(text) = whole.get(..end) else { continue };
        let recording = Recording::parse(text).unwrap();
        let begun = text[HEADER.len()..].split_inclusive('\n').count();
        let read = recording.messages.len() + usize::from(recording.end.is_some());
        assert_eq!(read + usize::from(recording.cut_line.is_some()), begun, "cut at byte {end}");
        // A line that lacks only its newline is whole.
        assert!(recording.cut_line.is_none() || !text.ends_with('\n'), "cut at byte {end}");
    }
}

#[test]
fn other_files_are_refused_with_the_line_and_the_reason() {
    check_refused("", "line 1 is not the first line of a recording: it is empty");
    check_refused(
        "{\"tools\":[]}\n",
        "line 1 is not the first line of a recording: missing field `mortise_recording` (column 12)",
    );
    check_refused(
        "{\"mortise_recording\":2,\"new\":true}\n",
        "line 1: the recording has version 2; this mortise reads version 1",
    );
    let second = |line: &str| format!("{HEADER}{line}\n");
    check_refused(
        &second(r#"{"ms":1,"from":"nobody","text":""}"#),
        "line 2: unknown variant `nobody`, expected one of `client`, `server`, `recorder` (column 23)",
    );
    check_refused(
        &second(r#"{"ms":1,"from":"client","text":"","colour":1}"#),
        "line 2: unknown field `colour`, expected one of `ms`, `from`, `message`, `text`, `end` (column 42)",
    );
    check_refused(
        &second(r#"{"ms":1,"from":"client"}"#),
        "line 2: a line has `from` with `message` or `text`, or `end` alone",
    );
    check_refused(
        &second("{\"ms\":1,\"end\":\"x\"}\n{\"ms\":2,\"end\":\"y\"}"),
        "line 3: the session has ended before this line",
    );
}

#[test]
fn requests_have_their_answers() {
    let recording = recording(&[
        r#"{"ms":1,"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","_meta":{"progressToken":"p"}}}}"#,
        r#"{"ms":1,"from":"client","message":{"jsonrpc":"2.0","id":"1","method":"ping"}}"#,
        r#"{"ms":1,"from":"client","message":{"jsonrpc":"2.0","method":"notifications/initialized"}}"#,
        r#"{"ms":2,"from":"server","message":{"jsonrpc":"2.0","id":1,"method":"roots/list"}}"#,
        r#"{"ms":2,"from":"client","message":{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}}"#,
        r#"{"ms":2,"from":"server","message":{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1.0}}}"#,
        r#"{"ms":2,"from":"server","message":{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"no"}}}"#,
        r#"{"ms":2,"from":"server","message":{"jsonrpc":"2.0","id":1,"result":{"n":1.10}}}"#,
        r#"{"ms":3,"from":"client","message":[{"jsonrpc":"2.0","id":3,"method":"ping"}]}"#,
        r#"{"ms":3,"from":"recorder","message":{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"gone"}}}"#,
    ]);
    let requests = recording.requests();
    let json = |text: &str| RawJson::parse(text).unwrap();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0].tool().as_deref(), Some("add"));
    assert_eq!(requests[0].answer, Some(RecordedAnswer::Result(json(r#"{"n":1.10}"#))));
    assert_eq!(requests[0].progress, [json(r#"{"progressToken":"p","progress":1.0}"#)]);
    assert_eq!(requests[1].answer, Some(RecordedAnswer::Error(json(r#"{"code":-32601,"message":"no"}"#))));
    assert_eq!((requests[2].method.as_str(), requests[2].line, &requests[2].answer), ("ping", 10, &None));
}

#[test]
fn equal_requests_have_equal_keys() {
    let key = |method: &str, params: &str| request_key(method, serde_json::from_str(params).ok().as_ref());
    assert_eq!(key("tools/call", r#"{"name":"a","arguments":{}}"#), key("tools/call", r#"{"name":"a"}"#));
    assert_eq!(key("tools/list", r#"{"cursor":null,"_meta":{"x":1}}"#), "tools/list");
    assert_eq!(key("initialize", r#"{"protocolVersion":"2025-06-18"}"#), "initialize");
    assert_ne!(key("tools/list", r#"{"cursor":"2"}"#), "tools/list");
    assert_ne!(
        key("tools/call", r#"{"name":"a","arguments":{"x":1}}"#),
        key("tools/call", r#"{"name":"a","arguments":{"x":2}}"#)
    );
}

#[test]
fn each_session_has_ids_of_its_own() {
    let message = |from, text: &str| message_line(1, from, text);
    let asked = message(MessageSource::Client, r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
    let again = message(MessageSource::Client, r#"{"jsonrpc":"2.0","id":2,"method":"b"}"#);
    let answer = message(MessageSource::Server, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let text = format!("{HEADER}{asked}{}{HEADER}{again}{answer}", end_line(2, "restarted"));
    let recording = Recording::parse(&text).unwrap();
    let sessions: Vec<usize> = recording.messages.iter().map(|message| message.session).collect();
    assert_eq!((sessions, &recording.end), (vec![0, 1, 1], &None));
    assert!(recording.requests().iter().all(|request| request.answer.is_none()));
    check_refused(
        &format!("{HEADER}{{\"mortise_recording\":2}}\n"),
        "line 2: a session can't begin here: line 1: the recording has version 2; this mortise reads version 1",
    );
}
