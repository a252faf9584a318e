//! Whole files of TypeScript.

use mortise_contract::unwrap::ShapeRule;
use mortise_contract::{NameMap, ServerName, ToolName};
use serde_json::json;

use super::{TypeScriptForm, TypeScriptOptions, typescript_declarations};
use crate::SchemaSide;
use crate::definition::{ResultForm, ToolDefinition};

pub(crate) fn catalogue() -> (Vec<ToolDefinition>, NameMap) {
    let tool = |name: &str, description: Option<&str>, input, output| ToolDefinition {
        server: ServerName::parse("rmcp").unwrap(),
        tool: ToolName::parse(name).unwrap(),
        description: description.map(str::to_owned),
        input_schema: input,
        declares_input_schema: true,
        rounded_numbers: Vec::new(),
        output_schema: output,
        unreadable_output: None,
        forward_output_schema: true,
        shape_rule: ShapeRule::default(),
        is_projected: false,
    };
    let row =
        json!({"type": "object", "properties": {"id": {"type": "integer"}, "next": {"$ref": "#/$defs/Row"}}});
    let other =
        json!({"type": "object", "properties": {"id": {"type": "string"}, "next": {"$ref": "#/$defs/Row"}}});
    let listing = |row| json!({"type": "array", "items": {"$ref": "#/$defs/Row"}, "$defs": {"Row": row}});
    let tools = vec![
        tool(
            "echo",
            Some("Says it again.\n*/ not the end"),
            json!({"type": "object", "properties": {"message": {"type": "string"}, "env_var": {"type": "string"}}, "required": ["message"]}),
            Some(
                json!({"type": "object", "properties": {"echo": {"type": "string"}, "env": {"type": ["string", "null"]}}, "required": ["echo", "env"]}),
            ),
        ),
        tool(
            "rows",
            None,
            json!({"type": "object", "properties": {"max-rows": {"type": "integer", "description": "At most"}}}),
            Some(listing(row.clone())),
        ),
        tool("same", None, json!({"type": "object", "properties": {}}), Some(listing(row))),
        tool("other", None, json!({"type": "object"}), Some(listing(other))),
        tool("silent", None, json!({"type": "object", "additionalProperties": false}), None),
    ];
    let names = NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)));
    (tools, names)
}

#[test]
fn a_file_of_ambient_declarations() {
    let (tools, names) = catalogue();
    let declared = typescript_declarations(&tools, &names, &TypeScriptOptions::default());
    insta::assert_snapshot!(declared.text);
}

#[test]
fn a_module_with_results_as_they_are_sent() {
    let (tools, names) = catalogue();
    let options = TypeScriptOptions {
        form: TypeScriptForm::Module,
        results: ResultForm::AsSent,
        ..TypeScriptOptions::default()
    };
    insta::assert_snapshot!(typescript_declarations(&tools[..1], &names, &options).text);
}

#[test]
fn the_order_of_keys_and_tools_makes_no_difference() {
    let (mut tools, names) = catalogue();
    let options = TypeScriptOptions::default();
    let first = typescript_declarations(&tools, &names, &options);
    tools.reverse();
    for tool in &mut tools {
        tool.input_schema =
            serde_json::from_str(&mortise_contract::json::canonical_text(&tool.input_schema)).unwrap();
    }
    assert_eq!(typescript_declarations(&tools, &names, &options), first);
}

#[test]
fn a_tool_that_is_too_long_is_shortened() {
    let (mut tools, names) = catalogue();
    let properties: serde_json::Map<_, _> = (0..3_000)
        .map(|at| (format!("field_{at}"), json!({"type": "array", "items": {"type": "string"}})))
        .collect();
    tools[0].output_schema = Some(json!({"type": "object", "properties": properties}));
    let declared = typescript_declarations(&tools[..1], &names, &TypeScriptOptions::default());
    assert!(declared.text.len() < 33_000, "{}", declared.text.len());
    assert!(declared.losses[0].1.iter().any(|loss| loss.keyword == "budget"));
}

#[test]
fn each_side_is_shortened_for_itself() {
    let (mut tools, names) = catalogue();
    let many = |count: usize| {
        let field = |at| (format!("field_{at}"), json!({"type": "array", "items": {"type": "string"}}));
        let properties: serde_json::Map<_, _> = (0..count).map(field).collect();
        json!({"type": "object", "properties": properties})
    };
    let short = json!({"type": "object", "properties": {"city": {"type": "string", "description": "Where"}}});
    let declared = |tool: &ToolDefinition| {
        let declared =
            typescript_declarations(std::slice::from_ref(tool), &names, &TypeScriptOptions::default());
        let budgets = declared.losses[0].1.iter().filter(|loss| loss.keyword == "budget");
        let budgets: Vec<_> = budgets.map(|loss| (loss.side, loss.fix.unwrap_or_default())).collect();
        (declared.text, budgets)
    };
    let smaller_input = (SchemaSide::Input, "make the input schema smaller, or allow more bytes");
    let smaller_output = (SchemaSide::Output, "make the output schema smaller, or allow more bytes");
    (tools[4].input_schema, tools[4].output_schema) = (short.clone(), Some(many(2_500)));
    let (text, budgets) = declared(&tools[4]);
    assert_eq!(
        text,
        "declare const tools: {\n  /** The type of what it returns is too long to be shown. */\n  mcp__rmcp__silent(args?: {\n    /** Where */\n    city?: string;\n  }): Promise<unknown /* … */>;\n};\n"
    );
    assert_eq!(budgets, [smaller_output]);
    (tools[4].input_schema, tools[4].output_schema) = (many(2_500), Some(short));
    let (text, budgets) = declared(&tools[4]);
    assert_eq!(
        text,
        "declare const tools: {\n  /** The types of its arguments are too long to be shown. */\n  mcp__rmcp__silent(args?: unknown /* … */): Promise<{\n    /** Where */\n    city?: string;\n  }>;\n};\n"
    );
    assert_eq!(budgets, [smaller_input]);
    tools[4].output_schema = Some(many(2_500));
    assert_eq!(declared(&tools[4]).1, [smaller_input, smaller_output]);
}

#[test]
fn tools_with_many_types_have_their_own() {
    let (mut tools, names) = catalogue();
    let circle = |kind: &str| {
        let step = |at: usize| {
            let next = json!({"$ref": format!("#/$defs/D{}x", (at + 1) % 101)});
            let properties = json!({"v": {"type": kind}, "n": next});
            (format!("D{at}x"), json!({"type": "object", "properties": properties}))
        };
        let definitions: serde_json::Map<_, _> = (0..101).map(step).collect();
        json!({"type": "object", "properties": {"r": {"$ref": "#/$defs/D0x"}}, "$defs": definitions})
    };
    (tools[0].input_schema, tools[0].output_schema) = (circle("boolean"), Some(circle("string")));
    tools[1].output_schema = Some(circle("number"));
    let text = typescript_declarations(&tools[..2], &names, &TypeScriptOptions::default()).text;
    let types: Vec<&str> = text.lines().filter(|line| line.contains("D7x")).collect();
    assert_eq!(
        types,
        [
            "type RmcpEchoD6x = { n?: RmcpEchoD7x; v?: boolean; };",
            "type RmcpEchoD6x2 = { n?: RmcpEchoD7x2; v?: string; };",
            "type RmcpEchoD7x = { n?: RmcpEchoD8x; v?: boolean; };",
            "type RmcpEchoD7x2 = { n?: RmcpEchoD8x2; v?: string; };",
            "type RmcpRowsD6x = { n?: RmcpRowsD7x; v?: number; };",
            "type RmcpRowsD7x = { n?: RmcpRowsD8x; v?: number; };",
        ]
    );
}

#[test]
fn ambient_types_are_not_called_like_those_of_libraries() {
    let (mut tools, names) = catalogue();
    let schema = |key: &str| {
        let node = json!({"type": "object", "properties": {"next": {"$ref": format!("#/$defs/{key}")}}});
        json!({"$ref": format!("#/$defs/{key}"), "$defs": {key: node}})
    };
    (tools[4].input_schema, tools[4].output_schema) = (schema("Event"), Some(schema("Node")));
    let with = |form| {
        let options = TypeScriptOptions { form, ..TypeScriptOptions::default() };
        typescript_declarations(&tools[4..], &names, &options).text
    };
    assert_eq!(
        with(TypeScriptForm::Ambient),
        "type Event_ = { next?: Event_; };\n\ntype Node_ = { next?: Node_; };\n\ndeclare const tools: {\n  mcp__rmcp__silent(args: Event_): Promise<Node_>;\n};\n"
    );
    assert_eq!(with(TypeScriptForm::Module).lines().next(), Some("export type Event = { next?: Event; };"));
}

#[test]
fn index_signatures_are_shown_where_that_is_asked_for() {
    let (mut tools, names) = catalogue();
    tools[0].output_schema = Some(json!({"type": "object", "properties": {
        "welcome": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true},
        "open": {"type": "object", "properties": {"a": {"type": "string"}}}}, "additionalProperties": true}));
    let with = |index_signatures| {
        let options = TypeScriptOptions { index_signatures, ..TypeScriptOptions::default() };
        typescript_declarations(&tools[..1], &names, &options).text
    };
    let promise = |text: &str| text.split_once("Promise<").unwrap().1.trim_end().to_owned();
    assert_eq!(
        promise(&with(true)),
        "{\n    open?: { a?: string; };\n    welcome?: { a?: string; [key: string]: unknown; };\n    [key: string]: unknown;\n  }>;\n};"
    );
    assert_eq!(promise(&with(false)), "{ open?: { a?: string; }; welcome?: { a?: string; }; }>;\n};");
}
