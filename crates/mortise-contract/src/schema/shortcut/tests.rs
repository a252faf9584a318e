//! What the walk answers, and that it never answers otherwise than the full validator.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::{Doubt, STEPS, Shortcut};
use crate::limits;
use crate::schema::{CompiledSchema, Dialect, SchemaOptions};

fn answer(schema: &Value, value: &Value) -> &'static str {
    let options = SchemaOptions::default();
    let dialect = Dialect::of(schema, options.default_dialect).unwrap();
    match Shortcut::read(schema, dialect, &options).answer(value, limits::JSON_DEPTH) {
        Ok(()) => "yes",
        Err(Doubt::No) => "no",
        Err(Doubt::Unsure) => "unsure",
    }
}

fn full(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().offline().should_validate_formats(false).build(schema).unwrap()
}

#[track_caller]
fn check(schema: Value, rows: &[(Value, &str)]) {
    let full = full(&schema);
    for (value, expected) in rows {
        assert_eq!(answer(&schema, value), *expected, "{value} under {schema}");
        assert!(
            *expected == "unsure" || (*expected == "yes") == full.is_valid(value),
            "{value} under {schema}"
        );
    }
}

#[test]
fn the_common_keywords_are_decided() {
    check(
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-zü]+$"},
                "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10.5, "multipleOf": 2},
                "kind": {"enum": ["file", "directory", 7, true, null]},
                "rows": {"type": "array", "items": {"type": ["number", "null"]}, "maxItems": 2},
                "pair": {"prefixItems": [{"const": "a"}], "items": false}
            },
            "required": ["name", "extra"],
            "additionalProperties": {"type": "boolean"}
        }),
        &[
            (json!({"name": "ab", "extra": true}), "yes"),
            (json!({"extra": true, "name": "üüü", "other": false}), "yes"),
            (json!({"name": "üüüü", "extra": true}), "no"),
            (json!({"name": "AB", "extra": true}), "no"),
            (json!({"name": "ab"}), "no"),
            (json!({"name": "ab", "extra": 1}), "no"),
            (json!({"name": "ab", "extra": true, "count": 4}), "yes"),
            (json!({"name": "ab", "extra": true, "count": 5}), "no"),
            (json!({"name": "ab", "extra": true, "count": 12}), "no"),
            (json!({"name": "ab", "extra": true, "count": 4.5}), "no"),
            (json!({"name": "ab", "extra": true, "count": 4.0}), "unsure"),
            (json!({"name": "ab", "extra": true, "kind": 7}), "yes"),
            (json!({"name": "ab", "extra": true, "kind": false}), "no"),
            (json!({"name": "ab", "extra": true, "kind": "link"}), "no"),
            (json!({"name": "ab", "extra": true, "rows": [1, null]}), "yes"),
            (json!({"name": "ab", "extra": true, "rows": [1, 2, 3]}), "no"),
            (json!({"name": "ab", "extra": true, "rows": ["1"]}), "no"),
            (json!({"name": "ab", "extra": true, "pair": ["a"]}), "yes"),
            (json!({"name": "ab", "extra": true, "pair": ["a", 1]}), "no"),
        ],
    );
}

#[test]
fn objects_that_a_member_tells_apart_are_decided() {
    let variant = |tag: Value, key: &str| {
        json!({"type": "object", "properties": {"at": {"type": "string"}, "kind": tag, key: {"type": "string"}},
            "required": ["kind", key]})
    };
    for keyword in ["oneOf", "anyOf"] {
        let variants = [
            variant(json!({"const": "opened"}), "by"),
            variant(json!({"enum": ["labelled", "unlabelled"]}), "label"),
            variant(json!({"const": "closed by a very long word"}), "reason"),
        ];
        check(
            json!({keyword: variants}),
            &[
                (json!({"kind": "opened", "by": "ada"}), "yes"),
                (json!({"by": "ada", "at": "now", "kind": "opened"}), "yes"),
                (json!({"kind": "unlabelled", "label": "bug"}), "yes"),
                (json!({"kind": "closed by a very long word", "reason": ""}), "yes"),
                (json!({"kind": "closed by a very long wort", "reason": ""}), "no"),
                (json!({"kind": "opened", "label": "bug"}), "no"),
                (json!({"kind": "reopened", "by": "ada"}), "no"),
                (json!({"kind": 1, "by": "ada"}), "no"),
                (json!({"by": "ada"}), "no"),
                (json!("opened"), "no"),
                (
                    json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "kind": "opened", "by": "ada"}),
                    "yes",
                ),
            ],
        );
    }
    // A tag of two branches tells nothing, not even where they are the same.
    let same = variant(json!({"const": "a"}), "x");
    check(json!({"oneOf": [same, same]}), &[(json!({"kind": "a", "x": "y"}), "no")]);
    check(json!({"anyOf": [same, same]}), &[(json!({"kind": "a", "x": "y"}), "yes")]);
    // With siblings there is more to say.
    check(
        json!({"oneOf": [same, variant(json!({"const": "b"}), "x")], "required": ["z"]}),
        &[(json!({"kind": "a", "x": "y"}), "no"), (json!({"kind": "a", "x": "y", "z": 1}), "yes")],
    );
}

#[test]
fn names_of_every_length_are_told_apart() {
    let texts: Vec<String> = (0..40).map(|length| "abcdefghij".repeat(4)[..length].to_owned()).collect();
    for text in &texts {
        let name = super::rules::Name::new(text);
        for other in &texts {
            assert_eq!(name.is(other), text == other, "{text} {other}");
        }
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = b'Z';
            assert!(!name.is(&String::from_utf8(other).unwrap()), "{text} at {at}");
        }
    }
}

#[test]
fn combinations_are_decided() {
    let schema = json!({
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind"]},
            {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]}
        ],
        "anyOf": [{"required": ["n"]}, {"maxProperties": 1}],
        "not": {"required": ["x"]},
        "if": {"required": ["n"]}, "then": {"minProperties": 2}, "else": {"maxProperties": 1}
    });
    check(
        schema,
        &[
            (json!({"kind": "a"}), "yes"),
            (json!({"kind": "b", "n": "three"}), "yes"),
            (json!({"kind": "a", "n": "three"}), "no"),
            (json!({"kind": "b", "x": 1}), "no"),
            (json!({"kind": "c"}), "no"),
            (json!(1), "no"),
        ],
    );
}

#[test]
fn references_within_the_document_are_followed() {
    let tree = json!({
        "$ref": "#/$defs/node",
        "$defs": {"node": {
            "description": "a node",
            "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node", "title": "child"}}},
            "additionalProperties": false
        }}
    });
    check(
        tree,
        &[
            (json!({"children": [{"children": []}, {}]}), "yes"),
            (json!({"children": [{"children": [{"name": 1}]}]}), "no"),
        ],
    );
    check(json!({"$ref": "#"}), &[(json!(1), "unsure")]);
    check(json!({"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}}), &[(json!(1), "unsure")]);
    let legacy = json!({"$schema": Dialect::Draft7.uri(), "properties": {"a": {"$ref": "#/definitions/s", "minLength": 9}},
        "definitions": {"s": {"type": "string"}}});
    check(legacy, &[(json!({"a": "x"}), "yes"), (json!({"a": 1}), "no")]);
}

#[test]
fn what_is_not_understood_leaves_only_its_kind_unsure() {
    check(json!({"uniqueItems": true}), &[(json!([1]), "unsure"), (json!("x"), "yes")]);
    check(json!({"type": "string", "pattern": "(a)\\1"}), &[(json!("aa"), "unsure"), (json!(1), "no")]);
    check(
        json!({"patternProperties": {"^x": {}}, "additionalProperties": false}),
        &[(json!({"x": 1}), "unsure"), (json!([]), "yes")],
    );
    check(json!({"$dynamicRef": "#"}), &[(json!(1), "unsure")]);
    check(json!({"x-vendor": {"type": "string"}, "nullable": true, "type": "integer"}), &[(json!(1), "yes")]);
    check(json!({"maximum": 9_007_199_254_740_993_u64}), &[(json!(9_007_199_254_740_992.0), "unsure")]);
}

#[test]
fn a_value_too_deep_is_left_to_the_full_validator() {
    let value = |levels: usize| (1..levels).fold(json!(1), |inner, _| json!([inner]));
    for schema in [
        json!({}),
        json!({"anyOf": [{"type": "string"}, {}]}),
        json!({"type": "array", "minItems": 1}),
        json!({"items": {"$ref": "#"}}),
    ] {
        assert_eq!(answer(&schema, &value(limits::JSON_DEPTH)), "yes", "{schema}");
        assert_eq!(answer(&schema, &value(limits::JSON_DEPTH + 1)), "unsure", "{schema}");
    }
}

#[test]
fn ways_that_multiply_are_given_up() {
    let schema = json!({"anyOf": [
        {"type": "array", "items": {"$ref": "#"}, "minItems": 2},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 2},
        {"const": 1}
    ]});
    // Both ways lead to the innermost value at every level.
    let deep = (0..100).fold(json!(2), |inner, _| json!([inner, 1]));
    assert_eq!(answer(&schema, &deep), "unsure");
}

fn name() -> impl Strategy<Value = String> + Clone {
    prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..5).prop_map(Value::from),
        prop::sample::select(vec![0.0, -0.0, 0.5, 1.0, 2.5, 1e300, 9_007_199_254_740_992.0])
            .prop_map(Value::from),
        prop::sample::select(vec![u64::MAX, 9_007_199_254_740_993]).prop_map(Value::from),
        prop::sample::select(vec!["", "a", "ab", "é", "日本語", "2020-01-01"]).prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A keyword from a list, with its content.
fn with(
    keywords: &[&'static str],
    content: impl Strategy<Value = Value> + 'static,
) -> BoxedStrategy<(String, Value)> {
    let keyword = prop::sample::select(keywords.to_vec());
    (keyword, content).prop_map(|(keyword, content)| (keyword.to_owned(), content)).boxed()
}

fn keyword(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let types = ["object", "array", "string", "integer", "number", "boolean", "null"];
    let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
    let map = prop::collection::vec((name(), inner.clone()), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()));
    let limit = prop_oneof![
        (-1i64..4).prop_map(Value::from),
        prop::sample::select(vec![0.5, 2.0]).prop_map(Value::from)
    ];
    let patterns = vec!["^a", "b$", "^\\d{4}-", "^.$", "(?=a)"];
    prop_oneof![
        4 => with(&["type"], prop::sample::select(types.to_vec()).prop_map(Value::from)),
        2 => with(&["type"], Just(json!(["object", "string", "integer"]))),
        6 => with(&["properties"], map.clone()),
        2 => with(&["required"], prop::collection::btree_set(name(), 1..3).prop_map(|names| json!(names))),
        4 => with(&["items", "additionalProperties", "not", "if", "then", "else"], inner),
        3 => with(&["anyOf", "oneOf", "allOf"], list.clone()),
        1 => with(&["prefixItems"], list),
        2 => with(&["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
            (0u64..3).prop_map(Value::from)),
        2 => with(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], limit),
        1 => with(&["multipleOf"], prop::sample::select(vec![json!(1), json!(2), json!(0.5)])),
        1 => with(&["pattern"], prop::sample::select(patterns).prop_map(Value::from)),
        2 => with(&["enum"], prop::collection::vec(value(), 1..4).prop_map(Value::from)),
        2 => with(&["const"], value()),
        2 => with(&["$ref"], prop::sample::select(vec!["#", "#/$defs/a", "#/$defs/b"]).prop_map(Value::from)),
        1 => with(&["uniqueItems", "title", "format", "contains"], Just(json!(true)))
            .prop_map(|(keyword, content)| match keyword.as_str() {
                "title" | "format" => (keyword, json!("date")),
                _ => (keyword, content),
            }),
        1 => with(&["patternProperties", "propertyNames"], map).prop_map(|(keyword, content)| match keyword.as_str() {
            "propertyNames" => (keyword, json!({"type": "string"})),
            _ => (keyword, content),
        }),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![any::<bool>().prop_map(Value::from), Just(json!({"type": "string"}))];
    let part = leaf.prop_recursive(4, 24, 4, |inner| {
        prop::collection::vec(keyword(inner.boxed()), 1..5)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    });
    let dialect = prop::sample::select(Dialect::ALL[1..].to_vec());
    (dialect, part.clone(), part.clone(), part).prop_map(|(dialect, body, a, b)| {
        let mut root: Map<String, Value> = body.as_object().cloned().unwrap_or_default();
        root.insert("$schema".to_owned(), dialect.uri().into());
        root.insert("$defs".to_owned(), json!({"a": a, "b": b}));
        Value::Object(root)
    })
}

#[test]
fn a_sure_answer_is_that_of_the_full_validator() {
    let config = Config { cases: 600, failure_persistence: None, ..Config::default() };
    let generator = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let decided = Cell::new(0u32);
    let texts = Cell::new(0u32);
    let law = |(schema, values): (Value, Vec<Value>)| {
        // What does not compile, such as references without end, never comes here.
        if CompiledSchema::compile(&schema, &SchemaOptions::default()).is_err() {
            return Ok(());
        }
        let full = full(&schema);
        for value in values {
            let found = answer(&schema, &value);
            let dialect = Dialect::of(&schema, Dialect::default()).unwrap();
            let read = Shortcut::read(&schema, dialect, &SchemaOptions::default());
            if read.accepts_text(&value.to_string(), limits::JSON_DEPTH, STEPS) {
                texts.set(texts.get() + 1);
                prop_assert!(full.is_valid(&value), "the text {} under {}", value, schema);
            }
            if found != "unsure" {
                decided.set(decided.get() + 1);
                prop_assert_eq!(found == "yes", full.is_valid(&value), "{} under {}", value, schema);
            }
        }
        Ok(())
    };
    TestRunner::new_with_rng(config, generator)
        .run(&(schema(), prop::collection::vec(value(), 1..6)), law)
        .unwrap();
    assert!(decided.get() > 1_000, "only {} values were decided", decided.get());
    assert!(texts.get() > 100, "only {} texts were accepted", texts.get());
}
