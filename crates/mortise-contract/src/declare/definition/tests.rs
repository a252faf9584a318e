//! What a definition takes over from its server.

mod delivered;

use serde_json::{Value, json};

use super::*;
use crate::RawJson;
use crate::declare::{
    LintVerdict, Provider, ProviderOptions, TypeScriptOptions, lint, provider_names, typescript_declarations,
};

fn definition(tool: Value) -> ToolDefinition {
    let contract = Contract::parse(RawJson::parse(&tool.to_string()).unwrap()).unwrap();
    ToolDefinition::of(&ServerName::parse("s").unwrap(), &contract)
}

#[test]
fn a_tool_without_an_input_schema_is_found() {
    for (tool, is_found) in [
        (json!({"name": "t"}), true),
        (json!({"name": "t", "inputSchema": "string"}), true),
        (json!({"name": "t", "inputSchema": true}), true),
        (json!({"name": "t", "inputSchema": {}}), false),
    ] {
        let tools = [definition(tool)];
        assert_eq!(tools[0].declares_input_schema, !is_found);
        let names = provider_names(&tools);
        let found = lint(&tools, &Provider::ALL, &names, &ProviderOptions::default());
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.verdict, it.providers.len(), it.loss.keyword.as_str(), it.loss.fix.is_some()))
            .collect();
        let expected = [(LintVerdict::Weakened, 7, "inputSchema", true)];
        assert_eq!(found, expected[..usize::from(is_found)]);
        let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
        assert_eq!(typescript.losses.len(), usize::from(is_found));
    }
}

#[test]
fn an_unwrapped_result_that_refers_to_its_wrapper_takes_it_along() {
    let tool = definition(json!({"name": "t", "inputSchema": {}, "outputSchema": {"type": "object",
        "properties": {"result": {"type": "array", "items": {"$ref": "#"}}}, "required": ["result"],
        "x-fastmcp-wrap-result": true}}));
    let unwrapped = tool.result_schema(ResultForm::Unwrapped).unwrap();
    assert_eq!(unwrapped["items"], json!({"$ref": "#/$defs/wrapper"}));
    assert_eq!(unwrapped["$defs"]["wrapper"]["properties"], json!({"result": {"$ref": "#"}}));
    assert_eq!(tool.result_schema(ResultForm::AsSent), tool.output_schema);
}
