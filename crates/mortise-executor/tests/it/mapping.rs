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
fn a7_texts_are_objects_lists_or_themselves() {
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
fn a8_other_texts_leave_the_value_as_it_is() {
    let result = json!({
        "content": [{ "type": "text", "text": "EMPTY RESULT …" }, { "type": "text", "text": r#"{"results": []}"# }],
        "structuredContent": { "results": [] },
    });
    check(vec![(&result.to_string(), "{'results': []}")]);
}

#[test]
fn a9_wrapped_values_are_unwrapped_by_evidence() {
    check(vec![
        (&with_text("Hello!", json!({ "result": "Hello!" })), "Hello!"),
        (&with_text(r#"{"result": 5}"#, json!({ "result": 5 })), "{'result': 5}"),
        (&with_text(r#"{"result": 7}"#, json!({ "result": r#"{"result": 7}"# })), "{'result': 7}"),
        (&with_text("other", json!({ "result": 5 })), "{'result': 5}"),
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
        (&texts(&["TRUNCATED — 5 rows", "[1, 2]"]), "[1, 2]"),
        (&texts(&["see below", r#"{"a": 1}"#]), "{'a': 1}"),
        (&texts(&["[1]", "[2]"]), "[[1], [2]]"),
        (&texts(&["1.10"]), "1.10"),
        (&texts(&["null", "2"]), "null\n2"),
    ]);
}

#[test]
fn a11_media_is_the_value_or_stands_beside_it() {
    let image = json!({ "type": "image", "mimeType": "image/png", "data": "AAEC" });
    let audio = json!({ "type": "audio", "mimeType": "audio/wav", "data": "AAEC" });
    let alone = json!({ "content": [image] }).to_string();
    let beside = json!({ "content": [{ "type": "text", "text": r#"{"a":1}"# }, image, audio] }).to_string();
    check(vec![
        (&alone, "[{'type': 'image', 'mimeType': 'image/png', 'data': 'AAEC'}]"),
        (&beside, "{'a': 1}"),
    ]);
}

/// A result with a structured value, a text that says something else, and every other kind of block.
fn everything() -> String {
    json!({
        "structuredContent": { "a": 1 },
        "content": [
            { "type": "text", "text": "3 rows were cut" },
            { "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=".repeat(20) },
            { "type": "resource", "resource": { "uri": "file:///a.bin", "mimeType": "application/x", "blob": "AAEC" } },
            { "type": "resource_link", "uri": "file:///b.txt", "name": "b" },
        ],
    })
    .to_string()
}

#[tokio::test]
async fn a_program_writes_back_what_it_read() {
    let bench = Setup::of([answering(vec![(tool("t"), &everything())])]).start().await;
    let code = "p = await mcp__s__t()\nprint(sum(p.values()), p)";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "1 {'a': 1}\n");
    let blocks = ran.result["content"].as_array().unwrap();
    let said = blocks.last().unwrap()["text"].as_str().unwrap();
    assert_eq!(
        said,
        "Some results held more than the value: mcp__s__t (image (image/png), resource (file:///a.bin), \
         resource link (file:///b.txt), …). `value, content = await with_content(mcp__s__t(...))` returns all of a \
         result."
    );
    let beside =
        json!(["text", "image (image/png)", "resource (file:///a.bin)", "resource link (file:///b.txt)"]);
    assert_eq!(ran.only_call()["beside_value"], beside);
}

#[tokio::test]
async fn with_content_gives_the_value_and_every_block() {
    let scalar = json!({ "content": [{ "type": "text", "text": "n" }], "structuredContent": 7 }).to_string();
    let bench = Setup::of([answering(vec![
        (tool("t"), &everything()),
        (tool("scalar"), &scalar),
        (tool("empty"), r#"{"content":[]}"#),
        (tool("image"), r#"{"content":[{"type":"image","mimeType":"image/png","data":"AAEC"}]}"#),
        (tool("fails"), r#"{"isError":true,"content":[{"type":"text","text":"no"},{"type":"resource_link","uri":"file:///log","name":"log"}]}"#),
    ])])
    .start()
    .await;
    let code = r#"
value, content = await with_content(mcp__s__t())
print(value, [block["type"] for block in content])
print(content[1])
print(content[2]["resource"]["uri"], content[3]["uri"], len(content[1]["data"]))
print(await with_content(mcp__s__scalar()), await with_content(mcp__s__empty()))
value, content = await with_content(mcp__s__image())
print(value is content, value)
try:
    await with_content(mcp__s__fails())
except ToolError as error:
    print(error.content[1]["uri"])
"#;
    let ran = bench.run(code).await;
    assert_eq!(
        ran.facts["output"],
        "{'a': 1} ['text', 'image', 'resource', 'resource_link']\n\
         {'type': 'image', 'mimeType': 'image/png', 'data': <240 characters of Base64>}\n\
         file:///a.bin file:///b.txt 240\n\
         (7, [{'type': 'text', 'text': 'n'}]) (None, [])\n\
         True [{'type': 'image', 'mimeType': 'image/png', 'data': 'AAEC'}]\n\
         file:///log\n",
        "{}",
        ran.text
    );
    assert_eq!(ran.result["content"].as_array().unwrap().len(), 1, "nothing was left behind");
}

#[tokio::test]
async fn a_wrapped_string_is_the_same_for_check_inspection_and_value() {
    let wrapper =
        json!({ "type": "object", "properties": { "result": { "type": "string" } }, "required": ["result"] });
    let result = r#"{"content":[],"structuredContent":{"result":"[{\"id\": 1}]"}}"#;
    let bench = Setup::of([answering(vec![(promising("t", wrapper), result)])])
        .check(mortise_typecheck::CheckMode::Guard)
        .start()
        .await;
    let code = "import json\nrows = json.loads(await mcp__s__t())\nprint(rows[0]['id'])";
    assert_eq!(bench.prints(code).await, "1\n");
    let refused = bench.run("rows = await mcp__s__t()\nprint(rows['id'])").await;
    assert!(refused.text.contains("the value is a string and has no key"), "{}", refused.text);
    let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__s__t" })).await;
    let shown: serde_json::Value = serde_json::from_str(&inspected.text).unwrap();
    assert_eq!(shown["outputSchema"], json!({ "type": "string" }));
    assert!(shown["note"].as_str().unwrap().contains("without the wrapper"), "{shown}");
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

#[tokio::test]
async fn an_image_passes_from_a_server_to_the_client() {
    let image = json!({ "type": "image", "mimeType": "image/png", "data": "AAEC" });
    let shot = json!({ "content": [{ "type": "text", "text": "done" }, image] }).to_string();
    let bench = Setup::of([answering(vec![(tool("shot"), &shot)])]).start().await;
    let code = "value, content = await with_content(mcp__s__shot())\nemit_image(content)\nprint(value)";
    let ran = bench.run(code).await;
    assert!(ran.text.starts_with("[Script executed successfully]\ndone"), "{}", ran.text);
    assert_eq!((&ran.result["content"][1], &ran.result["content"][2]), (&image, &json!(null)));
    let failed = bench.run("emit_image('AAEC', 'image/png')\n1/0").await;
    assert!(failed.is_error);
    assert_eq!((&failed.result["content"][1], &failed.result["content"][2]), (&image, &json!(null)));
}
