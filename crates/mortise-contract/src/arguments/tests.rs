//! Rows on arguments.

use serde_json::{Value, json};

use super::{ArgumentCheck, check_arguments};
use crate::schema::SchemaOptions;
use crate::{Contract, RawJson, SchemaCache};

#[track_caller]
fn check(tool: Value, arguments: Value, expected: &str) {
    let contract = Contract::parse(RawJson::from_value(&tool).unwrap()).unwrap();
    let shown =
        match check_arguments(&contract, &arguments, &SchemaOptions::default(), &SchemaCache::default()) {
            ArgumentCheck::Valid => "valid".to_owned(),
            ArgumentCheck::NoSchema => "no schema".to_owned(),
            ArgumentCheck::Unchecked { reason } => format!("unchecked: {reason}"),
            ArgumentCheck::Invalid { violations, total } => {
                let first = &violations[0];
                format!(
                    "{total}: `{}` {} <- {}",
                    first.violation.instance_path, first.violation.message, first.schema_part
                )
            }
        };
    assert_eq!(shown, expected);
}

fn tool(input: Value) -> Value {
    json!({"name": "t", "inputSchema": input})
}

#[test]
fn a_bad_argument_is_shown_with_the_schema_that_rules_it() {
    let input = json!({
        "type": "object",
        "properties": {"unit": {"enum": ["C", "F"], "description": "the scale"}, "at": {"$ref": "#/$defs/place"}},
        "required": ["unit"],
        "$defs": {"place": {"properties": {"lat": {"type": "number", "maximum": 90}}}},
    });
    check(tool(input.clone()), json!({"unit": "C"}), "valid");
    check(
        tool(input.clone()),
        json!({"unit": "K"}),
        r#"1: `/unit` expected one of "C", "F", got "K" <- {"enum":["C","F"],"description":"the scale"}"#,
    );
    check(
        tool(input),
        json!({"unit": "C", "at": {"lat": 99}}),
        r#"1: `/at/lat` expected at most 90, got 99 <- {"type":"number","maximum":90}"#,
    );
}

#[test]
fn a_draft_7_input_is_enforced() {
    let input = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"t": {"items": [{"type": "string"}]}}});
    check(tool(input), json!({"t": [1]}), r#"1: `/t/0` expected string, got 1 <- {"type":"string"}"#);
}

#[test]
fn without_a_usable_schema_nothing_is_refused() {
    check(json!({"name": "t"}), json!({"a": 1}), "no schema");
    check(tool(json!(null)), json!({}), "unchecked: the schema is null, not an object");
    check(
        tool(json!({"$ref": "other.json"})),
        json!({}),
        "unchecked: external reference `other.json` at `/$ref` is not fetched",
    );
}

#[test]
fn debug_shows_places_and_no_arguments() {
    let contract = Contract::parse(
        RawJson::from_value(&tool(json!({"properties": {"key": {"type": "null"}}}))).unwrap(),
    )
    .unwrap();
    let found = check_arguments(
        &contract,
        &json!({"key": "s3cret"}),
        &SchemaOptions::default(),
        &SchemaCache::default(),
    );
    let debug = format!("{found:?}");
    assert!(debug.contains("/key") && !debug.contains("s3cret"), "{debug}");
}
