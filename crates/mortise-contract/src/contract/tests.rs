//! Rows on tool declarations.

use serde_json::json;

use super::{Contract, ContractError, Hints};
use crate::schema::SchemaOptions;
use crate::{RawJson, SchemaCache};

fn parse(text: &str) -> Contract {
    Contract::parse(RawJson::parse(text).unwrap()).unwrap()
}

/// The issues of a tool as `pointer code severity`.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let contract = parse(text);
    let found: Vec<String> = contract
        .issues
        .iter()
        .map(|issue| format!("{} {} {}", issue.pointer, issue.code.as_str(), issue.severity.as_str()))
        .collect();
    assert_eq!(found, expected, "{:?}", contract.issues);
}

/// The issues of a tool with this input schema.
#[track_caller]
fn check_input(schema: &str, expected: &[&str]) {
    check(&format!(r#"{{"name": "t", "inputSchema": {schema}}}"#), expected);
}

/// The issues of a tool with this output schema.
#[track_caller]
fn check_output(schema: &str, expected: &[&str]) {
    check(
        &format!(r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "outputSchema": {schema}}}"#),
        expected,
    );
}

#[test]
fn everything_a_server_said_is_kept_in_its_order() {
    let text = r#"{"x-vendor": {"z": 1.10, "a": []}, "name": "t", "inputSchema": {"type": "object", "b": 1, "a": 2}}"#;
    let contract = parse(text);
    assert_eq!(contract.raw.text(), text);
    assert_eq!(contract.fields.keys().collect::<Vec<_>>(), ["x-vendor", "name", "inputSchema"]);
    assert_eq!(contract.input_schema().unwrap().to_string(), r#"{"type":"object","b":1,"a":2}"#);
    assert_eq!(contract.issues, []);
}

#[test]
fn an_element_without_a_name_is_no_tool() {
    let refuse = |text: &str| Contract::parse(RawJson::parse(text).unwrap()).unwrap_err().to_string();
    assert_eq!(refuse("{}"), "the tool has no usable name: `name` is missing");
    assert_eq!(refuse(r#"{"name": 7}"#), "the tool has no usable name: `name` is a number");
    assert_eq!(refuse(r#"{"name": ""}"#), "the tool has no usable name: a tool name can't be empty");
    assert_eq!(refuse("[1]"), "the tool is not a JSON object but an array: [1]");
    assert_eq!(refuse("null"), "the tool is not a JSON object but null: null");
    let surrogate = Contract::parse(RawJson::parse(r#"{"\udc00": 1}"#).unwrap());
    assert!(matches!(surrogate, Err(ContractError::Unreadable { .. })));
}

#[test]
fn odd_schemas_stay_on_their_own_tool() {
    check(r#"{"name": "t"}"#, &["/inputSchema input_schema_missing degraded"]);
    for schema in ["null", "true", "false", "[]", "\"object\"", "1"] {
        check_input(schema, &["/inputSchema input_schema_shape degraded"]);
        check_output(schema, &["/outputSchema output_schema_shape degraded"]);
    }
    check_input("{}", &["/inputSchema input_schema_shape note"]);
    check_input(r#"{"type": "array"}"#, &["/inputSchema input_schema_shape degraded"]);
    check_input(r#"{"type": ["object", "null"]}"#, &["/inputSchema input_schema_shape degraded"]);
    check_output("{}", &[]);
    check_output(r#"{"type": "array"}"#, &[]);
}

#[test]
fn an_output_schema_in_the_annotations_is_found() {
    let text = r#"{"name": "t", "inputSchema": {"type": "object"}, "annotations": {"outputSchema": {"type": "object"}}}"#;
    check(text, &["/annotations/outputSchema output_schema_misplaced note"]);
    assert_eq!(parse(text).output_schema(), Some(&json!({"type": "object"})));
    let both = r#"{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": {}, "annotations": {"outputSchema": 1}}"#;
    assert_eq!(parse(both).output_schema(), Some(&json!({})));
}

#[test]
fn wrong_kinds_are_noted() {
    check(
        r#"{"name": "t t", "inputSchema": {"type": "object"}, "title": 1, "description": [], "annotations": "x",
            "execution": null, "icons": {}, "_meta": 0}"#,
        &[
            "/title wrong_type note",
            "/description wrong_type note",
            "/annotations wrong_type note",
            "/execution wrong_type note",
            "/icons wrong_type note",
            "/_meta wrong_type note",
            "/name odd_name note",
        ],
    );
}

#[test]
fn a_field_too_deep_to_read_leaves_the_rest() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let text = format!(r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "x-deep": {deep}}}"#);
    check(&text, &["/x-deep unreadable_field degraded"]);
    let other = text.replace("[1]", "[2]");
    assert_ne!(parse(&text).hash(), parse(&other).hash());
    check(&format!(r#"{{"name": "t", "inputSchema": {deep}}}"#), &["/inputSchema unreadable_field degraded"]);
}

#[test]
fn a_field_too_large_to_read_leaves_the_rest() {
    let tool = |bytes: usize| {
        let filler = "x".repeat(bytes - 2);
        format!(r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "x-large": "{filler}"}}"#)
    };
    check(&tool(512 * 1024), &[]);
    check(&tool(512 * 1024 + 1), &["/x-large unreadable_field degraded"]);
}

#[test]
fn a_schema_that_can_not_be_read_is_declared_all_the_same() {
    let deep = format!("{}1{}", r#"{"not":"#.repeat(200), "}".repeat(200));
    let large = format!(r#"{{"type":"object","description":"{}"}}"#, "x".repeat(512 * 1024));
    let (options, cache) = (SchemaOptions::default(), SchemaCache::default());
    for schema in [&deep, &large] {
        for tool in [
            format!(r#"{{"name":"t","outputSchema":{schema}}}"#),
            format!(r#"{{"name":"t","outputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#),
            format!(r#"{{"name":"t","annotations":{{"outputSchema":{schema}}}}}"#),
        ] {
            let contract = parse(&tool);
            assert!(contract.declares_output(), "{:?}", contract.issues);
            for compiled in
                [contract.compiled_output(&options, &cache), contract.known_output(&options, &cache)]
            {
                let error = compiled.unwrap().unwrap_err();
                assert_eq!(error.word(), "unreadable");
            }
        }
        let contract = parse(&format!(r#"{{"name":"t","inputSchema":{schema}}}"#));
        assert!(!contract.declares_output());
        assert!(contract.compiled_output(&options, &cache).is_none());
        assert_eq!(contract.compiled_input(&options, &cache).unwrap().unwrap_err().word(), "unreadable");
    }
    assert!(!parse(&format!(r#"{{"name":"t","annotations":{{"x":{deep}}}}}"#)).declares_output());
    let readable_last = format!(r#"{{"name":"t","outputSchema":{deep},"outputSchema":{{"type":"object"}}}}"#);
    assert!(parse(&readable_last).compiled_output(&options, &cache).unwrap().is_ok());
}

#[test]
fn hidden_characters_are_flagged_wherever_they_are() {
    let tool = |description: &str| {
        format!(r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "description": "{description}"}}"#)
    };
    for clean in
        ["two\\nlines\\tand a tab", "ümläut, 日本語", "family 👨\u{200d}👩\u{200d}👧", "no\u{a0}break"]
    {
        check(&tool(clean), &[]);
    }
    for hidden in
        ["a\\u001b[31m", "a\u{200b}b", "a\u{202e}b", "a\u{e0041}b", "a\\u0000", "a\u{ad}b", "x\u{200d}y"]
    {
        check(&tool(hidden), &["/description hidden_characters note"]);
    }
    check(
        r#"{"name": "t", "inputSchema": {"type": "object", "properties": {"a\u200b": {"enum": ["b\u202e"]}}}}"#,
        &[
            "/inputSchema/properties/a\u{200b} hidden_characters note",
            "/inputSchema/properties/a\u{200b}/enum/0 hidden_characters note",
        ],
    );
    let many = format!(
        r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "x": [{}1]}}"#,
        "\"\u{200b}\",".repeat(100)
    );
    assert_eq!(parse(&many).issues.len(), 8);
}

#[test]
fn header_annotations_are_checked() {
    let with = |property: &str| format!(r#"{{"type": "object", "properties": {{"a": {property}}}}}"#);
    let at = "/inputSchema/properties/a/x-mcp-header header_annotation degraded";
    check_input(&with(r#"{"type": "string", "x-mcp-header": "Region"}"#), &[]);
    check_input(&with(r#"{"type": "string", "x-mcp-header": "Re\r\ngion"}"#), &[at]);
    check_input(&with(r#"{"type": "string", "x-mcp-header": ""}"#), &[at]);
    check_input(&with(r#"{"type": "string", "x-mcp-header": 5}"#), &[at]);
    check_input(&with(r#"{"type": "string", "x-mcp\u002dheader": 5}"#), &[at]);
    check_input(&with(r#"{"type": "number", "x-mcp-header": "N"}"#), &[at]);
    check_input(
        &with(r#"{"type": "string", "x-mcp-header": "A"}, "b": {"type": "integer", "x-mcp-header": "a"}"#),
        &["/inputSchema/properties/b/x-mcp-header header_annotation degraded"],
    );
    check_input(
        &with(r#"{"type": "object", "properties": {"b": {"type": "boolean", "x-mcp-header": "B"}}}"#),
        &[],
    );
    check_input(
        &with(r#"{"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}"#),
        &["/inputSchema/properties/a/items/x-mcp-header header_annotation degraded"],
    );
    check_input(&with(r#"{"default": {"x-mcp-header": 5}}"#), &[]);
}

#[test]
fn a_tool_that_needs_a_task_is_in_order_and_can_be_called() {
    let tool = |support: &str| {
        format!(
            r#"{{"name": "t", "inputSchema": {{"type": "object"}}, "execution": {{"taskSupport": "{support}"}}}}"#
        )
    };
    check(&tool("required"), &[]);
    assert!(parse(&tool("required")).is_callable() && parse(&tool("required")).requires_task());
    assert!(parse(&tool("optional")).is_callable() && !parse(&tool("optional")).requires_task());
}

#[test]
fn hints_have_the_defaults_of_the_protocol() {
    let hints =
        |annotations: &str| parse(&format!(r#"{{"name": "t", "annotations": {annotations}}}"#)).hints();
    let defaults = Hints { read_only: false, destructive: true, idempotent: false, open_world: true };
    assert_eq!(hints("{}"), defaults);
    assert_eq!(hints("null"), defaults);
    assert_eq!(
        hints(
            r#"{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": "no"}"#
        ),
        Hints { read_only: true, destructive: false, idempotent: true, open_world: true }
    );
}

#[test]
fn titles_come_from_the_tool_first() {
    assert_eq!(parse(r#"{"name": "t", "title": "A", "annotations": {"title": "B"}}"#).title(), Some("A"));
    assert_eq!(parse(r#"{"name": "t", "annotations": {"title": "B"}}"#).title(), Some("B"));
}

#[test]
fn the_hash_covers_every_field_and_no_spelling() {
    let hash = |text: &str| parse(text).hash();
    let base = hash(r#"{"name": "t", "inputSchema": {"type": "object", "maximum": 1.5}}"#);
    assert_eq!(base.len(), 64);
    assert_eq!(base, hash(r#"{ "inputSchema": {"maximum": 1.50, "type": "obj\u0065ct"}, "name": "t"}"#));
    for other in [
        r#"{"name": "u", "inputSchema": {"type": "object", "maximum": 1.5}}"#,
        r#"{"name": "t", "inputSchema": {"type": "object", "maximum": 1.5}, "x-new": null}"#,
        r#"{"name": "t", "inputSchema": {"type": "object", "maximum": 1.6}}"#,
    ] {
        assert_ne!(base, hash(other));
    }
    let digits = |last: char| hash(&format!(r#"{{"name": "t", "x": 12345678901234567890123456789{last}}}"#));
    assert_ne!(digits('1'), digits('2'));
}
