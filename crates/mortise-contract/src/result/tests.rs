//! Rows on results.

use super::{ContentKind, ToolResult};
use crate::RawJson;

fn parse(text: &str) -> ToolResult {
    ToolResult::parse(RawJson::parse(text).unwrap()).unwrap()
}

#[track_caller]
fn check_faults(text: &str, expected: &[&str]) {
    let found: Vec<String> = parse(text).faults.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_block_is_kept_raw_and_described() {
    let result = parse(
        r#"{"content": [
            {"type": "text", "text": "hi", "x": 1.10},
            {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
            {"type": "audio", "data": "", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "file:///a", "name": "a"},
            {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "text/plain", "text": "b"}},
            {"type": "hologram", "beam": 1e400}
        ]}"#,
    );
    let kinds: Vec<&ContentKind> = result.content.iter().map(|block| &block.kind).collect();
    assert_eq!(
        kinds,
        [
            &ContentKind::Text("hi".to_owned()),
            &ContentKind::Image { mime_type: "image/png".to_owned(), bytes: 5 },
            &ContentKind::Audio { mime_type: "audio/wav".to_owned(), bytes: 0 },
            &ContentKind::ResourceLink { uri: "file:///a".to_owned() },
            &ContentKind::Resource { uri: "file:///b".to_owned(), mime_type: Some("text/plain".to_owned()) },
            &ContentKind::Other { kind: "hologram".to_owned() },
        ]
    );
    assert_eq!(result.content[0].raw.text(), r#"{"type": "text", "text": "hi", "x": 1.10}"#);
    assert_eq!(result.content[5].raw.text(), r#"{"type": "hologram", "beam": 1e400}"#);
    assert_eq!(result.faults, []);
}

#[test]
fn presence_is_the_key_not_the_value() {
    for value in ["null", "false", "0", "\"\"", "[]", "{}"] {
        let result = parse(&format!(r#"{{"content": [], "structuredContent": {value}}}"#));
        assert_eq!(result.structured.unwrap().text(), value);
    }
    assert!(parse(r#"{"content": []}"#).structured.is_none());
}

#[test]
fn what_is_odd_is_a_fault_and_loses_nothing_else() {
    check_faults("{}", &["/content is missing"]);
    check_faults(r#"{"content": null}"#, &["/content is null, not an array"]);
    check_faults(r#"{"content": [], "isError": "no"}"#, &["/isError is a string, not a boolean"]);
    check_faults(r#"{"content": [], "_meta": []}"#, &["/_meta is an array, not an object"]);
    check_faults(
        r#"{"content": [7, {}, {"type": "text"}, {"type": "image", "data": "", "mimeType": 1}, {"type": "resource", "resource": {}}]}"#,
        &[
            "/content/0 is a number, not an object",
            "/content/1 has no type",
            "/content/2/text is missing or not a string",
            "/content/3/mimeType is missing or not a string",
            "/content/4/resource/uri is missing or not a string",
        ],
    );
    let result =
        parse(r#"{"content": [{"type": "text", "text": "\ud800"}, {"type": "text", "text": "ok"}]}"#);
    assert_eq!(result.texts().collect::<Vec<_>>(), ["ok"]);
    assert_eq!(result.content.len(), 2);
}

#[test]
fn keys_of_other_results_are_no_matter() {
    let result = parse(r#"{"messages": [], "action": "accept", "content": [], "structuredContent": 1}"#);
    assert_eq!((result.structured.unwrap().text(), result.faults.len()), ("1", 0));
}

#[test]
fn an_answer_that_is_not_final_needs_no_content() {
    let result = parse(r#"{"resultType": "input_required", "inputRequests": {}}"#);
    assert!(!result.is_complete());
    assert_eq!(result.faults, []);
    assert!(parse(r#"{"resultType": "complete", "content": []}"#).is_complete());
}

#[test]
fn only_an_object_is_a_result() {
    for text in ["null", "[]", "1"] {
        assert!(ToolResult::parse(RawJson::parse(text).unwrap()).is_err());
    }
}
