//! Signatures within their bytes.

use serde_json::{Value, json};

use super::super::typescript::tests::catalogue;
use super::*;

fn tool(input: Value, output: Option<Value>) -> ToolDefinition {
    let (mut tools, _) = catalogue();
    let mut tool = tools.remove(0);
    tool.input_schema = input;
    tool.output_schema = output;
    tool
}

#[test]
fn a_signature_is_one_line() {
    let (tools, _) = catalogue();
    assert_eq!(
        typescript_signature(&tools[0], "mcp__rmcp__echo", 200),
        "mcp__rmcp__echo(args: { env_var?: string; message: string; }): Promise<{ echo: string; env: string | null; }>"
    );
    assert_eq!(
        typescript_signature(&tools[4], "mcp__rmcp__silent", 200),
        "mcp__rmcp__silent(args?: Record<string, never>): Promise<unknown>"
    );
    assert_eq!(
        keyword_signature(&tools[0], "mcp__rmcp__echo", 200),
        "mcp__rmcp__echo(message: string, env_var?: string) -> { echo: string; env: string | null; }"
    );
    assert_eq!(keyword_signature(&tools[4], "mcp__rmcp__silent", 200), "mcp__rmcp__silent() -> unknown");
}

#[test]
fn types_with_names_follow() {
    let (tools, _) = catalogue();
    assert_eq!(
        keyword_signature(&tools[1], "f", 200),
        "f(\"max-rows\"?: number) -> Array<Row>; type Row = { id?: number; next?: Row; }"
    );
    let node = json!({"type": "object", "properties": {"n": {"$ref": "#/$defs/A"}, "m": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"type": "object", "properties": {"x": {"type": "string"}, "y": {"type": "string"}}}}});
    // The same type on both sides is written once.
    assert_eq!(
        typescript_signature(&tool(node.clone(), Some(node)), "f", 200),
        "f(args?: { m?: A; n?: A; }): Promise<{ m?: A; n?: A; }>; type A = { x?: string; y?: string; }"
    );
}

#[test]
fn a_long_one_is_shortened_by_structure() {
    let properties: serde_json::Map<String, Value> = (0..40)
        .map(|at| {
            (format!("argument_{at:02}"), json!({"type": "object", "properties": {"a": {"type": "string"}}}))
        })
        .collect();
    let object = json!({"type": "object", "properties": properties, "required": ["argument_07"]});
    let tool = tool(object.clone(), Some(object));
    for bytes in [64, 128, 256, 1_024, 4_096] {
        let keyword = keyword_signature(&tool, "f", bytes);
        assert!(keyword.len() <= bytes + 1, "{bytes}: {keyword}");
        assert!(keyword.starts_with("f(argument_07"), "{keyword}");
        let typescript = typescript_signature(&tool, "f", bytes);
        assert!(typescript.len() <= (bytes + 1).max(80), "{bytes}: {typescript}");
    }
    assert_eq!(
        keyword_signature(&tool, "f", 128),
        "f(argument_07, argument_00?, argument_01?, … (+37)) -> unknown /* object with keys argument_00, argument_01, … (+38) */"
    );
}

#[test]
fn a_table_that_does_not_fit_keeps_the_first_fields_of_its_rows() {
    let fields: serde_json::Map<String, Value> =
        (0..40).map(|at| (format!("column_{at:02}"), json!({"type": "number"}))).collect();
    let row = json!({"type": "object", "properties": fields, "required": ["column_39"]});
    let table =
        |row: Value| json!({"type": "object", "properties": {"rows": {"type": "array", "items": row}}});
    let input = json!({"type": "object"});
    for output in [
        table(row.clone()),
        json!({"type": "object", "properties": {"rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}}}, "$defs": {"Row": row}}),
    ] {
        assert_eq!(
            keyword_signature(&tool(input.clone(), Some(output)), "f", 150),
            "f() -> { rows?: Array<{ column_00?: number; column_01?: number; column_02?: number; column_39: number; /* … (+36) */ }>; }"
        );
    }
    let nested = json!({"type": "array", "items": row});
    assert_eq!(
        typescript_signature(&tool(input, Some(nested)), "f", 115),
        "f(args?: { [key: string]: unknown; }): Promise<Array<{ column_00?: number; column_39: number; /* … (+38) */ }>>"
    );
}

#[test]
fn arguments_of_several_objects_at_once_are_all_shown() {
    let either = json!({"type": "object", "properties": {"to": {"type": "string"}, "cc": {"type": "string"}},
        "anyOf": [{"required": ["to"]}, {"required": ["cc"]}]});
    assert_eq!(keyword_signature(&tool(either, None), "f", 200), "f(cc?: string, to?: string) -> unknown");
    assert_eq!(keyword_signature(&tool(json!({}), None), "f", 200), "f() -> unknown");
    assert_eq!(typescript_signature(&tool(json!({}), None), "f", 200), "f(args?: unknown): Promise<unknown>");
}
