//! Every bound at its limit and one past it.

use serde_json::{Map, Value, json};

use crate::limits;
use crate::schema::work::Size;
use crate::schema::{Bounds, CompiledSchema, SchemaError, SchemaOptions, Validation};

fn with(bounds: Bounds) -> SchemaOptions {
    SchemaOptions { bounds, ..SchemaOptions::default() }
}

/// Compiles under the default bounds: `ok`, or the limit that is passed as `limit: found of allowed`.
fn compiled(schema: &Value) -> String {
    match CompiledSchema::compile(schema, &SchemaOptions::default()) {
        Ok(_) => "ok".to_owned(),
        Err(SchemaError::Limit { limit, found, allowed }) => format!("{limit}: {found} of {allowed}"),
        Err(other) => other.to_string(),
    }
}

#[track_caller]
fn check(at_limit: Value, past: Value, expected: &str) {
    assert_eq!(compiled(&at_limit), "ok");
    assert_eq!(compiled(&past), expected);
}

fn nested(times: usize) -> Value {
    (0..times).fold(json!({}), |inner, _| json!({ "not": inner }))
}

fn chain(length: usize) -> Value {
    let mut definitions: Map<String, Value> =
        (0..length - 1).map(|n| (format!("d{n}"), json!({"$ref": format!("#/$defs/d{}", n + 1)}))).collect();
    definitions.insert(format!("d{}", length - 1), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn bytes() {
    let of = |bytes: usize| json!({"title": "x".repeat(bytes - r#"{"title":""}"#.len())});
    check(of(256 * 1024), of(256 * 1024 + 1), "bytes: 262145 of 262144");
}

#[test]
fn depth() {
    check(nested(62), nested(63), "levels: 65 of 64");
}

#[test]
fn depth_with_references() {
    let schema = |last: usize| {
        let mut definitions = Map::new();
        for (name, depth) in [("a", 40), ("b", 40), ("c", last)] {
            let next = match name {
                "a" => json!({"$ref": "#/$defs/b"}),
                "b" => json!({"$ref": "#/$defs/c"}),
                _ => json!({"type": "string"}),
            };
            definitions.insert(name.to_owned(), (0..depth).fold(next, |inner, _| json!({ "not": inner })));
        }
        json!({"$ref": "#/$defs/a", "$defs": definitions})
    };
    check(schema(44), schema(45), "levels with references: 129 of 128");
}

#[test]
fn subschemas() {
    let schema = |count: usize| {
        let properties: Map<String, Value> = (0..count - 1).map(|n| (format!("p{n}"), json!(true))).collect();
        json!({ "properties": properties })
    };
    check(schema(5000), schema(5001), "subschemas: 5001 of 5000");
}

#[test]
fn references_in_a_chain() {
    check(chain(32), chain(33), "references in a chain: 33 of 32");
}

#[test]
fn a_chain_that_goes_into_the_value_may_be_longer() {
    let definitions: Map<String, Value> = (0..40)
        .map(|n| (format!("d{n}"), json!({"items": {"$ref": format!("#/$defs/d{}", (n + 1) % 40)}})))
        .collect();
    assert_eq!(compiled(&json!({"$ref": "#/$defs/d0", "$defs": definitions})), "ok");
}

fn doubling(levels: usize) -> Value {
    let double =
        |n: usize| json!({"anyOf": [{"$ref": format!("#/$defs/d{n}")}, {"$ref": format!("#/$defs/d{n}")}]});
    let mut definitions: Map<String, Value> = (0..levels).map(|n| (format!("d{n}"), double(n + 1))).collect();
    definitions.insert(format!("d{levels}"), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn expanded_paths_double_at_every_level() {
    check(doubling(14), doubling(15), "expanded paths: 131070 of 100000");
    assert_eq!(compiled(&doubling(30)), "expanded paths: 4294967294 of 100000");
    let exact = |allowed: u64| {
        let options = with(Bounds { expanded_paths: allowed, ..Bounds::default() });
        CompiledSchema::compile(&doubling(3), &options).is_ok()
    };
    assert_eq!((exact(30), exact(29)), (true, false));
}

#[test]
fn collecting_what_was_evaluated_counts_again_at_every_level() {
    let schema = |levels: usize| {
        (0..levels).fold(
            json!({"properties": {"a": true}}),
            |inner, _| json!({"anyOf": [inner], "unevaluatedProperties": {"type": "integer"}}),
        )
    };
    assert_eq!(compiled(&schema(8)), "ok");
    assert!(compiled(&schema(14)).starts_with("expanded paths: "));
}

#[test]
fn values_of_an_enum() {
    let schema = |count: usize| json!({ "enum": (0..count).collect::<Vec<_>>() });
    check(schema(10_000), schema(10_001), "values of an enum: 10001 of 10000");
}

#[test]
fn bytes_of_a_pattern() {
    check(
        json!({"pattern": "a".repeat(1024)}),
        json!({"pattern": "a".repeat(1025)}),
        "bytes of a pattern: 1025 of 1024",
    );
    let key = "a".repeat(1025);
    assert_eq!(compiled(&json!({"patternProperties": {key: {}}})), "bytes of a pattern: 1025 of 1024");
}

#[test]
fn compiled_patterns() {
    let large = |n: usize| json!({"pattern": format!("^{n}[a-z]{{2000}}$")});
    assert_eq!(compiled(&json!({ "allOf": (0..8).map(large).collect::<Vec<_>>() })), "ok");
    let found = compiled(&json!({ "allOf": (0..200).map(large).collect::<Vec<_>>() }));
    assert!(found.starts_with("bytes of all compiled patterns: "), "{found}");
    let refused = compiled(&json!({"pattern": "(?:[\\w\\W]{1000}){1000}"}));
    assert!(refused.starts_with("invalid schema at `/pattern`"), "{refused}");
}

#[test]
fn ways_through_embedded_resources() {
    let schema = |count: usize| {
        let resource = |n: usize| {
            let others = (0..count).filter(|other| *other != n);
            let properties: Map<String, Value> = others
                .map(|other| (format!("p{other}"), json!({"$ref": format!("http://x.example/r{other}")})))
                .collect();
            (format!("r{n}"), json!({"$id": format!("http://x.example/r{n}"), "properties": properties}))
        };
        json!({"$ref": "http://x.example/r0", "$defs": (0..count).map(resource).collect::<Map<_, _>>()})
    };
    check(schema(5), schema(7), "ways through embedded resources: 501 of 500");
}

fn validated(schema: &Value, instance: &Value, bounds: Bounds) -> Validation {
    CompiledSchema::compile(schema, &with(bounds)).unwrap().validate(instance)
}

#[test]
fn depth_of_the_value() {
    let value = |levels: usize| (1..levels).fold(json!(1), |inner, _| json!([inner]));
    assert_eq!(validated(&json!({}), &value(128), Bounds::default()), Validation::Valid);
    assert_eq!(
        validated(&json!({}), &value(129), Bounds::default()),
        Validation::Unchecked { reason: "the value nests deeper than 128 levels".to_owned() }
    );
}

#[test]
fn total_work_is_counted_exactly_when_the_estimate_is_too_high() {
    let schema = json!({"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}});
    let instance = json!(["a", null, "b"]);
    // The array, and for each of three elements the subschema and its two alternatives.
    let result = |total_work: u64| validated(&schema, &instance, Bounds { total_work, ..Bounds::default() });
    assert_eq!(result(10), Validation::Valid);
    assert_eq!(
        result(9),
        Validation::Unchecked {
            reason: "validating takes more than 9 steps (expanded paths x values of the instance)".to_owned()
        }
    );
}

#[test]
fn subschemas_within_each_other() {
    let levels = |in_place: usize| {
        let inner = json!({"additionalProperties": {"$ref": "#"}});
        (0..in_place).fold(inner, |inner, _| json!({ "allOf": [inner] }))
    };
    let value = (0..100).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert_eq!(validated(&levels(7), &value, Bounds::default()), Validation::Valid);
    assert_eq!(
        validated(&levels(9), &value, Bounds::default()),
        Validation::Unchecked {
            reason: "the schema nests deeper than 1000 subschemas on this value".to_owned()
        }
    );
}

#[test]
fn violations_are_all_counted_and_some_kept() {
    let schema = json!({"items": {"type": "string"}});
    let instance = json!((0..11).collect::<Vec<_>>());
    let Validation::Invalid { violations, total, is_complete } =
        validated(&schema, &instance, Bounds::default())
    else {
        panic!()
    };
    assert_eq!((violations.len(), total, is_complete), (limits::VIOLATIONS_SHOWN, 11, true));
}

#[test]
fn a_very_large_value_gets_its_first_violation() {
    let schema = json!({"items": {"type": "string"}});
    let instance = Value::Array(vec![json!(1); 150_000]);
    let Validation::Invalid { violations, total, is_complete } =
        validated(&schema, &instance, Bounds::default())
    else {
        panic!()
    };
    assert_eq!((violations[0].instance_path.as_str(), total, is_complete), ("/0", 1, false));
}

#[test]
fn alternatives_do_not_copy_a_large_value_over_and_over() {
    let alternatives: Vec<Value> = (0..1000).map(|n| json!({"minItems": 1_000_000 + n})).collect();
    let instance = Value::Array(vec![json!("text"); 50_000]);
    let Validation::Invalid { violations, is_complete, .. } =
        validated(&json!({ "anyOf": alternatives }), &instance, Bounds::default())
    else {
        panic!()
    };
    assert_eq!(
        (violations[0].message.as_str(), is_complete),
        ("the value does not conform to the schema; it is too large to say where", false)
    );
}

#[test]
fn what_a_text_holds_is_never_counted_too_small() {
    for text in [
        "1",
        "[]",
        "{}",
        "[[],{}]",
        "[1,2,3]",
        r#"{"a":1,"b":[{"c":null},{"d":"x"}]}"#,
        "{\n  \"a\" : [ 1 ,\t2 ]\r\n}",
        r#"{"":"","\u0061\n":"[{,:\\\"\ud83d\ude00"}"#,
    ] {
        let value: Value = serde_json::from_str(text).unwrap();
        let (most, real) = (Size::at_most(text), Size::of(&value));
        assert!(most.nodes >= real.nodes && most.bytes >= real.bytes, "{text}: {most:?}, {real:?}");
    }
    assert_eq!(Size::at_most(r#"{"a":[1,2]}"#).nodes, Size::of(&json!({"a": [1, 2]})).nodes);
}
