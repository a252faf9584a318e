//! What becomes of schemas for clients that keep little of them.

use serde_json::{Value, json};

use super::{Provider, ProviderTool, reasons, render, tool};

fn ollama(schema: Value) -> (Value, ProviderTool) {
    let rendered = render(Provider::Ollama, &tool(schema, None));
    (rendered.json["function"]["parameters"].clone(), rendered)
}

#[test]
fn a_tuple_is_told_in_words() {
    let pair =
        json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}], "items": false});
    let (input, rendered) = ollama(json!({"type": "object", "properties": {"p": pair}}));
    assert_eq!(input["properties"]["p"], json!({"type": "array", "description": "Type: [number?, string?]"}));
    assert_eq!(reasons(&rendered), ["warn items", "warn prefixItems"]);
}

#[test]
fn a_key_that_must_be_absent_is_reported() {
    let (input, rendered) = ollama(json!({"type": "object", "properties": {"p": false, "q": true}}));
    assert_eq!(input["properties"], json!({"p": {"description": "Type: never"}, "q": {}}));
    assert_eq!(reasons(&rendered), ["warn properties"]);
}

#[test]
fn a_type_that_is_too_long_for_a_description_is_reported() {
    let fields: serde_json::Map<String, Value> =
        (0..60).map(|at| (format!("field_number_{at:02}"), json!({"type": "string"}))).collect();
    let filter = json!({"type": "object", "properties": fields});
    let (_, rendered) = ollama(json!({"type": "object", "properties": {"filter": filter}}));
    assert_eq!(reasons(&rendered), ["warn budget", "info properties"]);
}

#[test]
fn what_constrains_arguments_at_the_root_is_a_warning() {
    let (_, rendered) = ollama(json!({"type": "object", "properties": {"a": {}}, "description": "d",
        "additionalProperties": {"type": "integer"}, "patternProperties": {"^x": {}}, "minProperties": 1,
        "if": {"required": ["a"]}, "then": {"required": ["b"]}, "dependentRequired": {"a": ["b"]}, "const": {}}));
    let expected = [
        "warn additionalProperties",
        "warn const",
        "warn dependentRequired",
        "info description",
        "warn if",
        "warn minProperties",
        "warn patternProperties",
        "warn then",
    ];
    assert_eq!(reasons(&rendered), expected);
    let (_, closed) =
        ollama(json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}));
    assert_eq!(reasons(&closed), ["info additionalProperties"]);
}

#[test]
fn patterns_and_defaults_hide_nothing_in_a_description() {
    let property = json!({"type": "string", "pattern": "a\u{202e}b", "default": "c\u{e0041}d"});
    let (input, _) = ollama(json!({"type": "object", "properties": {"p": property}}));
    assert_eq!(input["properties"]["p"]["description"], "Type: string @pattern ab @default \"cd\"");
}

#[test]
fn alternatives_and_inner_objects_are_kept_and_a_type_within_itself_is_said_in_words() {
    let range = json!({"type": "object", "properties": {"from": {"type": "integer", "minimum": 0}}, "required": ["from"]});
    let (input, rendered) = ollama(json!({"type": "object", "properties": {
        "when": {"oneOf": [{"type": "string"}, range]}, "tree": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node"}}}}}));
    let kept = json!({"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]});
    assert_eq!(input["properties"]["when"]["anyOf"], json!([{"type": "string"}, kept]));
    assert_eq!(
        input["properties"]["tree"],
        json!({"description": "Type: Node; type Node = { child?: Node; }"})
    );
    assert_eq!(reasons(&rendered), ["warn $ref", "info oneOf", "info properties", "info minimum"]);
}

#[test]
fn a_reference_that_disagrees_with_what_stands_beside_it_is_not_written_in_place() {
    let (input, _) =
        ollama(json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/A", "properties": {"b": {}}}},
        "$defs": {"A": {"type": "object", "properties": {"a": {"type": "string"}}}}}));
    assert_eq!(input["properties"]["p"].get("properties"), None);
}
