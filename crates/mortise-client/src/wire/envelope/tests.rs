use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let found = match parse(text) {
        Err(kind) => format!("fault {}", kind.label()),
        Ok(parsed) => {
            let version = if parsed.has_version { "" } else { ", no version" };
            let shape = match parsed.envelope {
                Envelope::Request { id, method, params } => {
                    format!("request {} {method} {}", id.get(), params.map_or("-", RawValue::get))
                }
                Envelope::Notification { method, params } => {
                    format!("notification {method} {}", params.map_or("-", RawValue::get))
                }
                Envelope::Response { id, body } => match body {
                    ResponseBody::Result(raw) => format!("result {id:?} {}", raw.get()),
                    ResponseBody::Error(raw) => format!("error {id:?} {}", raw.get()),
                    ResponseBody::Both => format!("both {id:?}"),
                    ResponseBody::Neither => format!("neither {id:?}"),
                },
                Envelope::Batch(items) => format!("batch of {}", items.len()),
            };
            format!("{shape}{version}")
        }
    };
    assert_eq!(found, expected, "for {text}");
}

#[test]
fn messages_are_told_apart() {
    check(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1e400}}"#, r#"result Number(7) {"a":1e400}"#);
    check(r#"{"jsonrpc":"2.0","id":7,"error":{"code":1}}"#, r#"error Number(7) {"code":1}"#);
    check(r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, r#"request "a" ping -"#);
    check(r#"{"jsonrpc":"2.0","method":"n","params":[1]}"#, "notification n [1]");
    check(r#"[{"jsonrpc":"2.0","method":"n"}]"#, "batch of 1");
}

#[test]
fn a_number_as_a_string_is_another_id() {
    check(r#"{"jsonrpc":"2.0","id":"7","result":0}"#, "fault bad_id");
    check(r#"{"jsonrpc":"2.0","id":"x7","result":0}"#, "result Foreign 0");
    check(r#"{"jsonrpc":"2.0","id":-7,"result":0}"#, "result Foreign 0");
}

#[test]
fn odd_ids_are_refused() {
    check(r#"{"jsonrpc":"2.0","id":null,"result":0}"#, "result Null 0");
    check(r#"{"jsonrpc":"2.0","id":1.5,"result":0}"#, "fault bad_id");
    check(r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, "fault bad_id");
    check(r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, "fault bad_id");
    let long = "9".repeat(300);
    check(&format!(r#"{{"jsonrpc":"2.0","id":{long},"result":0}}"#), "fault bad_id");
    check(&format!(r#"{{"jsonrpc":"2.0","id":"{long}","method":"m"}}"#), "fault bad_id");
}

#[test]
fn a_null_result_is_a_result() {
    check(r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "result Number(1) null");
    check(r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":2}}"#, r#"error Number(1) {"code":2}"#);
    check(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, "result Number(1) {}");
}

#[test]
fn both_and_neither_are_told() {
    check(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":2}}"#, "both Number(1)");
    check(r#"{"jsonrpc":"2.0","id":1}"#, "neither Number(1)");
    check(r#"{"jsonrpc":"2.0"}"#, "fault not_a_message");
}

#[test]
fn a_key_given_twice_is_refused() {
    check(r#"{"jsonrpc":"2.0","id":1,"id":2,"result":0}"#, "fault not_a_message");
    check(r#"{"jsonrpc":"2.0","id":1,"result":0,"result":1}"#, "fault not_a_message");
    check(r#"{"jsonrpc":"2.0","id":1,"Result":5,"result":1}"#, "result Number(1) 1");
}

#[test]
fn broken_text_is_no_json() {
    check("hello", "fault not_json");
    check("", "fault not_json");
    check("\u{feff}{}", "fault not_json");
    check(r#"{"jsonrpc":"2.0","id":1,"result":NaN}"#, "fault not_json");
    check(r#"{"jsonrpc":"2.0","id":1,"result":0} x"#, "fault not_json");
    check("7", "fault not_a_message");
    check(&"[".repeat(100_000), "fault not_json");
}

#[test]
fn nesting_inside_a_result_does_not_matter_here() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deep}}}"#);
    assert!(matches!(parse(&text), Ok(Parsed { envelope: Envelope::Response { .. }, .. })));
}

#[test]
fn a_missing_version_is_noted() {
    check(r#"{"id":1,"result":0}"#, "result Number(1) 0, no version");
}
