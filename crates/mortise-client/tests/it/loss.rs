//! What a typed client would lose or misread survives here, and only the bad part is marked.

use mortise_client::{CallError, CallOptions};
use mortise_contract::verdict::Status;
use mortise_contract::{Mode, ToolOutcome};
use serde_json::{Value, json};

use crate::support::{PATIENCE, call, legacy, pool_of, raw_result, tool, with_tools};

/// Calls the tool `t` with this output schema on a server that answers with this text.
async fn outcome_of(schema: Value, result: &'static str, mode: Mode) -> Result<ToolOutcome, CallError> {
    let mut declared = tool("t");
    if !schema.is_null() {
        declared["outputSchema"] = schema;
    }
    let (config, _) = with_tools(json!([declared]), move |request| raw_result(request, result));
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let outcome =
        upstream.call(call("t", "{}"), CallOptions { mode: Some(mode), ..CallOptions::default() }).await;
    assert_eq!(upstream.state().label(), "ready", "no result ends a connection");
    pool.shutdown().await;
    outcome
}

async fn warned(schema: Value, result: &'static str) -> ToolOutcome {
    outcome_of(schema, result, Mode::Warn).await.unwrap()
}

fn number() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]})
}

#[tokio::test]
async fn a_mismatch_keeps_the_value_and_says_where() {
    let outcome = warned(number(), r#"{"content":[],"structuredContent":{"n":"one"}}"#).await;
    assert_eq!(outcome.verdict.status, Status::Invalid);
    assert_eq!(outcome.verdict.errors[0].instance_path, "/n");
    assert_eq!(outcome.result.structured.unwrap().text(), r#"{"n":"one"}"#);
}

#[tokio::test]
async fn a_mismatch_is_an_error_with_the_payload_in_strict_mode() {
    let result = r#"{"content":[],"structuredContent":{"n":"one"}}"#;
    let error = outcome_of(number(), result, Mode::Strict).await.unwrap_err();
    let CallError::Violation { outcome, .. } = error else { panic!("{error:?}") };
    assert_eq!(outcome.verdict.error_code(), Some(-32602));
    assert_eq!(outcome.result.structured.unwrap().text(), r#"{"n":"one"}"#);
}

#[tokio::test]
async fn missing_structured_content_is_told() {
    let outcome = warned(number(), r#"{"content":[{"type":"text","text":"one"}]}"#).await;
    assert_eq!(outcome.verdict.status, Status::Missing);
    assert_eq!(outcome.result.texts().collect::<Vec<_>>(), ["one"]);
}

#[tokio::test]
async fn arrays_and_null_are_kept_on_a_legacy_connection_and_noted() {
    for (result, schema, kept) in [
        (r#"{"content":[],"structuredContent":[1,2]}"#, json!({"type": "array"}), "[1,2]"),
        (r#"{"content":[],"structuredContent":null}"#, json!({"type": "null"}), "null"),
    ] {
        let outcome = warned(schema, result).await;
        assert_eq!(outcome.verdict.status, Status::Valid);
        assert_eq!(outcome.result.structured.unwrap().text(), kept);
        assert_ne!(outcome.verdict.notes, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_result_without_content_is_a_result() {
    let outcome = warned(Value::Null, r#"{"structuredContent":{"a":1}}"#).await;
    assert_eq!(outcome.result.faults[0].to_string(), "/content is missing");
    assert_eq!(outcome.result.structured.unwrap().text(), r#"{"a":1}"#);
}

#[tokio::test]
async fn an_empty_result_is_a_result() {
    let outcome = warned(Value::Null, "{}").await;
    assert_eq!(outcome.result.raw.text(), "{}");
    assert_eq!(outcome.result.faults[0].to_string(), "/content is missing");
}

#[tokio::test]
async fn an_unknown_content_block_is_kept_word_for_word() {
    let result =
        r#"{"content":[{"type":"hologram","depth":1.10,"x":{"b":1,"a":2}}],"structuredContent":{"n":1}}"#;
    let outcome = warned(number(), result).await;
    assert_eq!(outcome.verdict.status, Status::Valid);
    assert_eq!(outcome.result.content[0].raw.text(), r#"{"type":"hologram","depth":1.10,"x":{"b":1,"a":2}}"#);
}

#[tokio::test]
async fn keys_nobody_knows_stay_on_a_known_content_block() {
    let result = concat!(
        r#"{"content":["#,
        r#"{"x-rank":1.10,"type":"text","text":"one","annotations":{"audience":["user"],"x-tint":"red"}},"#,
        r#"{"type":"image","data":"aGk=","mimeType":"image/png","x-alt":"a dot"},"#,
        r#"{"type":"resource_link","uri":"file:///a","name":"a","x-etag":12345678901234567890123},"#,
        r#"{"type":"resource","resource":{"uri":"file:///b","text":"b","x-inner":true},"x-outer":null}"#,
        "]}",
    );
    let outcome = warned(Value::Null, result).await;
    let kept: Vec<&str> = outcome.result.content.iter().map(|block| block.raw.text()).collect();
    assert_eq!(kept.len(), 4);
    assert_eq!(format!(r#"{{"content":[{}]}}"#, kept.join(",")), result);
    assert_eq!(outcome.result.texts().collect::<Vec<_>>(), ["one"]);
    assert_eq!(outcome.result.faults, []);
}

#[tokio::test]
async fn a_wrong_is_error_names_its_place() {
    let outcome = warned(Value::Null, r#"{"content":[],"isError":"no"}"#).await;
    assert!(!outcome.result.is_error);
    assert_eq!(outcome.result.faults[0].pointer, "/isError");
}

#[tokio::test]
async fn keys_that_belong_to_other_results_do_not_confuse() {
    for result in [
        r#"{"messages":[],"content":[],"structuredContent":{"n":1}}"#,
        r#"{"action":"accept","content":[],"structuredContent":{"n":1}}"#,
        r#"{"tools":[],"content":[],"structuredContent":{"n":1}}"#,
        r#"{"task":{"taskId":"x"},"content":[],"structuredContent":{"n":1}}"#,
    ] {
        let outcome = warned(number(), result).await;
        assert_eq!(outcome.verdict.status, Status::Valid, "{result}");
        assert_eq!(outcome.result.raw.text(), result);
    }
}

#[tokio::test]
async fn numbers_and_key_order_survive() {
    let result =
        r#"{"structuredContent":{"z":1e400,"a":123456789012345678901234567890,"p":1.10},"content":[]}"#;
    let outcome = warned(Value::Null, result).await;
    assert_eq!(outcome.result.raw.text(), result);
}

#[tokio::test]
async fn one_bad_tool_hides_no_other() {
    let tools = r#"{"tools":[
        {"name":"good","inputSchema":{"type":"object"}},
        {"name":"no-input"},
        {"name":"true-output","inputSchema":{"type":"object"},"outputSchema":true},
        "not a tool",
        {"inputSchema":{"type":"object"}},
        {"name":"good","inputSchema":{"type":"object"}},
        null,
        {"name":"last","inputSchema":{"type":"object"}}
    ]}"#;
    let (config, _) = legacy(|request| raw_result(request, &tools.replace('\n', " ")));
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let catalog = upstream.catalog();
    let names: Vec<&str> = catalog.contracts.iter().map(|contract| contract.name.as_str()).collect();
    assert_eq!(names, ["good", "no-input", "true-output", "last"]);
    assert_eq!(catalog.get("true-output").unwrap().issues[0].pointer, "/outputSchema");
    assert_eq!(catalog.get("no-input").unwrap().issues[0].pointer, "/inputSchema");
    let rejected: Vec<(usize, &str)> =
        catalog.rejected.iter().map(|tool| (tool.position, tool.reason.as_str())).collect();
    assert_eq!(
        rejected,
        [
            (3, "the tool is not a JSON object but a string: \"not a tool\""),
            (4, "the tool has no usable name: `name` is missing"),
            (5, "a tool named `good` was listed before"),
            (6, "the tool is not a JSON object but null: null"),
        ]
    );
    pool.shutdown().await;
}

#[tokio::test]
async fn fields_nobody_knows_stay_on_the_tool_in_their_order() {
    let element = r#"{"x-team":"sums","name":"t","execution":{"taskSupport":"optional"},"annotations":{"x-cost":1.50,"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"b":{},"a":{}}}}"#;
    let (config, _) = legacy(move |request| raw_result(request, &format!(r#"{{"tools":[{element}]}}"#)));
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(upstream.catalog().get("t").unwrap().raw.text(), element);
    pool.shutdown().await;
}

#[tokio::test]
async fn an_odd_answer_to_initialize_is_taken() {
    let (config, _) = crate::support::bare(|request| match request["method"].as_str() {
        Some("server/discover") => vec![mortise_testkit::refuse(request, -32601, "no")],
        Some("initialize") => raw_result(
            request,
            r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":true,"x":[1]},"serverInfo":"me","instructions":7,"messages":[]}"#,
        ),
        Some("tools/list") => {
            raw_result(request, r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#)
        }
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let facts = upstream.facts().unwrap();
    assert_eq!(facts.protocol_version, "2025-06-18");
    assert!(facts.has("tools") && facts.name().is_none() && facts.instructions.is_none());
    assert_eq!(upstream.catalog().contracts.len(), 1);
    pool.shutdown().await;
}

#[tokio::test]
async fn an_error_keeps_code_message_and_data() {
    let (config, _) = with_tools(json!([tool("t")]), |request| {
        vec![mortise_testkit::ScriptedReply::Frame(json!({
            "jsonrpc": "2.0", "id": request["id"],
            "error": {"code": -32042, "message": "go there", "data": {"url": "https://example.com"}},
        }))]
    });
    let (pool, upstream) = pool_of(config);
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    let CallError::Rpc { error, .. } = error else { panic!("{error:?}") };
    assert_eq!((error.code, error.message.as_str()), (-32042, "go there"));
    assert_eq!(error.data.unwrap().text(), r#"{"url":"https://example.com"}"#);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_strict_call_with_an_unusable_schema_is_never_sent() {
    let mut declared = tool("t");
    declared["outputSchema"] = json!({"$ref": "https://example.com/schema.json"});
    let (config, received) =
        with_tools(json!([declared]), |request| raw_result(request, r#"{"content":[]}"#));
    let (pool, upstream) = pool_of(config);
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::SchemaUnusable { .. }), "{error:?}");
    assert_eq!(crate::support::count(&received, "tools/call"), 0);
    pool.shutdown().await;
}
