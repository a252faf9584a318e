//! What is declared is what programs get.

use mortise_contract::unwrap::{ShapeRule, unwrapped};
use mortise_contract::{Contract, NameMap, RawJson, ServerName, ToolResult};
use serde_json::{Value, json};

use super::super::{ResultForm, ToolDefinition};
use crate::{
    Action, Provider, ProviderOptions, PythonOptions, Severity, TypeScriptOptions, python_declarations,
    render_tool, typescript_declarations, typescript_signature,
};

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

#[test]
fn an_output_schema_that_cannot_be_read_is_no_silence() {
    let mut deep = json!({"type": "string"});
    for _ in 0..150 {
        deep = json!({"type": "array", "items": deep});
    }
    let contract = contract(&json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": deep}));
    let mut tool = ToolDefinition::of(&ServerName::parse("s").unwrap(), &contract);
    let names = NameMap::new([(&tool.server, &tool.tool)]);
    let declared = |tool: &ToolDefinition| {
        let tools = std::slice::from_ref(tool);
        let typescript = typescript_declarations(tools, &names, &TypeScriptOptions::default());
        let python = python_declarations(tools, &names, &PythonOptions::default());
        assert_eq!(typescript.losses, python.losses);
        (typescript, python.text)
    };
    let said = "Says what it returns in a schema that can't be read.";
    let (typescript, python) = declared(&tool);
    assert!(typescript.text.contains(said) && python.contains(said), "{}{python}", typescript.text);
    let [loss] = typescript.losses[0].1.as_slice() else { panic!("{:?}", typescript.losses) };
    assert_eq!((loss.action, loss.severity), (Action::Dropped, Severity::Warn));
    assert_eq!(loss.reason, "the output schema can't be read: JSON nests deeper than 128 levels");
    for provider in Provider::ALL {
        let rendered = render_tool(provider, &tool, "t", &ProviderOptions::default());
        assert!(rendered.losses.contains(loss), "{provider:?} {:?}", rendered.losses);
    }
    tool.forward_output_schema = false;
    let (typescript, python) = declared(&tool);
    let said = "Says nothing about what it returns.";
    assert!(typescript.text.contains(said) && python.contains(said), "{}{python}", typescript.text);
    assert_eq!(typescript.losses, []);
}
