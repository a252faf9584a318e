//! What samples look like.

use serde_json::json;

use super::*;

#[track_caller]
fn check(schema: Value, expected: Value) {
    assert_eq!(sample(&schema), Some(expected));
}

#[test]
fn scalars_are_small() {
    check(json!({"type": "string"}), json!("a"));
    check(json!({"type": "string", "minLength": 3}), json!("aaa"));
    check(json!({"type": "string", "maxLength": 0}), json!(""));
    check(json!({"type": "string", "format": "date"}), json!("2024-01-31"));
    check(json!({"type": "integer"}), json!(0));
    check(json!({"type": "integer", "minimum": 5, "multipleOf": 4}), json!(8));
    check(json!({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}), json!(0.5));
    check(json!({"type": "number", "maximum": -2}), json!(-2));
    check(json!({"type": ["null", "boolean"]}), json!(true));
    check(json!({"enum": ["x", 1]}), json!("x"));
    check(json!({"type": "integer", "enum": ["x", 1]}), json!(1));
    check(json!({"const": {"a": 1}}), json!({"a": 1}));
    check(json!({}), json!("a"));
}

#[test]
fn patterns_are_matched() {
    check(json!({"pattern": "^[A-Z]{2}-\\d+$"}), json!("AA-0"));
    check(json!({"pattern": "^(foo|bar)$", "type": "string"}), json!("foo"));
    check(json!({"pattern": "^x", "minLength": 4}), json!("xaaa"));
}

#[test]
fn objects_have_what_they_need() {
    check(
        json!({"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "z"], "type": "object"}),
        json!({"a": 0, "z": "a"}),
    );
    check(
        json!({"type": "object", "minProperties": 2, "properties": {"k": {"const": 1}}}),
        json!({"k": 1, "key1": "a"}),
    );
    check(
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1}),
        json!({"key1": 0}),
    );
    assert_eq!(sample(&json!({"type": "object", "required": ["a"], "additionalProperties": false})), None);
}

#[test]
fn arrays_have_what_they_need() {
    check(json!({"type": "array"}), json!([]));
    check(
        json!({"type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": true}),
        json!([0, 1]),
    );
    check(
        json!({"prefixItems": [{"const": 1}, {"type": "string"}], "items": {"type": "null"}, "minItems": 3}),
        json!([1, "a", null]),
    );
    check(json!({"items": [{"const": 1}], "additionalItems": {"const": 2}, "minItems": 2}), json!([1, 2]));
    check(json!({"type": "array", "contains": {"const": 7}}), json!([7]));
}

#[test]
fn combinations_hold_together() {
    check(
        json!({"allOf": [{"required": ["a"]}, {"properties": {"a": {"minimum": 4}}}], "type": "object"}),
        json!({"a": 4}),
    );
    check(json!({"anyOf": [false, {"type": "boolean"}]}), json!(true));
    check(
        json!({"oneOf": [{"required": ["k"], "properties": {"k": {"const": "x"}}}], "type": "object"}),
        json!({"k": "x"}),
    );
    check(
        json!({"$ref": "#/$defs/T", "$defs": {"T": {"$ref": "#t"}, "U": {"$anchor": "t", "type": "null"}}}),
        json!(null),
    );
}

#[test]
fn recursion_ends() {
    check(
        json!({"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}, "v": {"type": "integer"}}, "required": ["v"]}}}),
        json!({"v": 0}),
    );
    assert_eq!(
        sample(&json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]})),
        None
    );
    assert_eq!(sample(&json!({"$ref": "#/nowhere"})), None);
    check(json!({"$ref": "#"}), json!("a"));
}
