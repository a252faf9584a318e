//! Roots that refer, and roots with branches.

use serde_json::{Value, json};

use super::{Provider, ProviderTool, StrictVerdict, reasons, render, strictly, tool};
use crate::loss::Losses;
use crate::provider::root::object_root;
use crate::provider::rule_table::OPENAI_ROOT;
use crate::provider::rules::RootRule;
use crate::{Action, SchemaSide, Severity};

fn anthropic(schema: Value) -> ProviderTool {
    render(Provider::Anthropic, &tool(schema, None))
}

fn said(rendered: &ProviderTool) -> Vec<String> {
    let say = |loss: &crate::Loss| format!("{} {}", loss.action.as_str(), loss.keyword);
    rendered.losses.iter().map(say).collect()
}

#[test]
fn anchors_escapes_and_own_addresses_lead_to_definitions() {
    let named = json!({"$anchor": "foo", "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    for reference in ["#foo", "#/$defs/Foo%20Bar", "https://x.example/s#foo", "s#/$defs/Foo%20Bar"] {
        for root in [json!({"$ref": reference}), json!({"allOf": [{"$ref": reference}]})] {
            let mut schema =
                json!({"$id": "https://x.example/s", "type": "object", "$defs": {"Foo Bar": named}});
            schema.as_object_mut().unwrap().extend(root.as_object().unwrap().clone());
            let rendered = anthropic(schema);
            let input = &rendered.json["input_schema"];
            assert_eq!(input["properties"], json!({"a": {"type": "string"}}), "{reference}");
            assert_eq!(input["required"], json!(["a"]), "{reference}");
            assert!(said(&rendered).iter().any(|loss| loss.starts_with("inlined")), "{reference}");
        }
    }
}

#[test]
fn references_count_from_the_root() {
    let item = json!({"$id": "item", "type": "object", "properties": {"x": {"$ref": "#/$defs/Y"}}, "$defs": {"Y": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": {"p": {"$ref": "item"}, "q": {"$ref": "#nope"}, "r": {"$ref": "#/$defs/No%20pe"}},
        "$defs": {"I": item}});
    let rendered = anthropic(schema);
    let input = &rendered.json["input_schema"];
    assert_eq!(input["properties"], json!({"p": {"$ref": "#/$defs/I"}, "q": {}, "r": {}}));
    assert_eq!(
        input["$defs"]["I"],
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/I/$defs/Y"}}, "$defs": {"Y": {"type": "string"}}})
    );
    assert_eq!(reasons(&rendered), ["info $ref", "info $ref", "error $ref", "error $ref"]);
}

#[test]
fn a_branch_that_leads_nowhere_is_not_called_inlined() {
    let rendered = anthropic(json!({"type": "object", "allOf": [{"$ref": "#nope"}]}));
    assert_eq!(rendered.losses[1].pointer, "/allOf/0");
    assert_eq!(reasons(&rendered), ["error allOf", "error $ref"]);
    let circle = anthropic(
        json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}),
    );
    assert_eq!(said(&circle), ["dropped $ref"]);
    let mut deep = json!({"properties": {"b": {"type": "string"}}});
    (0..40).for_each(|_| deep = json!({"allOf": [deep]}));
    let deep = json!({"type": "object", "properties": {"a": {"type": "string"}}, "allOf": [deep]});
    let rendered = strictly(Provider::OpenAi, deep);
    assert!(matches!(rendered.strict, StrictVerdict::Impossible(_)));
    assert_eq!(rendered.losses[0].action, Action::Dropped);
}

#[test]
fn branches_that_take_other_keys_cannot_be_strict() {
    let patterns = json!({"type": "object", "properties": {"a": {"type": "string"}}, "anyOf": [{"patternProperties": {"^x": {}}}]});
    let rendered = strictly(Provider::OpenAi, patterns);
    let reason = "branches at the root allow keys that are not named".to_owned();
    assert_eq!(rendered.strict, StrictVerdict::Impossible(vec![reason]));
}

#[test]
fn a_type_that_another_branch_leaves_open_is_assumed() {
    let schema = json!({"type": "object", "unevaluatedProperties": false,
        "anyOf": [{"properties": {"c": {"type": "integer"}}}, {"required": ["b"]}]});
    let rendered = anthropic(schema);
    assert_eq!(
        rendered.json["input_schema"],
        json!({"type": "object", "properties": {"c": {"type": "integer"}}})
    );
    assert_eq!(said(&rendered), ["widened anyOf", "assumed anyOf", "dropped unevaluatedProperties"]);
    assert_eq!(reasons(&rendered), ["error anyOf", "warn anyOf", "warn unevaluatedProperties"]);
    // A closed branch takes nothing else, and what holds beside an alternative holds for all.
    let closed = json!({"type": "object", "anyOf": [{"properties": {"c": {"type": "integer"}}},
        {"properties": {"b": {}}, "additionalProperties": false}]});
    assert_eq!(said(&anthropic(closed)), ["widened anyOf"]);
    let beside = json!({"type": "object", "allOf": [{"properties": {"c": {"type": "integer"}}}, {"anyOf": [
        {"properties": {"c": {"minimum": 1}}}, {"required": ["b"]}]}]});
    assert_eq!(said(&anthropic(beside)), ["inlined allOf"]);
}

#[test]
fn a_condition_of_the_root_is_not_mixed_with_one_that_it_refers_to() {
    let schema = json!({"$ref": "#/$defs/T", "if": {"required": ["a"]}, "$defs": {"T": {"type": "object", "then": {"required": ["b"]}}}});
    let rule = RootRule { keywords: &[], severity: Severity::Error, rule: &OPENAI_ROOT };
    let input = object_root(schema, &rule, &mut Losses::new(SchemaSide::Input)).schema;
    assert_eq!((input.get("then"), &input["allOf"]), (None, &json!([{"then": {"required": ["b"]}}])));
}

#[test]
fn what_refers_to_a_root_without_a_type_is_assumed_to_be_an_object() {
    for keyword in ["$ref", "$dynamicRef"] {
        let rendered = anthropic(json!({"properties": {"a": {keyword: "#"}}}));
        assert_eq!(said(&rendered), ["assumed type"], "{keyword}");
    }
}
