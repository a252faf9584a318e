//! Rows of messages and what becomes of them.

use super::*;

#[track_caller]
fn check_frame(text: &str, expected: &str) {
    let seen = match check_message(text.as_bytes()) {
        Ok(frame) => {
            let id = match frame.id {
                Some(Id::Number(number)) => format!(" {number}"),
                Some(Id::Text(text)) => format!(" {text:?}"),
                None => String::new(),
            };
            let method = frame.method.map(|method| format!(" {method}")).unwrap_or_default();
            let arguments = frame.arguments.map(|raw| format!(" {}", raw.text())).unwrap_or_default();
            format!("{:?}{id}{method}{arguments}", frame.kind)
        }
        Err(refusal) => refusal.to_text(),
    };
    assert_eq!(seen, expected);
}

#[track_caller]
fn check_refused(text: &str, id: &str, code: i32, words: &str) {
    let refusal: Value =
        serde_json::from_str(&check_message(text.as_bytes()).unwrap_err().to_text()).unwrap();
    assert_eq!(refusal["id"].to_string(), id);
    assert_eq!(refusal["error"]["code"], code);
    let message = refusal["error"]["message"].as_str().unwrap();
    assert!(message.contains(words), "{message}");
}

#[test]
fn messages_of_every_kind_are_told_apart() {
    check_frame(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "Request 1 ping");
    check_frame(r#"{"jsonrpc":"2.0","id":"1","method":"ping","params":{}}"#, r#"Request "1" ping"#);
    check_frame(
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "Notification notifications/initialized",
    );
    check_frame(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "Response 7");
    check_frame(r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":""}}"#, "Response 7");
    check_frame(r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#, "Response");
    check_frame("  {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r", "Request 1 ping");
}

#[test]
fn arguments_of_a_call_are_kept_as_written() {
    check_frame(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"b": 1.10, "a": 123456789012345678901234567890}}}"#,
        r#"Request 1 tools/call {"b": 1.10, "a": 123456789012345678901234567890}"#,
    );
}

#[test]
fn the_protocol_library_gets_an_empty_object_for_arguments() {
    let call = |arguments: &str| {
        let params = format!(r#"{{"name":"t","arguments": {arguments} ,"_meta":{{}}}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    };
    for (arguments, expected) in [(r#"{"a":{"b":["{}"]}}"#, "{}"), ("null", "null"), ("[1]", "[1]")] {
        let text = call(arguments);
        let frame = check_message(text.as_bytes()).unwrap();
        let seen = String::from_utf8(frame.without_arguments(text.as_bytes()).into_owned()).unwrap();
        assert_eq!((seen, frame.arguments.unwrap().text()), (call(expected), arguments));
    }
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"arguments":{"a":1}}}"#;
    assert_eq!(&*check_message(ping).unwrap().without_arguments(ping), ping);
}

#[test]
fn numbers_beyond_a_double_are_clamped_for_the_protocol_library_only() {
    let text =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"n":1e400}}}"#;
    let frame = check_message(text.as_bytes()).unwrap();
    assert_eq!(frame.arguments.unwrap().text(), r#"{"n":1e400}"#);
    assert!(frame.clamped.unwrap().contains("1.7976931348623157e+308"));
    let clamped = |number: &str| {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":"\"1e400","n":{number}}}}}"#);
        check_message(text.as_bytes()).unwrap().clamped.is_some()
    };
    for number in ["1e5", "1.5E-400", "0.1", "true", &"9".repeat(308), &format!("0.{}", "3".repeat(400))] {
        assert!(!clamped(number), "{number}");
    }
    for number in ["-1E309", "1.0e+400", &"9".repeat(400)] {
        assert!(clamped(number), "{number}");
    }
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    check_refused("hello", "null", -32700, "not JSON");
    check_refused(r#"{"jsonrpc":"2.0","id":1"#, "null", -32700, "not JSON");
    check_refused(r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, "null", -32700, "not JSON");
    check_refused("\u{feff}{}", "null", -32700, "not JSON");
    check_refused(
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}"#,
        "null",
        -32700,
        "not JSON",
    );
    check_refused(&"[".repeat(100_000), "null", -32700, "deeper than 128");
    check_refused(
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\ud800"}}"#,
        "1",
        -32700,
        "hex escape",
    );
    let refusal = check_message(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}").unwrap_err();
    assert_eq!(refusal.error.message, "the message is not UTF-8");
}

#[test]
fn nesting_is_accepted_up_to_the_limit() {
    let nested = |levels: usize| {
        // The message and `params` are two levels.
        let (open, close) = ("[".repeat(levels - 2), "]".repeat(levels - 2));
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{open}{close}}}}}"#)
    };
    check_frame(&nested(JSON_DEPTH - 1), "Request 1 x");
    check_refused(&nested(JSON_DEPTH + 1), "null", -32700, "deeper than 128");
}

#[test]
fn batches_are_refused() {
    check_refused(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, "null", -32600, "batches");
}

#[test]
fn envelopes_that_can_be_read_two_ways_are_refused() {
    check_refused(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, "null", -32600, "duplicate key `id`");
    check_refused(
        r#"{"jsonrpc":"2.0","id":1,"i\u0064":2,"method":"ping"}"#,
        "null",
        -32600,
        "duplicate key `id`",
    );
    check_refused(
        r#"{"jsonrpc":"2.0","id":1,"Method":"a","method":"ping"}"#,
        "null",
        -32600,
        "`Method` is written",
    );
    check_refused(r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, "1", -32600, "neither `result`");
    check_refused(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, "1", -32600, "not both");
    check_refused(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        "1",
        -32602,
        "duplicate key `name`",
    );
}

#[test]
fn an_envelope_must_be_complete() {
    check_refused("7", "null", -32600, "no JSON-RPC message");
    check_refused(r#"{"id":1,"method":"ping"}"#, "1", -32600, "`jsonrpc` must be");
    check_refused(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, "1", -32600, "`jsonrpc` must be");
    check_refused(r#"{"jsonrpc":"2.0","id":1}"#, "1", -32600, "no `method`");
    check_refused(r#"{"jsonrpc":"2.0","id":1,"method":7}"#, "1", -32600, "must be a string");
    check_refused(
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        "1",
        -32600,
        "must be an object",
    );
}

#[test]
fn ids_are_strings_or_integers_of_bounded_size() {
    for id in ["null", "1.5", "1e3", "9223372036854775808", "true", "{}", "[]"] {
        check_refused(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#), "null", -32600, "`id`");
    }
    let with_id =
        |length: usize| format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(length));
    check_frame(&with_id(ID_BYTES), &format!("Request {:?} ping", "x".repeat(ID_BYTES)));
    check_refused(&with_id(ID_BYTES + 1), "null", -32600, "longer than 256 bytes");
    check_refused(&with_id(10_000_000), "null", -32600, "longer than 256 bytes");
}

proptest::proptest! {
    #[test]
    fn nothing_panics(bytes: Vec<u8>) {
        let _ = check_message(&bytes);
    }

    #[test]
    fn nothing_panics_on_what_looks_like_json(text in "[\\[\\]{}\",:0-9a-z\\\\ .eE+-]{0,200}") {
        let _ = check_message(text.as_bytes());
    }
}
