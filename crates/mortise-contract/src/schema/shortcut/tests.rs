//! What the walk accepts, and that it never accepts what the full validator refuses.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::{STEPS, Shortcut};
use crate::limits;
use crate::schema::{CompiledSchema, Dialect, SchemaOptions};

fn accepts(schema: &Value, text: &str) -> bool {
    let options = SchemaOptions::default();
    let dialect = Dialect::of(schema, options.default_dialect).unwrap();
    Shortcut::read(schema, dialect, &options).accepts_text(text, limits::JSON_DEPTH, STEPS)
}

fn full(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().offline().should_validate_formats(false).build(schema).unwrap()
}

#[track_caller]
fn check(schema: Value, rows: &[(&str, bool)]) {
    let full = full(&schema);
    for (text, expected) in rows {
        assert_eq!(accepts(&schema, text), *expected, "{text} under {schema}");
        let value = serde_json::from_str(text).unwrap_or_default();
        assert!(!expected || full.is_valid(&value), "{text} under {schema}");
    }
}

/// Every row is decided: the walk accepts what conforms.
#[track_caller]
fn check_decided(schema: Value, rows: &[(Value, bool)]) {
    let full = full(&schema);
    for (value, expected) in rows {
        assert_eq!(accepts(&schema, &value.to_string()), *expected, "{value} under {schema}");
        assert_eq!(full.is_valid(value), *expected, "{value} under {schema}");
    }
}

#[test]
fn the_common_keywords_are_decided() {
    check_decided(
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
            (json!({"name": "ab", "extra": true}), true),
            (json!({"extra": true, "name": "üüü", "other": false}), true),
            (json!({"name": "üüüü", "extra": true}), false),
            (json!({"name": "AB", "extra": true}), false),
            (json!({"name": "ab"}), false),
            (json!({"name": "ab", "extra": 1}), false),
            (json!({"name": "ab", "extra": true, "count": 4}), true),
            (json!({"name": "ab", "extra": true, "count": 5}), false),
            (json!({"name": "ab", "extra": true, "count": 12}), false),
            (json!({"name": "ab", "extra": true, "count": 4.5}), false),
            (json!({"name": "ab", "extra": true, "kind": 7}), true),
            (json!({"name": "ab", "extra": true, "kind": false}), false),
            (json!({"name": "ab", "extra": true, "kind": "link"}), false),
            (json!({"name": "ab", "extra": true, "rows": [1, null]}), true),
            (json!({"name": "ab", "extra": true, "rows": [1, 2, 3]}), false),
            (json!({"name": "ab", "extra": true, "rows": ["1"]}), false),
            (json!({"name": "ab", "extra": true, "pair": ["a"]}), true),
            (json!({"name": "ab", "extra": true, "pair": ["a", 1]}), false),
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
        check_decided(
            json!({keyword: variants}),
            &[
                (json!({"kind": "opened", "by": "ada"}), true),
                (json!({"by": "ada", "at": "now", "kind": "opened"}), true),
                (json!({"kind": "unlabelled", "label": "bug"}), true),
                (json!({"kind": "closed by a very long word", "reason": ""}), true),
                (json!({"kind": "closed by a very long wort", "reason": ""}), false),
                (json!({"kind": "opened", "label": "bug"}), false),
                (json!({"kind": "reopened", "by": "ada"}), false),
                (json!({"kind": 1, "by": "ada"}), false),
                (json!({"by": "ada"}), false),
                (json!("opened"), false),
                (
                    json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "kind": "opened", "by": "ada"}),
                    true,
                ),
            ],
        );
    }
    // A tag of two branches tells nothing, not even where they are the same.
    let same = variant(json!({"const": "a"}), "x");
    check_decided(json!({"oneOf": [same, same]}), &[(json!({"kind": "a", "x": "y"}), false)]);
    check_decided(json!({"anyOf": [same, same]}), &[(json!({"kind": "a", "x": "y"}), true)]);
    // With siblings there is more to say.
    check_decided(
        json!({"oneOf": [same, variant(json!({"const": "b"}), "x")], "required": ["z"]}),
        &[(json!({"kind": "a", "x": "y"}), false), (json!({"kind": "a", "x": "y", "z": 1}), true)],
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
    check_decided(
        tree,
        &[
            (json!({"children": [{"children": []}, {}]}), true),
            (json!({"children": [{"children": [{"name": 1}]}]}), false),
        ],
    );
    assert!(!accepts(&json!({"$ref": "#"}), "1"));
    assert!(!accepts(&json!({"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}}), "1"));
    let legacy = json!({"$schema": Dialect::Draft7.uri(), "properties": {"a": {"$ref": "#/definitions/s", "minLength": 9}},
        "definitions": {"s": {"type": "string"}}});
    check_decided(legacy, &[(json!({"a": "x"}), true), (json!({"a": 1}), false)]);
}

#[test]
fn what_is_not_understood_leaves_only_its_kind_unsure() {
    check(json!({"uniqueItems": true}), &[("[1]", false), ("\"x\"", true)]);
    check(json!({"type": "string", "pattern": "(a)\\1"}), &[("\"aa\"", false)]);
    let patterns = json!({"patternProperties": {"^x": {}}, "additionalProperties": false});
    check(patterns, &[("{\"x\":1}", false), ("[]", true)]);
    check(json!({"$dynamicRef": "#"}), &[("1", false)]);
    check(json!({"x-vendor": {"type": "string"}, "nullable": true, "type": "integer"}), &[("1", true)]);
    check(json!({"maximum": 9_007_199_254_740_993_u64}), &[("1", false), ("\"x\"", true)]);
    check(json!({"multipleOf": 0.5}), &[("1", false)]);
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
    assert!(!accepts(&schema, &deep.to_string()));
}

#[test]
fn branches_that_do_not_exclude_each_other_are_left_to_the_full_validator() {
    let tagged = |tag: &str| {
        json!({"type": "object", "additionalProperties": {"const": tag}, "required": ["k"],
        "patternProperties": {"^k": {}}})
    };
    check(json!({"oneOf": [tagged("a"), tagged("b")]}), &[("{\"k\":\"a\"}", false)]);
    check(json!({"oneOf": [{"$ref": "#here"}, {"type": "null", "$anchor": "here"}]}), &[("null", false)]);
    check(json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}), &[("1", false), ("1.5", false)]);
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
fn what_the_walk_accepts_conforms() {
    let config = Config { cases: 600, failure_persistence: None, ..Config::default() };
    let generator = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let accepted = Cell::new(0u32);
    let law = |(schema, values): (Value, Vec<Value>)| {
        // What does not compile, such as references without end, never comes here.
        if CompiledSchema::compile(&schema, &SchemaOptions::default()).is_err() {
            return Ok(());
        }
        let full = full(&schema);
        for value in values {
            if accepts(&schema, &value.to_string()) {
                accepted.set(accepted.get() + 1);
                prop_assert!(full.is_valid(&value), "{} under {}", value, schema);
            }
        }
        Ok(())
    };
    TestRunner::new_with_rng(config, generator)
        .run(&(schema(), prop::collection::vec(value(), 1..6)), law)
        .unwrap();
    assert!(accepted.get() > 100, "only {} texts were accepted", accepted.get());
}
