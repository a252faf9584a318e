//! What is declared is what programs get.

use serde_json::{Value, json};

use super::{ResultForm, ToolDefinition};
use crate::declare::typescript_signature;
use crate::unwrap::{ShapeRule, unwrapped};
use crate::{Contract, RawJson, ServerName, ToolResult};

fn contract(tool: &Value) -> Contract {
    Contract::parse(RawJson::parse(&tool.to_string()).unwrap()).unwrap()
}

/// The declared type and the delivered value of a tool that sends `{"result": "x"}`.
#[track_caller]
fn check(output: Value, meta: Value, declared: &str, delivered: &str) {
    let contract = contract(&json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": output,
        "_meta": meta}));
    let tool = ToolDefinition::of(&ServerName::parse("s").unwrap(), &contract);
    assert_eq!(
        typescript_signature(&tool, "t", 200),
        format!("t(args?: {{ [key: string]: unknown; }}): Promise<{declared}>")
    );
    let sent = r#"{"content": [], "structuredContent": {"result": "x"}}"#;
    let result = ToolResult::parse(RawJson::parse(sent).unwrap()).unwrap();
    assert_eq!(unwrapped(&contract, &result, ShapeRule::default()).unwrap().value.text(), delivered);
    let schema = tool.result_schema(ResultForm::Unwrapped).unwrap();
    assert_eq!(schema["type"] == "string", delivered == "\"x\"", "{schema}");
}

#[test]
fn flagged_wrappers_are_declared_as_they_are_delivered() {
    let wrapper = |more: Value| {
        let mut schema = json!({"type": "object", "properties": {"result": {"type": "string"}}});
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let (flag, required) = ("x-fastmcp-wrap-result", json!(["result"]));
    check(wrapper(json!({flag: true})), json!({}), "string", "\"x\"");
    check(wrapper(json!({flag: true, "required": required, "x-other": 1})), json!({}), "string", "\"x\"");
    check(wrapper(json!({flag: true, "minProperties": 1})), json!({}), "string", "\"x\"");
    let projected = json!({"mortise/projected": true});
    check(wrapper(json!({"required": required, "minProperties": 1})), projected, "string", "\"x\"");
    check(wrapper(json!({"required": required})), json!({}), "string", "\"x\"");
    let whole = r#"{"result": "x"}"#;
    check(wrapper(json!({})), json!({}), "{ result?: string; }", whole);
    check(wrapper(json!({"required": required, "x-other": 1})), json!({}), "{ result: string; }", whole);
}
