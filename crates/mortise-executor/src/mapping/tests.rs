//! Rows for `mapping`.

use super::*;

fn contract(output_schema: Option<&str>) -> Contract {
    let schema = output_schema.map(|schema| format!(r#","outputSchema":{schema}"#)).unwrap_or_default();
    let tool = format!(r#"{{"name":"t","inputSchema":{{"type":"object"}}{schema}}}"#);
    Contract::parse(RawJson::parse(&tool).unwrap()).unwrap()
}

/// The value of a result, and after `|` what stands beside it.
#[track_caller]
fn check(output_schema: Option<&str>, result: &str, expected: &str) {
    let result = ToolResult::parse(RawJson::parse(result).unwrap()).unwrap();
    let shown = match script_value(&contract(output_schema), &result) {
        Mapped::Value(value) if value.beside.is_empty() => value.json.text().to_owned(),
        Mapped::Value(value) => format!("{} | {}", value.json.text(), value.beside.join(", ")),
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

#[track_caller]
fn check_declared(output_schema: &str, given: &[&str], expected: &str) {
    check(Some(output_schema), &format!(r#"{{"content":{}}}"#, texts(given)), expected);
}

#[test]
fn a_text_of_a_tool_without_a_shape_is_an_object_a_list_or_itself() {
    check_texts(&[r#"{"key":"value"}"#], r#"{"key":"value"}"#);
    check_texts(&["[1,2,3]"], "[1,2,3]");
    check_texts(&["Hello"], r#""Hello""#);
    check_texts(&["1.10"], r#""1.10""#);
    check_texts(&["null"], r#""null""#);
    check_texts(&["true"], r#""true""#);
    check_texts(&["\"quoted\""], r#""\"quoted\"""#);
    check_texts(&[], "null");
    check_texts(&["line1", "line2"], r#""line1\nline2""#);
}

#[test]
fn a_text_of_a_tool_with_a_shape_becomes_what_the_shape_has_a_place_for() {
    check_declared(r#"{"type":"number"}"#, &["1.10"], "1.10");
    check_declared(r#"{"type":["integer","null"]}"#, &["null"], "null");
    check_declared(r#"{"type":"object"}"#, &[r#"{"a":1}"#], r#"{"a":1}"#);
    check_declared(r#"{"type":"object"}"#, &["just text"], r#""just text""#);
    for text in ["1.10", "null", r#"{"a":1}"#, "[]"] {
        check_declared(r#"{"type":"string"}"#, &[text], &Value::from(text).to_string());
        check_declared(r#"{"type":["string","null"]}"#, &[text], &Value::from(text).to_string());
    }
    let wrapper = r#"{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]}"#;
    check_declared(wrapper, &["5"], "5");
    check_declared(wrapper, &[r#"{"result":5}"#], "5");
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
fn nothing_is_written_into_a_structured_value() {
    let result = |structured: &str| {
        let texts = texts(&["EMPTY RESULT …", structured]);
        format!(r#"{{"content":{texts},"structuredContent":{structured}}}"#)
    };
    check(None, &result(r#"{"results":[]}"#), r#"{"results":[]} | text"#);
    check(None, &result("[1,2]"), "[1,2] | text");
    check(None, &result("7"), "7 | text");
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
fn a_wrapped_string_is_the_string_that_was_declared() {
    let shape = r#"{"type":"object","properties":{"result":{"type":"string"}},"required":["result"]}"#;
    for inner in [r#""[{\"id\": 1}]""#, r#""[]""#, r#""{}""#, r#""1.10""#] {
        check(Some(shape), &format!(r#"{{"content":[],"structuredContent":{{"result":{inner}}}}}"#), inner);
    }
}

#[test]
fn one_json_among_texts_is_the_value() {
    check_texts(&["TRUNCATED — 5 rows", "[1, 2]"], "[1, 2] | text");
    check_texts(&["a note", "5"], r#""a note\n5""#);
}

#[test]
fn texts_that_are_all_json_are_a_list() {
    check_texts(&[r#"{"id": 1}"#, r#"{"id": 2}"#], r#"[{"id": 1},{"id": 2}]"#);
    check_texts(&["[]"], "[]");
}

#[test]
fn texts_that_spell_a_list_element_by_element_say_nothing_else() {
    let shape = r#"{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}"#;
    let result = |given: &[&str], list: &str| {
        format!(r#"{{"content":{},"structuredContent":{{"result":{list}}}}}"#, texts(given))
    };
    check(Some(shape), &result(&["1", "two", r#"{"n": 3}"#], r#"[1,"two",{"n":3}]"#), r#"[1,"two",{"n":3}]"#);
    check(Some(shape), &result(&["[1]"], "[[1]]"), "[[1]]");
    check(Some(shape), &result(&["1"], "[1,2]"), "[1,2] | text");
    check(Some(shape), &result(&["2", "1"], "[1,2]"), "[1,2] | text, text");
    let array = r#"{"type":"array"}"#;
    check(
        Some(array),
        &format!(r#"{{"content":{},"structuredContent":[1,2]}}"#, texts(&["1", "2"])),
        "[1,2]",
    );
}

#[test]
fn blocks_without_text_are_the_value_and_stand_beside_any_other() {
    let image = r#"{"type":"image","mimeType":"image/png","data":"AAEC"}"#;
    let blob = r#"{"type":"resource","resource":{"uri":"file:///a.bin","blob":"AAEC"}}"#;
    let link = r#"{"type":"resource_link","uri":"file:///b","name":"b"}"#;
    check(None, &format!(r#"{{"content":[{image}]}}"#), &format!("[{image}]"));
    check(None, &format!(r#"{{"content":[{image},{blob}]}}"#), &format!("[{image},{blob}]"));
    check(
        None,
        &format!(r#"{{"content":[{{"type":"text","text":"{{\"a\":1}}"}},{image},{blob},{link}]}}"#),
        r#"{"a":1} | image (image/png), resource (file:///a.bin), resource link (file:///b)"#,
    );
    check(
        Some(r#"{"type":"object"}"#),
        &format!(r#"{{"content":[{image}],"structuredContent":{{"a":1}}}}"#),
        r#"{"a":1} | image (image/png)"#,
    );
}

#[test]
fn content_is_every_block_as_it_was_sent() {
    let blocks = r#"[{"type":"text","text":"done"},{"type":"resource","resource":{"uri":"file:///a","blob":"AA=="}},{"type":"hologram","n":1.10}]"#;
    let result = ToolResult::parse(RawJson::parse(&format!(r#"{{"content":{blocks}}}"#)).unwrap()).unwrap();
    assert_eq!(content(&result).text(), blocks);
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
