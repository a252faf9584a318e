//! Rows on compiling and validating.

mod attacks;
mod bounds;
mod cache;

use serde_json::{Value, json};

use super::{CompiledSchema, Dialect, SchemaError, SchemaOptions, Validation};

fn compile(schema: &Value) -> Result<CompiledSchema, SchemaError> {
    CompiledSchema::compile(schema, &SchemaOptions::default())
}

/// `valid`, `invalid`, `unchecked` or the schema error.
fn judged(schema: &Value, instance: &Value) -> String {
    match compile(schema).map(|compiled| compiled.validate(instance)) {
        Ok(Validation::Valid) => "valid".to_owned(),
        Ok(Validation::Invalid { .. }) => "invalid".to_owned(),
        Ok(Validation::Unchecked { reason }) => format!("unchecked: {reason}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(schema: Value, instance: Value, expected: &str) {
    assert_eq!(judged(&schema, &instance), expected, "{schema}");
}

#[derive(serde::Deserialize)]
struct ViolationCase {
    schema: Value,
    instance: Value,
    violations: Vec<[String; 4]>,
}

#[test]
fn violations_say_where_what_was_expected_and_what_is_there() {
    let cases: Vec<ViolationCase> =
        serde_json::from_str(include_str!("../../tests/cases/violations.json")).unwrap();
    for case in cases {
        let options = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
        let compiled = CompiledSchema::compile(&case.schema, &options).unwrap();
        let Validation::Invalid { violations, total, is_complete } = compiled.validate(&case.instance) else {
            panic!("{} accepts {}", case.schema, case.instance);
        };
        let found: Vec<[String; 4]> = violations
            .into_iter()
            .map(|found| [found.instance_path, found.schema_path, found.keyword, found.message])
            .collect();
        assert_eq!(found, case.violations, "{}", case.schema);
        assert_eq!((total, is_complete), (case.violations.len(), true));
    }
}

#[test]
fn each_dialect_has_its_own_rules() {
    let tuple = |dialect: &str| json!({"$schema": dialect, "type": "array", "items": [{"type": "string"}]});
    for draft in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"] {
        check(tuple(draft), json!(["a", 1]), "valid");
        check(tuple(draft), json!([1]), "invalid");
    }
    assert!(
        judged(&tuple("https://json-schema.org/draft/2020-12/schema"), &json!(["a"]))
            .starts_with("invalid schema at `/items`")
    );
    let prefix = |dialect: &str| json!({"$schema": dialect, "prefixItems": [{"type": "string"}]});
    check(prefix("https://json-schema.org/draft/2020-12/schema"), json!([1]), "invalid");
    check(prefix("https://json-schema.org/draft/2019-09/schema"), json!([1]), "valid");
    let exclusive =
        json!({"$schema": "http://json-schema.org/draft-04/schema#", "maximum": 5, "exclusiveMaximum": true});
    check(exclusive.clone(), json!(5), "invalid");
    check(exclusive, json!(4), "valid");
    check(json!({"prefixItems": [{"type": "string"}]}), json!([1]), "invalid");
    for (dialect, name) in
        Dialect::ALL.into_iter().zip(["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"])
    {
        let compiled = compile(&json!({"$schema": dialect.uri()})).unwrap();
        assert_eq!((compiled.dialect(), dialect.as_str()), (dialect, name));
    }
}

#[test]
fn the_default_dialect_holds_only_without_schema_keyword() {
    let options = SchemaOptions { default_dialect: Dialect::Draft7, ..SchemaOptions::default() };
    let dialect = |schema: Value| CompiledSchema::compile(&schema, &options).unwrap().dialect();
    assert_eq!(dialect(json!({})), Dialect::Draft7);
    assert_eq!(
        dialect(json!({"$schema": "https://json-schema.org/draft/2019-09/schema"})),
        Dialect::Draft201909
    );
}

#[test]
fn an_unknown_dialect_is_named() {
    for uri in ["https://example.com/my-schema", "http://json-schema.org/draft-03/schema#", "", "draft-07"] {
        check(json!({"$schema": uri}), json!(1), &format!("unsupported dialect `{uri}`"));
    }
    check(json!({"$schema": 7}), json!(1), "unsupported dialect `7`");
}

#[test]
fn a_schema_is_an_object() {
    for (schema, found) in [
        (json!(true), "a boolean"),
        (json!(null), "null"),
        (json!([]), "an array"),
        (json!("object"), "a string"),
    ] {
        check(schema, json!(1), &format!("the schema is {found}, not an object"));
    }
}

#[test]
fn a_wrong_schema_is_located() {
    check(
        json!({"properties": {"a": {"type": "strin"}}}),
        json!({}),
        "invalid schema at `/properties/a/type`: matches no alternative of `anyOf`: (0) /properties/a/type: expected one \
         of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\", got \"strin\"; (1) \
         /properties/a/type: expected array, got \"strin\"",
    );
    check(json!({"minimum": "5"}), json!(1), "invalid schema at `/minimum`: expected number, got \"5\"");
    check(
        json!({"items": {"$ref": "#/$defs/gone"}, "$defs": {"here": {}}}),
        json!([]),
        "invalid schema at `/items/$ref`: the reference `#/$defs/gone` leads nowhere",
    );
    check(
        json!({"pattern": "("}),
        json!(""),
        "invalid schema at `/pattern`: expected a string of format `regex`, got \"(\"",
    );
}

#[test]
fn references_outside_the_document_are_refused_by_name() {
    let external = |reference: &str| {
        check(
            json!({"properties": {"a/b": {"$ref": reference}}}),
            json!({}),
            &format!("external reference `{reference}` at `/properties/a~1b/$ref` is not fetched"),
        );
    };
    external("http://127.0.0.1:9/x.json");
    external("https://example.com/schema#/$defs/a");
    external("file:///etc/passwd");
    external("other.json");
    external("urn:example:a");
    check(
        json!({"$id": "http://127.0.0.1:9/base/", "$ref": "x"}),
        json!({}),
        "external reference `x` at `/$ref` is not fetched",
    );
    check(
        json!({"$defs": {"unused": {"$ref": "http://127.0.0.1:9/x"}}}),
        json!({}),
        "external reference `http://127.0.0.1:9/x` at `/$defs/unused/$ref` is not fetched",
    );
}

#[test]
fn references_inside_the_document_are_followed() {
    let string = json!({"type": "string"});
    for schema in [
        json!({"$ref": "#/$defs/a", "$defs": {"a": string}}),
        json!({"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": string}}),
        json!({"$ref": "#here", "$defs": {"a": {"$anchor": "here", "type": "string"}}}),
        json!({"$ref": "item.json", "$defs": {"a": {"$id": "item.json", "type": "string"}}}),
        json!({"$ref": "http://x.example/a#/$defs/b", "$defs": {"a": {"$id": "http://x.example/a", "$defs": {"b": string}}}}),
        json!({"$id": "http://x.example/root", "$ref": "http://x.example/root#/$defs/a", "$defs": {"a": string}}),
        json!({"$ref": "#/x-parts/0/deep", "x-parts": [{"deep": {"$ref": "#/x-parts/1"}}, string]}),
        json!({"$dynamicRef": "#t", "$defs": {"a": {"$dynamicAnchor": "t", "type": "string"}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#here", "definitions": {"a": {"$id": "#here", "type": "string"}}}),
    ] {
        check(schema.clone(), json!("x"), "valid");
        check(schema, json!(1), "invalid");
    }
    for dialect in Dialect::ALL {
        let meta = json!({"$schema": dialect.uri(), "$ref": format!("{}#", dialect.uri())});
        check(meta.clone(), json!({"type": 7}), "invalid");
        check(meta, json!({"type": "string"}), "valid");
    }
    check(
        json!({"$ref": "http://json-schema.org/draft-07/schema#"}),
        json!({}),
        "external reference `http://json-schema.org/draft-07/schema#` at `/$ref` is not fetched",
    );
}

#[test]
fn formats_are_annotations_unless_asserted() {
    for dialect in Dialect::ALL {
        let schema = json!({"$schema": dialect.uri(), "format": "ipv4"});
        check(schema.clone(), json!("no address"), "valid");
        let options = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
        let compiled = CompiledSchema::compile(&schema, &options).unwrap();
        assert!(matches!(compiled.validate(&json!("no address")), Validation::Invalid { .. }), "{dialect}");
        assert_eq!(compiled.validate(&json!("127.0.0.1")), Validation::Valid);
    }
    let unknown = json!({"format": "made-up"});
    let options = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
    assert_eq!(CompiledSchema::compile(&unknown, &options).unwrap().validate(&json!("x")), Validation::Valid);
}

#[test]
fn a_whole_number_is_an_integer_however_it_is_written() {
    check(json!({"type": "integer"}), json!(1.0), "valid");
    check(json!({"type": "integer"}), json!(1.5), "invalid");
    check(json!({"type": "integer"}), json!(u64::MAX), "valid");
    check(json!({"const": 9_007_199_254_740_993_u64}), json!(9_007_199_254_740_992_u64), "invalid");
}

#[test]
fn loops_that_go_one_way_end() {
    check(json!({"$ref": "#"}), json!(1), "valid");
    let mutual =
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    check(mutual, json!({}), "valid");
    check(json!({"allOf": [{"$ref": "#"}], "type": "string"}), json!(1), "invalid");
}

#[test]
fn long_texts_are_cut() {
    let long = "x".repeat(100_000);
    let schema = json!({"enum": [format!("{long}1"), format!("{long}2")]});
    let Validation::Invalid { violations, .. } = compile(&schema).unwrap().validate(&json!([long])) else {
        panic!()
    };
    assert!(violations[0].message.len() <= 2048);
    assert!(violations[0].value_excerpt.len() <= 256);
    assert!(violations[0].value_excerpt.ends_with('…'));
    let exact = json!("y".repeat(254));
    let Validation::Invalid { violations, .. } = compile(&json!({"type": "null"})).unwrap().validate(&exact)
    else {
        panic!()
    };
    assert_eq!(violations[0].value_excerpt, exact.to_string());
}
