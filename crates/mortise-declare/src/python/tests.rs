//! Whole files of Python.

use serde_json::json;

use super::super::typescript::tests::catalogue;
use super::{PythonOptions, python_declarations};
use crate::{Action, SchemaSide, Severity};

#[test]
fn a_file_of_stubs() {
    let (tools, names) = catalogue();
    insta::assert_snapshot!(python_declarations(&tools, &names, &PythonOptions::default()).text);
}

#[test]
fn a_chosen_tool_keeps_its_name() {
    let (tools, names) = catalogue();
    let stub = python_declarations(&tools[4..], &names, &PythonOptions::default()).text;
    assert_eq!(
        stub,
        "from typing import Any, Literal, Never, NotRequired, TypedDict\n\n\
         async def mcp__rmcp__silent() -> Any:\n    \"\"\"Says nothing about what it returns.\"\"\"\n    ...\n"
    );
}

#[test]
fn further_keys_are_typed_where_that_is_allowed() {
    let (mut tools, names) = catalogue();
    tools[0].output_schema = Some(json!({"type": "object", "properties": {"a": {"type": "string"}},
        "additionalProperties": {"type": "integer"}}));
    let options = PythonOptions { extra_items: true, ..PythonOptions::default() };
    let stub = python_declarations(&tools[..1], &names, &options).text;
    assert!(
        stub.contains("class RmcpEchoResult(TypedDict, extra_items=int):\n    a: NotRequired[str]\n"),
        "{stub}"
    );
    assert!(stub.starts_with("from typing_extensions import "));
}

#[test]
fn objects_that_contain_one_another_refer_by_name() {
    let (mut tools, names) = catalogue();
    let node = json!({"type": "object", "properties": {"child": {"allOf": [
        {"$ref": "#/$defs/node"}, {"type": "object", "properties": {"mark": {"type": "string"}}},
    ]}}});
    tools[0].output_schema = Some(json!({"$ref": "#/$defs/node", "$defs": {"node": node}}));
    let stub = python_declarations(&tools[..1], &names, &PythonOptions::default()).text;
    assert!(stub.contains("mark: NotRequired[str]"), "{stub}");
    assert!(stub.matches("class ").count() <= 4, "{stub}");
}

#[test]
fn a_fixed_object_reads_the_same_in_any_order_of_its_keys() {
    let (mut tools, names) = catalogue();
    tools[0].output_schema =
        Some(json!({"type": "object", "properties": {"a": {"const": {"b": 1, "a": 2}}}}));
    let stub = python_declarations(&tools[..1], &names, &PythonOptions::default()).text;
    assert!(stub.contains(r#"a: @value {"a":2,"b":1}"#), "{stub}");
}

#[test]
fn arguments_of_several_parts_are_all_shown_with_a_loss() {
    let (mut tools, names) = catalogue();
    tools[4].input_schema = json!({"type": "object", "properties": {"to": {"type": "string"}, "a-b": {"type": "string"}},
        "required": ["to"], "oneOf": [
            {"properties": {"kind": {"const": "text"}, "body": {"type": "string"}}, "required": ["kind", "body"]},
            {"properties": {"kind": {"const": "file"}, "path": {"type": "string", "description": "Where"}},
                "required": ["kind", "path"]}]});
    let declared = python_declarations(&tools[4..], &names, &PythonOptions::default());
    let stub = declared.text.lines().skip(2).collect::<Vec<_>>().join("\n");
    assert_eq!(
        stub,
        "async def mcp__rmcp__silent(*, kind: Literal[\"text\", \"file\"], to: str, body: str | Any = ..., path: str | Any = ..., **others: Any) -> Any:\n    \"\"\"a-b: passed as **{\"a-b\": ...}\n    path: Where\n    Says nothing about what it returns.\n    \"\"\"\n    ..."
    );
    let found: Vec<(&str, SchemaSide, Action)> = declared.losses[0]
        .1
        .iter()
        .filter(|loss| loss.severity == Severity::Warn)
        .map(|loss| (loss.keyword.as_str(), loss.side, loss.action))
        .collect();
    assert_eq!(found, [("oneOf", SchemaSide::Input, Action::Widened)]);
}
