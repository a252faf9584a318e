//! The edge matrix: what servers return, and what comes of it in warn and strict mode.

use mortise_contract::Mode;
use serde_json::{Value, json};

use crate::bench::Setup;
use crate::servers::{answering, mock, promising, tool};

const CATCH: &str = "try:\n    print(repr(await mcp__s__t()))\nexcept ToolError as e:\n    print(f'{e.kind}: {e} {e.structured}')";

fn text_schema() -> Value {
    json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] })
}

/// A declaration and a result; output and verdict in warn mode; the beginning of the output in strict mode.
struct Row {
    declared: Value,
    result: &'static str,
    output: &'static str,
    verdict: &'static str,
    strict: &'static str,
}

async fn check(row: Row) {
    let server = || answering(vec![(row.declared.clone(), row.result)]);
    let warn = Setup::of([server()]).start().await.run(CATCH).await;
    assert_eq!(warn.facts["output"], format!("{}\n", row.output), "{}", row.result);
    assert_eq!(warn.only_call()["verdict"], row.verdict, "{}", row.result);
    let strict = Setup::of([server()]).mode(Mode::Strict).start().await.run(CATCH).await;
    let output = strict.facts["output"].as_str().unwrap();
    assert!(output.starts_with(row.strict), "{}: {output}", row.result);
}

#[tokio::test]
async fn a_conforming_result_is_its_value() {
    check(Row {
        declared: promising("t", text_schema()),
        result: r#"{"content":[{"type":"text","text":"{\"text\":\"hi\"}"}],"structuredContent":{"text":"hi"}}"#,
        output: "{'text': 'hi'}",
        verdict: "valid",
        strict: "{'text': 'hi'}",
    })
    .await;
}

#[tokio::test]
async fn a_mismatch_keeps_its_data() {
    check(Row {
        declared: promising("t", text_schema()),
        result: r#"{"content":[{"type":"text","text":"usable"}],"structuredContent":{"text":5}}"#,
        output: "{'text': 5}",
        verdict: "invalid",
        strict: "output: 'mcp__s__t' returned data that does not match its declared output schema: at /text: ",
    })
    .await;
}

#[tokio::test]
async fn a_missing_value_is_read_from_the_text() {
    check(Row {
        declared: promising("t", text_schema()),
        result: r#"{"content":[{"type":"text","text":"{\"text\":\"in the text\"}"}]}"#,
        output: "{'text': 'in the text'}",
        verdict: "recovered_from_text",
        strict: "output: 'mcp__s__t' returned data that does not match its declared output schema: no structured content",
    })
    .await;
    check(Row {
        declared: promising("t", text_schema()),
        result: r#"{"content":[{"type":"text","text":"just text"}]}"#,
        output: "'just text'",
        verdict: "missing",
        strict: "output: 'mcp__s__t' returned data that does not match its declared output schema: no structured content",
    })
    .await;
}

#[tokio::test]
async fn an_error_has_its_text_and_its_structure() {
    for (result, output) in [
        (
            r#"{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{"code":7}}"#,
            "tool: 'mcp__s__t' returned an error: no {'code': 7}",
        ),
        (
            r#"{"isError":true,"content":[{"type":"text","text":"no"}]}"#,
            "tool: 'mcp__s__t' returned an error: no None",
        ),
    ] {
        check(Row {
            declared: promising("t", text_schema()),
            result,
            output,
            verdict: "tool_error",
            strict: output,
        })
        .await;
    }
}

#[tokio::test]
async fn a_structured_null_is_present_and_validated_as_null() {
    let result = r#"{"content":[],"structuredContent":null}"#;
    check(Row {
        declared: promising("t", json!({ "type": ["object", "null"] })),
        result,
        output: "None",
        verdict: "valid",
        strict: "None",
    })
    .await;
    check(Row {
        declared: promising("t", text_schema()),
        result,
        output: "None",
        verdict: "invalid",
        strict: "output: 'mcp__s__t' returned data that does not match its declared output schema: at the root: ",
    })
    .await;
}

#[tokio::test]
async fn structure_without_a_schema_is_the_value() {
    check(Row {
        declared: tool("t"),
        result: r#"{"content":[],"structuredContent":{"rows":[1]}}"#,
        output: "{'rows': [1]}",
        verdict: "no_schema",
        strict: "{'rows': [1]}",
    })
    .await;
}

#[tokio::test]
async fn an_array_is_judged_by_an_array_schema() {
    let declared = promising("t", json!({ "type": "array", "items": { "type": "integer" } }));
    check(Row {
        declared: declared.clone(),
        result: r#"{"content":[],"structuredContent":[1,2]}"#,
        output: "[1, 2]",
        verdict: "valid",
        strict: "[1, 2]",
    })
    .await;
    check(Row {
        declared,
        result: r#"{"content":[],"structuredContent":[1,"2"]}"#,
        output: "[1, '2']",
        verdict: "invalid",
        strict: "output: 'mcp__s__t' returned data that does not match its declared output schema: at /1: ",
    })
    .await;
}

#[tokio::test]
async fn a_schema_that_leads_elsewhere_marks_only_its_tool() {
    for scenario in ["schema-external", "schema-file", "schema-dangling"] {
        let bench = Setup::of([mock("s", scenario)]).start().await;
        let ran = bench.run("print(await mcp__s__bad(text='x'), await mcp__s__echo(text='y'))").await;
        assert_eq!(ran.facts["output"], "{'text': 'x'} {'text': 'y'}\n", "{scenario}");
        let verdicts: Vec<Value> = ran.calls().iter().map(|call| call["verdict"].clone()).collect();
        assert_eq!(verdicts, ["unchecked", "valid"], "{scenario}");
        let inspected = bench.call("inspect_tool", json!({ "tool_name": "mcp__s__bad" })).await;
        assert!(inspected.facts["outputSchema"].is_object(), "{scenario}: shown as declared");
    }
}

#[tokio::test]
async fn an_unknown_dialect_is_said_to_be_unsupported() {
    let bench = Setup::of([mock("s", "schema-dialect")]).start().await;
    let ran = bench.run("print(await mcp__s__bad(text='x'))").await;
    assert_eq!(ran.facts["output"], "{'text': 'x'}\n");
    let call = ran.only_call();
    assert_eq!(call["verdict"], "unchecked");
    assert!(call["notes"].to_string().contains("dialect"), "{call}");
}

#[tokio::test]
async fn older_drafts_are_judged_by_their_own_rules() {
    let draft_07 = json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "array", "items": [{ "type": "integer" }, { "type": "string" }] });
    let draft_04 = json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": { "n": { "minimum": 1, "exclusiveMinimum": true } } });
    let strict = "output: 'mcp__s__t' returned data that does not match its declared output schema: ";
    for (schema, result, output, verdict, strict) in [
        (&draft_07, r#"{"content":[],"structuredContent":[1,"a"]}"#, "[1, 'a']", "valid", "[1, 'a']"),
        (&draft_07, r#"{"content":[],"structuredContent":["a",1]}"#, "['a', 1]", "invalid", strict),
        (&draft_04, r#"{"content":[],"structuredContent":{"n":2}}"#, "{'n': 2}", "valid", "{'n': 2}"),
        (&draft_04, r#"{"content":[],"structuredContent":{"n":1}}"#, "{'n': 1}", "invalid", strict),
    ] {
        check(Row { declared: promising("t", schema.clone()), result, output, verdict, strict }).await;
    }
}

#[tokio::test]
async fn a_marked_wrapper_is_unwrapped() {
    let bench = Setup::of([mock("s", "fastmcp-wrap"), mock("shape", "shape-wrap")]).start().await;
    let code = "print(type(await mcp__s__echo()).__name__, type(await mcp__shape__echo()).__name__)";
    let ran = bench.run(code).await;
    assert_eq!(ran.facts["output"], "str list\n");
    let notes: Vec<String> = ran.calls().iter().map(|call| call["notes"].to_string()).collect();
    assert!(notes[0].contains("says that it is only a wrapper"), "{notes:?}");
    assert!(notes[1].contains("has this one property and requires it"), "{notes:?}");
}

#[tokio::test]
async fn every_block_is_there_as_it_was_sent() {
    let bench = Setup::of([mock("s", "many-blocks")]).start().await;
    let code = "value, content = await with_content(mcp__s__echo())\nprint(repr(value), [b['type'] for b in content])";
    assert_eq!(
        bench.prints(code).await,
        "'first\\nlast' ['text', 'image', 'audio', 'resource_link', 'resource', 'text']\n"
    );
}

#[tokio::test]
async fn no_content_is_none() {
    check(Row {
        declared: tool("t"),
        result: r#"{"content":[]}"#,
        output: "None",
        verdict: "no_schema",
        strict: "None",
    })
    .await;
}

#[tokio::test]
async fn a_protocol_error_keeps_code_message_and_data() {
    let bench = Setup::of([mock("s", "rpc-error")]).start().await;
    let code = "try:\n    await mcp__s__echo()\nexcept ToolError as e:\n    print(e.kind, e, e.structured)";
    assert_eq!(
        bench.prints(code).await,
        "protocol 'mcp__s__echo' failed: server error -32603: the database is down {'retry': False}\n"
    );
}

#[tokio::test]
async fn all_pages_are_read_and_endless_ones_refused() {
    let bench = Setup::of([mock("s", "pages"), mock("endless", "cursor-loop")]).start().await;
    let listed = bench.call("list_callable_tools", json!({})).await;
    assert_eq!(listed.facts["tools"].as_array().unwrap().len(), 22);
    let unavailable = &listed.facts["unavailable"][0];
    assert_eq!((&unavailable["server"], &unavailable["state"]), (&json!("endless"), &json!("degraded")));
    assert!(unavailable["error"].as_str().unwrap().contains("does not end"), "{unavailable}");
    let code = "try:\n    await mcp__endless__echo(text='x')\nexcept ToolError as e:\n    print(e.kind, e)";
    assert_eq!(
        bench.prints(code).await,
        "unreachable 'mcp__endless__echo' unavailable: server 'endless' is not connected (`tools/list` on server \
         `endless` does not end: the cursor \"again\" came twice)\n"
    );
}

#[tokio::test]
async fn digits_survive_both_ways() {
    let bench = Setup::of([answering(vec![(
        tool("t"),
        r#"{"content":[],"structuredContent":{"big":12345678901234567890123,"float":1.10,"tiny":5e-324}}"#,
    )])])
    .start()
    .await;
    assert_eq!(
        bench.prints("print(await mcp__s__t())").await,
        "{'big': 12345678901234567890123, 'float': 1.1, 'tiny': 5e-324}\n"
    );
}
