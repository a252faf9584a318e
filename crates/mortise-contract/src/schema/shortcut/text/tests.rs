//! What the walk says about texts.

use serde_json::{Value, json};

use super::Shortcut;
use crate::limits;
use crate::schema::shortcut::STEPS;
use crate::schema::{Dialect, SchemaOptions};

fn accepts(schema: &Value, text: &str) -> bool {
    let read = Shortcut::read(schema, Dialect::default(), &SchemaOptions::default());
    read.accepts_text(text, limits::JSON_DEPTH, STEPS)
}

#[track_caller]
fn check(schema: Value, rows: &[(&str, bool)]) {
    for (text, expected) in rows {
        assert_eq!(accepts(&schema, text), *expected, "{text} under {schema}");
    }
}

#[test]
fn white_space_and_order_make_no_difference() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": "array", "items": {"type": "integer"}}, "c": {"enum": [1, "x", null, true]}},
        "required": ["a"]});
    check(
        schema,
        &[
            ("{\"a\":\"x\",\"b\":[1,2,-3],\"c\":1}", true),
            (" { \"b\" : [ ] ,\n\t\"a\" : \"\" , \"c\":null } ", true),
            ("{\"a\":\"x\",\"c\":\"x\",\"z\":{\"deep\":[{}]}}", true),
            ("{\"a\":\"x\",\"c\":\"y\"}", false),
            ("{\"a\":\"x\",\"c\":false}", false),
            ("{\"a\":1}", false),
            ("{\"a\":\"x\",\"b\":[1.5]}", false),
            ("{\"a\":\"x\",\"b\":[1.0]}", true),
            ("{}", false),
            ("[]", false),
        ],
    );
}

#[test]
fn what_needs_more_than_a_look_is_left_to_the_parser() {
    // Escapes are fine where the text itself does not matter.
    check(json!({"type": "string"}), &[(r#""a\n\u00e9""#, true), (r#""\ud800""#, false)]);
    check(json!({"type": "string", "minLength": 1}), &[(r#""ab""#, true), (r#""\n""#, false)]);
    check(
        json!({"type": "number"}),
        &[("123456789012345", true), ("1234567890123456", false), ("1e3", false)],
    );
    check(
        json!({}),
        &[("[1234567890123456]", false), ("[\"1234567890123456\"]", true), ("[\"\\ud83d\"]", false)],
    );
    check(json!({"properties": {"a": true}, "type": "object"}), &[(r#"{"\u0061": 1}"#, false)]);
}

#[test]
fn a_key_that_comes_twice_is_left_to_the_parser_where_it_matters() {
    let named = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    check(named, &[(r#"{"a": "x", "a": "y"}"#, false), (r#"{"b": 1, "b": 2}"#, true)]);
    let few = json!({"type": "object", "minProperties": 2});
    check(few, &[(r#"{"b": 1, "b": 2}"#, false)]);
    let few = json!({"type": "object", "maxProperties": 1});
    check(few, &[(r#"{"b": 1, "b": 2}"#, false), (r#"{"b": 1}"#, true)]);
    let tagged =
        |tag: &str| json!({"type": "object", "properties": {"k": {"const": tag}}, "required": ["k"]});
    let tagged = json!({"oneOf": [tagged("a"), tagged("b")]});
    check(
        tagged,
        &[(r#"{"x": 1, "k": "b"}"#, true), (r#"{"k": "a", "k": "b"}"#, false), (r#"{"k": "c"}"#, false)],
    );
}

#[test]
fn where_a_no_could_mean_yes_the_parser_decides() {
    check(json!({"not": {"type": "string"}}), &[("1", false)]);
    check(json!({"oneOf": [{"minimum": 1}, {"minimum": 5}]}), &[("1", false)]);
    // Branches for different kinds exclude each other.
    check(
        json!({"oneOf": [{"type": "string", "minLength": 2}, {"type": "null"}]}),
        &[("null", true), ("\"ab\"", true)],
    );
}

#[test]
fn depth_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    for schema in [json!({}), json!({"items": {"$ref": "#"}})] {
        assert!(accepts(&schema, &nested(limits::JSON_DEPTH - 1)), "{schema}");
        assert!(!accepts(&schema, &nested(limits::JSON_DEPTH)), "{schema}");
    }
}

/// Each branch passes over the same numbers again before it sees its tag: together more steps than there are.
#[test]
fn what_is_passed_over_again_and_again_costs_each_time() {
    let branch = |tag: u32| json!({"type": "object", "properties": {"b": {"const": tag}}, "required": ["b"]});
    let schema = |last: u32| json!({"anyOf": (0..=last).map(branch).collect::<Vec<_>>()});
    let numbers = vec!["1"; 300_000].join(",");
    let blanks = " ".repeat(20 << 20);
    let late = |before: &str, tag: u32| format!(r#"{{"z":[{before}],"b":{tag}}}"#);
    assert!(accepts(&schema(0), &late(&numbers, 0)));
    assert!(!accepts(&schema(40), &late(&numbers, 40)));
    assert!(accepts(&schema(0), &late(&blanks, 0)));
    assert!(!accepts(&schema(40), &late(&blanks, 40)));
}
