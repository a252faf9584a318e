//! Schemas and values made to hang, crash or mislead the validator.

use serde_json::{Map, Value, json};

use super::{check, compile, judged};
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

/// Runs on a stack as small as that of an async worker thread.
fn on_small_stack(action: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        thread.spawn_scoped(scope, action).unwrap().join().unwrap();
    });
}

#[test]
fn a_schema_deeper_than_any_stack_is_refused() {
    let mut schema = json!({});
    for _ in 0..100_000 {
        schema = Value::Object(Map::from_iter([("not".to_owned(), schema)]));
    }
    on_small_stack(|| {
        let found = compile(&schema).unwrap_err().to_string();
        assert_eq!(found, "the schema passes the limit on levels: 65 of at most 64");
    });
    // Dropping such a value recurses, in serde_json itself.
    std::mem::forget(schema);
}

#[test]
fn a_value_deeper_than_any_stack_is_unchecked() {
    let mut value = json!(1);
    for _ in 0..100_000 {
        value = Value::Array(vec![value]);
    }
    let recursive = compile(&json!({"items": {"$ref": "#"}})).unwrap();
    on_small_stack(|| assert!(matches!(recursive.validate(&value), Validation::Unchecked { .. })));
    std::mem::forget(value);
}

#[test]
fn the_deepest_allowed_schema_and_value_fit_a_small_stack() {
    on_small_stack(|| {
        let mut definitions = Map::new();
        for n in 0..8 {
            let next = if n == 7 {
                json!({"type": "string"})
            } else {
                json!({"$ref": format!("#/$defs/d{}", n + 1)})
            };
            definitions.insert(format!("d{n}"), (0..14).fold(next, |inner, _| json!({ "not": inner })));
        }
        assert_eq!(judged(&json!({"$ref": "#/$defs/d0", "$defs": definitions}), &json!(1)), "invalid");
        let recursive = (0..6).fold(
            json!({"additionalProperties": {"$ref": "#"}, "type": "object"}),
            |inner, _| json!({ "allOf": [inner] }),
        );
        let value = (0..110).fold(json!("leaf"), |inner, _| json!({ "a": inner }));
        assert_eq!(judged(&recursive, &value), "invalid");
    });
}

#[test]
fn references_that_multiply_at_the_same_value_are_refused() {
    for keyword in ["allOf", "anyOf", "oneOf"] {
        check(
            json!({ keyword: [{"$ref": "#"}, {"$ref": "#"}] }),
            json!(1),
            "the schema at `` refers to itself in more than one way without going into the value",
        );
    }
    let everyone = |n: usize| {
        let others =
            (0..6).filter(|other| *other != n).map(|other| json!({"$ref": format!("#/$defs/d{other}")}));
        json!({ "allOf": others.collect::<Vec<_>>() })
    };
    let definitions: Map<String, Value> = (0..6).map(|n| (format!("d{n}"), everyone(n))).collect();
    let found = judged(&json!({"$ref": "#/$defs/d0", "$defs": definitions}), &json!({}));
    assert!(found.contains("refers to itself in more than one way"), "{found}");
}

#[test]
fn recursion_that_doubles_with_the_depth_of_the_value_is_unchecked() {
    let schema = json!({"anyOf": [
        {"required": ["no"], "properties": {"a": {"$ref": "#"}}},
        {"required": ["no"], "properties": {"a": {"$ref": "#"}}},
    ]});
    let value = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
    check(schema.clone(), value(5), "invalid");
    check(
        schema,
        value(60),
        "unchecked: validating takes more than 50000000 steps (expanded paths x values of the instance)",
    );
}

#[test]
fn a_tree_without_doubling_may_be_as_deep_as_values_can_be() {
    let tree = json!({
        "type": "object",
        "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}, "more": {"items": {"$ref": "#"}}},
        "additionalProperties": {"$ref": "#"},
    });
    let value = (0..120).fold(json!({}), |inner, _| json!({ "left": inner, "right": {} }));
    check(tree, value, "valid");
}

#[test]
fn patterns_are_linear_where_they_can_be() {
    let text = format!("{}!", "a".repeat(50_000));
    check(json!({"pattern": "^(a+)+$"}), json!(text), "invalid");
    check(json!({"pattern": "^(a|a)*$"}), json!(text), "invalid");
}

#[test]
fn a_pattern_that_is_given_up_is_never_a_mismatch() {
    let evil = json!({"pattern": "^(a|aa)+(?!.)$"});
    let text = json!(format!("{}!", "a".repeat(64)));
    let given_up = |found: String| assert!(found.starts_with("unchecked: the pattern at "), "{found}");
    given_up(judged(&evil, &text));
    given_up(judged(&json!({ "not": evil }), &text));
    given_up(judged(&json!({"anyOf": [evil, {"type": "null"}]}), &text));
    given_up(judged(&json!({"items": evil}), &json!(["a", text])));
    check(json!({"anyOf": [evil, {"type": "string"}]}), text.clone(), "valid");
    check(json!({"allOf": [evil, {"type": "null"}]}), text, "invalid");
    check(evil, json!("aaa"), "valid");
}

#[test]
fn look_around_works() {
    let schema = json!({"pattern": "^(?!.*\\.\\.)[a-z.]+$"});
    check(schema.clone(), json!("a.b"), "valid");
    check(schema, json!("a..b"), "invalid");
    check(json!({"pattern": "^(.)\\1$"}), json!("aa"), "valid");
}

#[test]
fn a_huge_string_against_a_slow_pattern_is_unchecked() {
    let slow = json!({"pattern": "^(?:[a-z]{0,40}x?){30}$"});
    let found = judged(&slow, &json!("a".repeat(8 << 20)));
    assert!(found.starts_with("unchecked: validating takes more than"), "{found}");
    check(json!({"pattern": "^a+$"}), json!("a".repeat(1 << 20)), "valid");
}

#[test]
fn large_regular_data_is_no_attack() {
    let row = json!({"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string", "pattern": "^[a-z]+$"}}, "required": ["id"]});
    let rows: Vec<Value> = (0..20_000).map(|id| json!({"id": id, "name": "somebody"})).collect();
    check(json!({"type": "array", "items": row, "uniqueItems": true}), json!(rows), "valid");
}

#[test]
fn numbers_at_the_edges_of_their_types_are_no_trouble() {
    for number in [json!(f64::MAX), json!(f64::MIN_POSITIVE), json!(u64::MAX), json!(i64::MIN), json!(-0.0)] {
        for schema in [
            json!({"multipleOf": 0.01}),
            json!({"multipleOf": 1e-300}),
            json!({"multipleOf": 3}),
            json!({"minimum": -1e308, "maximum": 1e308}),
            json!({"type": "integer"}),
            json!({"enum": [1, 2.5, u64::MAX]}),
        ] {
            let _ = judged(&schema, &number);
        }
    }
}

#[test]
fn names_of_properties_can_be_anything() {
    for key in ["", "/", "~", "$ref", "const", "a\u{0}b", "%2f", "🦀"] {
        let schema = json!({"properties": {key: {"type": "string"}}, "additionalProperties": false});
        check(schema.clone(), json!({ key: "x" }), "valid");
        let compiled = CompiledSchema::compile(&schema, &SchemaOptions::default()).unwrap();
        let Validation::Invalid { violations, .. } = compiled.validate(&json!({ key: 1 })) else { panic!() };
        let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        assert_eq!(violations[0].instance_path, pointer);
    }
}
