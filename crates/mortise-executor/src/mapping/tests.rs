//! Rows for `mapping`.

use super::*;

fn contract(output_schema: Option<&str>) -> Contract {
    let schema = output_schema.map(|schema| format!(r#","outputSchema":{schema}"#)).unwrap_or_default();
    let tool = format!(r#"{{"name":"t","inputSchema":{{"type":"object"}}{schema}}}"#);
    Contract::parse(RawJson::parse(&tool).unwrap()).unwrap()
}

#[track_caller]
fn check(output_schema: Option<&str>, result: &str, expected: &str) {
    let result = ToolResult::parse(RawJson::parse(result).unwrap()).unwrap();
    let shown = match script_value(&contract(output_schema), &result) {
        Mapped::Value(value) => value.json.text().to_owned(),
        Mapped::ToolError { text, structured } => {
            format!("error: {text} {}", structured.as_ref().map_or("", RawJson::text))
        }
    };
    assert_eq!(shown, expected);
}

fn texts(texts: &[&str]) -> String {
    let blocks: Vec<Value> =
        texts.iter().map(|text| serde_json::json!({"type": "text", "text": text})).collect();
    Value::from(blocks).to_string()
}

#[track_caller]
fn check_texts(given: &[&str], expected: &str) {
    check(None, &format!(r#"{{"content":{}}}"#, texts(given)), expected);
}

#[test]
fn a_single_text_is_its_json_or_itself() {
    check_texts(&[r#"{"key":"value"}"#], r#"{"key":"value"}"#);
    check_texts(&["[1,2,3]"], "[1,2,3]");
    check_texts(&["Hello"], r#""Hello""#);
    check_texts(&[], "null");
    check_texts(&["line1", "line2"], r#""line1\nline2""#);
}

#[test]
fn digits_survive() {
    check_texts(
        &["{\"a\":1.10,\"b\":123456789012345678901234567890}"],
        "{\"a\":1.10,\"b\":123456789012345678901234567890}",
    );
    check(None, r#"{"content":[],"structuredContent":{"big":1e400}}"#, r#"{"big":1e400}"#);
}

#[test]
fn a_text_that_is_not_the_json_of_the_value_becomes_a_note() {
    check(
        None,
        &format!(
            r#"{{"content":{},"structuredContent":{{"results":[]}}}}"#,
            texts(&["EMPTY RESULT …", r#"{"results": []}"#])
        ),
        r#"{"results":[],"_notes":["EMPTY RESULT …"]}"#,
    );
}

#[test]
fn a_wrapped_value_is_unwrapped_by_evidence_only() {
    let wrapped = |text: &str, structured: &str| {
        format!(r#"{{"content":{},"structuredContent":{structured}}}"#, texts(&[text]))
    };
    check(None, &wrapped("Hello!", r#"{"result":"Hello!"}"#), r#""Hello!""#);
    check(None, &wrapped(r#"{"result": 5}"#, r#"{"result":5}"#), r#"{"result":5}"#);
    check(None, &wrapped(r#"{"result": 7}"#, r#"{"result":"{\"result\": 7}"}"#), r#"{"result": 7}"#);
    let flagged = r#"{"type":"object","properties":{"result":{"type":"array"}},"required":["result"],"x-fastmcp-wrap-result":true}"#;
    check(Some(flagged), r#"{"content":[],"structuredContent":{"result":[1]}}"#, "[1]");
    let open = r#"{"type":"object","properties":{"result":{},"more":{}}}"#;
    check(Some(open), r#"{"content":[],"structuredContent":{"result":[1]}}"#, r#"{"result":[1]}"#);
}

#[test]
fn one_json_among_texts_is_the_value() {
    check_texts(&["TRUNCATED — 5 rows", "[1, 2]"], r#"{"data":[1, 2],"_notes":["TRUNCATED — 5 rows"]}"#);
}

#[test]
fn texts_that_spell_a_list_element_by_element_are_no_notes() {
    let shape = r#"{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}"#;
    let result = |given: &[&str], list: &str| {
        format!(r#"{{"content":{},"structuredContent":{{"result":{list}}}}}"#, texts(given))
    };
    check(Some(shape), &result(&["1", "two", r#"{"n": 3}"#], r#"[1,"two",{"n":3}]"#), r#"[1,"two",{"n":3}]"#);
    check(Some(shape), &result(&["[1]"], "[[1]]"), "[[1]]");
    check(Some(shape), &result(&["1"], "[1,2]"), r#"{"data":[1,2],"_notes":["1"]}"#);
    check(Some(shape), &result(&["2", "1"], "[1,2]"), r#"{"data":[1,2],"_notes":["2","1"]}"#);
    let array = r#"{"type":"array"}"#;
    check(
        Some(array),
        &format!(r#"{{"content":{},"structuredContent":[1,2]}}"#, texts(&["1", "2"])),
        "[1,2]",
    );
}

#[test]
fn media_is_named_in_a_note() {
    let image = r#"{"type":"image","mimeType":"image/png","data":"AAEC"}"#;
    check(
        None,
        &format!(r#"{{"content":[{image}]}}"#),
        r#"{"data":null,"_notes":["[non-text content omitted: image (image/png)]"]}"#,
    );
    check(
        None,
        &format!(r#"{{"content":[{{"type":"text","text":"{{\"a\":1}}"}},{image}]}}"#),
        r#"{"a":1,"_notes":["[non-text content omitted: image (image/png)]"]}"#,
    );
}

#[test]
fn an_embedded_text_is_kept_whole() {
    check(
        None,
        r#"{"content":[{"type":"text","text":"done"},{"type":"resource","resource":{"uri":"file:///a","text":"body"}}]}"#,
        r#"{"data":"done","_resources":[{"uri":"file:///a","text":"body"}]}"#,
    );
}

#[test]
fn a_value_with_keys_of_ours_is_not_overwritten() {
    check(
        None,
        &format!(r#"{{"content":{},"structuredContent":{{"_notes":1}}}}"#, texts(&["other"])),
        r#"{"data":{"_notes":1},"_notes":["other"]}"#,
    );
}

#[test]
fn an_error_carries_text_and_structure() {
    check(
        None,
        r#"{"isError":true,"content":[{"type":"text","text":"no"},{"type":"text","text":"way"}],"structuredContent":{"code":7}}"#,
        r#"error: no way {"code":7}"#,
    );
    check(None, r#"{"isError":true,"content":[]}"#, "error: no details ");
}

#[test]
fn null_and_falsy_structured_values_are_values() {
    for value in ["null", "false", "0", r#""""#, "[]"] {
        check(None, &format!(r#"{{"content":[],"structuredContent":{value}}}"#), value);
    }
}
