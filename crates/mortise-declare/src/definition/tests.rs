//! What a definition takes over from its server.

mod delivered;

use mortise_contract::RawJson;
use serde_json::{Value, json};

use super::*;
use crate::{
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
        let expected = [(LintVerdict::Weakened, Provider::ALL.len(), "inputSchema", true)];
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

#[test]
fn numbers_that_are_rounded_are_losses_with_their_places() {
    let raw = r#"{"name": "t", "inputSchema": {"type": "object", "properties": {
        "id": {"type": "integer", "maximum": 18446744073709551615, "enum": [1, 123456789012345678901234567890]},
        "price": {"type": "number", "minimum": 0.10, "default": 0.1234567890123456789}}},
        "outputSchema": {"type": "object", "properties": {"n": {"const": 123456789012345678901}}}}"#;
    let contract = Contract::parse(RawJson::parse(raw).unwrap()).unwrap();
    let tool = ToolDefinition::of(&ServerName::parse("s").unwrap(), &contract);
    let places: Vec<&str> = tool.rounded_numbers.iter().map(|number| number.pointer.as_str()).collect();
    assert_eq!(places, ["/properties/id/enum/1", "/properties/price/default", "/properties/n/const"]);
    let tools = [tool];
    let names = provider_names(&tools);
    for provider in Provider::ALL {
        let findings = lint(&tools, &[provider], &names, &ProviderOptions::default());
        let rounded: Vec<_> = findings
            .iter()
            .filter(|finding| finding.loss.reason.contains("64 bits"))
            .map(|finding| (finding.loss.pointer.as_str(), finding.loss.keyword.as_str()))
            .collect();
        let expected =
            [("/properties/id", "enum"), ("/properties/price", "default"), ("/properties/n", "const")];
        assert_eq!(rounded, expected, "{}", provider.as_str());
    }
    let typescript = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
    assert_eq!(typescript.losses[0].1.iter().filter(|loss| loss.reason.contains("64 bits")).count(), 3);
}
