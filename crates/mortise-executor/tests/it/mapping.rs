//! What a program gets for a result (executor/A7 to A12).

use serde_json::json;

use crate::bench::Setup;
use crate::servers::{answering, promising, tool};

/// The program sees this value for that result of a tool without output schema.
#[track_caller]
fn check(rows: Vec<(&str, &str)>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let names: Vec<String> = (0..rows.len()).map(|number| format!("t{number}")).collect();
        let tools = names.iter().zip(&rows).map(|(name, (result, _))| (tool(name), *result)).collect();
        let bench = Setup::of([answering(tools)]).start().await;
        for (name, (result, expected)) in names.iter().zip(&rows) {
            let printed = bench.prints(&format!("print(await mcp__s__{name}())")).await;
            assert_eq!(printed.trim_end(), *expected, "for {result}");
        }
    });
}

fn texts(texts: &[&str]) -> String {
    let blocks: Vec<_> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
    json!({ "content": blocks }).to_string()
}

fn with_text(text: &str, structured: serde_json::Value) -> String {
    json!({ "content": [{ "type": "text", "text": text }], "structuredContent": structured }).to_string()
}

#[test]
fn a7_texts_are_json_or_themselves() {
    check(vec![
        (&texts(&[r#"{"key":"value"}"#]), "{'key': 'value'}"),
        (&texts(&["[1,2,3]"]), "[1, 2, 3]"),
        (&texts(&["Hello"]), "Hello"),
        (&texts(&[]), "None"),
        (&texts(&["line1", "line2"]), "line1\nline2"),
        (&texts(&["12345678901234567890123"]), "12345678901234567890123"),
    ]);
}

#[test]
fn a8_other_texts_become_notes() {
    let result = json!({
        "content": [{ "type": "text", "text": "EMPTY RESULT …" }, { "type": "text", "text": r#"{"results": []}"# }],
        "structuredContent": { "results": [] },
    });
    check(vec![(&result.to_string(), "{'results': [], '_notes': ['EMPTY RESULT …']}")]);
}

#[test]
fn a9_wrapped_values_are_unwrapped_by_evidence() {
    check(vec![
        (&with_text("Hello!", json!({ "result": "Hello!" })), "Hello!"),
        (&with_text(r#"{"result": 5}"#, json!({ "result": 5 })), "{'result': 5}"),
        (&with_text(r#"{"result": 7}"#, json!({ "result": r#"{"result": 7}"# })), "{'result': 7}"),
        (&with_text("other", json!({ "result": 5 })), "{'result': 5, '_notes': ['other']}"),
    ]);
}

#[tokio::test]
async fn a9_flag_and_shape_of_a_schema_are_evidence() {
    let shape =
        json!({ "type": "object", "properties": { "result": { "type": "array" } }, "required": ["result"] });
    let mut flagged = shape.clone();
    flagged["x-fastmcp-wrap-result"] = json!(true);
    let open =
        json!({ "type": "object", "properties": { "result": {}, "next": {} }, "required": ["result"] });
    let result = r#"{"content":[],"structuredContent":{"result":[1]}}"#;
    let by_meta =
        r#"{"content":[],"structuredContent":{"result":[1]},"_meta":{"fastmcp":{"wrap_result":true}}}"#;
    let bench = Setup::of([answering(vec![
        (promising("flag", flagged), result),
        (promising("shape", shape), result),
        (promising("open", open), result),
        (tool("meta"), by_meta),
    ])])
    .start()
    .await;
    for (name, expected, evidence) in [
        ("flag", "[1]", "unwrapped `result`: the output schema says that it is only a wrapper"),
        ("shape", "[1]", "unwrapped `result`: the output schema has this one property and requires it"),
        ("open", "{'result': [1]}", ""),
        ("meta", "[1]", "unwrapped `result`: the result says that it is only a wrapper"),
    ] {
        let ran = bench.run(&format!("print(await mcp__s__{name}())")).await;
        assert_eq!(ran.facts["output"], format!("{expected}\n"), "{name}");
        let notes = ran.only_call()["notes"].to_string();
        assert!(notes.contains(evidence), "{name}: {notes}");
    }
}

#[test]
fn a10_one_json_among_texts_is_the_data() {
    check(vec![
        (&texts(&["TRUNCATED — 5 rows", "[1, 2]"]), "{'data': [1, 2], '_notes': ['TRUNCATED — 5 rows']}"),
        (&texts(&["see below", r#"{"a": 1}"#]), "{'a': 1, '_notes': ['see below']}"),
        (&texts(&["[1]", "[2]"]), "[1]\n[2]"),
    ]);
}

#[test]
fn a11_media_is_named() {
    let image = json!({ "type": "image", "mimeType": "image/png", "data": "AAEC" });
    let audio = json!({ "type": "audio", "mimeType": "audio/wav", "data": "AAEC" });
    let alone = json!({ "content": [image] }).to_string();
    let beside = json!({ "content": [{ "type": "text", "text": r#"{"a":1}"# }, image, audio] }).to_string();
    check(vec![
        (&alone, "{'data': None, '_notes': ['[non-text content omitted: image (image/png)]']}"),
        (
            &beside,
            "{'a': 1, '_notes': ['[non-text content omitted: image (image/png)]', '[non-text content omitted: audio (audio/wav)]']}",
        ),
    ]);
}

#[tokio::test]
async fn a12_a_tool_that_failed_raises() {
    let bench = Setup::of([answering(vec![
        (
            tool("words"),
            r#"{"isError":true,"content":[{"type":"text","text":"no"},{"type":"text","text":"way"}]}"#,
        ),
        (tool("silent"), r#"{"isError":true,"content":[]}"#),
        (
            tool("both"),
            r#"{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"code":7}}"#,
        ),
    ])])
    .start()
    .await;
    let code = "for call in (mcp__s__words, mcp__s__silent, mcp__s__both):\n    try:\n        print(await call())\n    \
                except ToolError as e:\n        print(e.kind, e.tool, e, e.structured)";
    let ran = bench.run(code).await;
    assert_eq!(
        ran.facts["output"],
        "tool mcp__s__words 'mcp__s__words' returned an error: no way None\n\
         tool mcp__s__silent 'mcp__s__silent' returned an error: no details None\n\
         tool mcp__s__both 'mcp__s__both' returned an error: no {'code': 7}\n"
    );
    assert!(!ran.is_error, "a caught failure is no failure of the program");
    assert_eq!(ran.facts["ledger"]["failed"], 3);
    let verdicts: Vec<_> = ran.calls().iter().map(|call| call["verdict"].clone()).collect();
    assert_eq!(verdicts, ["tool_error", "tool_error", "tool_error"]);
}
