use serde_json::json;

use super::{fixed, lay_over};

#[test]
fn there_are_nine_fixed_tools() {
    let names: Vec<String> = fixed().into_iter().map(|tool| tool.name).collect();
    assert_eq!(
        names,
        [
            "connect_to_server",
            "disconnect",
            "get_connection_status",
            "list_tools",
            "call_tool",
            "list_resources",
            "read_resource",
            "list_prompts",
            "get_prompt"
        ]
    );
}

#[test]
fn only_the_outdated_line_is_replaced() {
    let tools = fixed();
    assert!(tools[0].description.starts_with("Connects to an MCP server for testing. Supports both"));
    assert!(tools[0].description.ends_with(
        "\nFor local servers, provide the command with its arguments, environment and working directory."
    ));
}

#[test]
fn what_is_there_stays() {
    let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    lay_over(&mut schema, json!({"type": "array", "properties": {"a": {"type": "null"}, "b": {}}}));
    assert_eq!(schema, json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}));
}
