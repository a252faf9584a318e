//! Rows on projection; the law that it keeps meaning is in the integration tests.

use serde_json::{Value, json};

use super::{
    needs_projection, project, project_raw, project_schema, unproject_raw, unproject_schema, unwrapped_schema,
};
use crate::RawJson;
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

#[track_caller]
fn check_need(schema: Value, expected: bool) {
    assert_eq!(needs_projection(&schema), expected, "{schema}");
}

/// The inner schema after projection.
#[track_caller]
fn check_inner(schema: Value, expected: Value) {
    let projected = project_schema(&schema).unwrap();
    assert_eq!(projected["properties"]["result"], expected);
}

#[test]
fn only_the_root_of_the_schema_decides() {
    check_need(json!({"type": "object"}), false);
    check_need(json!({"type": "object", "anyOf": [{}]}), false);
    check_need(json!({"type": "array"}), true);
    check_need(json!({"type": ["object"]}), true);
    check_need(json!({"type": ["object", "null"]}), true);
    check_need(json!({"anyOf": [{"type": "object"}, {"type": "string"}]}), true);
    check_need(json!({"properties": {"a": {}}}), true);
    check_need(json!({}), true);
}

#[test]
fn a_reference_at_the_root_is_followed() {
    let with = |reference: &str| {
        json!({"$ref": reference, "$defs": {
            "o": {"type": "object", "$anchor": "here"}, "a": {"type": "array"}, "to": {"$ref": "#/$defs/o"}}})
    };
    check_need(with("#/$defs/o"), false);
    check_need(with("#/$defs/to"), false);
    check_need(with("#here"), false);
    check_need(with("#/$defs/a"), true);
    check_need(with("#/$defs/none"), true);
    check_need(with("#"), true);
    check_need(json!({"type": "array", "$ref": "#/$defs/o", "$defs": {"o": {"type": "object"}}}), true);
    let projection = project(&with("#/$defs/o")).unwrap();
    assert_eq!((projection.is_wrapped, &projection.schema["type"]), (false, &json!("object")));
}

#[test]
fn the_wrapper_is_an_object_with_the_dialect_of_the_schema() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "array"});
    assert_eq!(
        project_schema(&schema).unwrap(),
        json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"result": {"type": "array"}},
            "required": ["result"],
        })
    );
}

#[test]
fn references_that_count_from_the_root_move() {
    check_inner(json!({"$ref": "#"}), json!({"$ref": "#/properties/result"}));
    check_inner(json!({"$ref": ""}), json!({"$ref": "#/properties/result"}));
    check_inner(
        json!({"items": {"$ref": "#/$defs/a"}}),
        json!({"items": {"$ref": "#/properties/result/$defs/a"}}),
    );
    check_inner(json!({"$dynamicRef": "#/x"}), json!({"$dynamicRef": "#/properties/result/x"}));
    check_inner(
        json!({"allOf": [{"$ref": "#/a~1b"}]}),
        json!({"allOf": [{"$ref": "#/properties/result/a~1b"}]}),
    );
    check_inner(json!({"x-kept": {"$ref": "#/a"}}), json!({"x-kept": {"$ref": "#/properties/result/a"}}));
}

#[test]
fn other_references_stay() {
    for schema in [
        json!({"$ref": "#anchor"}),
        json!({"$dynamicRef": "#anchor"}),
        json!({"$ref": "item.json#/a"}),
        json!({"items": {"$id": "item.json", "$ref": "#/a"}}),
        json!({"$id": "http://x.example/root", "items": {"$ref": "#/$defs/a"}}),
    ] {
        check_inner(schema.clone(), schema);
    }
}

#[test]
fn an_id_that_is_only_a_fragment_does_not_stop_the_walk() {
    let draft7 = |items: Value| json!({"$schema": "http://json-schema.org/draft-07/schema#", "items": items});
    check_inner(
        draft7(json!({"$id": "#here", "items": {"$ref": "#/a"}})),
        json!({"items": {"$id": "#here", "items": {"$ref": "#/properties/result/a"}}}),
    );
    check_inner(
        draft7(json!({"$id": "http://x.example/void", "$ref": "#/a"})),
        json!({"items": {"$id": "http://x.example/void", "$ref": "#/properties/result/a"}}),
    );
}

#[test]
fn values_are_not_walked_but_properties_named_like_keywords_are() {
    let value = json!({"$ref": "#/a"});
    for keyword in ["const", "enum", "default", "examples"] {
        check_inner(json!({ keyword: [value] }), json!({ keyword: [value] }));
        check_inner(
            json!({"properties": {keyword: value}}),
            json!({"properties": {keyword: {"$ref": "#/properties/result/a"}}}),
        );
    }
    check_inner(
        json!({"properties": {"$ref": {"$ref": "#"}}}),
        json!({"properties": {"$ref": {"$ref": "#/properties/result"}}}),
    );
}

#[test]
fn a_recursive_reference_becomes_a_plain_one() {
    let schema = |extra: Value| {
        let mut schema = json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "type": "array"});
        schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        schema
    };
    check_inner(
        schema(json!({"items": {"$recursiveRef": "#"}})),
        json!({"type": "array", "items": {"$ref": "#/properties/result"}}),
    );
    check_inner(
        schema(json!({"items": {"$recursiveRef": "#", "$ref": "#/$defs/a"}})),
        json!({"type": "array", "items": {"$ref": "#/properties/result/$defs/a", "allOf": [{"$ref": "#/properties/result"}]}}),
    );
}

#[test]
fn a_recursive_anchor_at_the_root_keeps_the_schema_a_resource() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "$recursiveAnchor": true,
        "items": {"$recursiveRef": "#"},
    });
    let projected = project_schema(&schema).unwrap();
    let inner = &projected["properties"]["result"];
    assert!(inner["$id"].as_str().unwrap().starts_with("https://mortise.invalid/projected/"));
    assert_eq!(inner["items"], json!({"$recursiveRef": "#"}));
    assert_eq!(unproject_schema(&projected), Some(schema));
}

#[test]
fn a_projected_schema_comes_back() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "items": {"$ref": "#/$defs/row"},
        "$defs": {"row": {"properties": {"next": {"$ref": "#"}, "near": {"$ref": "#/properties/resultant"}}}},
    });
    assert_eq!(unproject_schema(&project_schema(&schema).unwrap()), Some(schema));
    assert_eq!(unproject_schema(&json!({"type": "object"})), None);
}

#[test]
fn raw_values_keep_their_digits_both_ways() {
    let value = RawJson::parse("[1.10, 123456789012345678901234567890]").unwrap();
    let projected = project_raw(&value);
    assert_eq!(projected.text(), r#"{"result":[1.10, 123456789012345678901234567890]}"#);
    assert_eq!(unproject_raw(&projected), Some(value));
    assert_eq!(unproject_raw(&RawJson::parse(r#"{"result":1,"b":2}"#).unwrap()), None);
}

#[test]
fn a_schema_too_deep_is_refused() {
    let mut schema = json!({});
    for _ in 0..127 {
        schema = json!({ "not": schema });
    }
    assert!(project_schema(&schema).is_err());
    assert_eq!(
        project(&schema).unwrap_err().to_string(),
        "the schema passes the limit on levels: 129 of at most 128"
    );
    assert!(project_schema(&schema["not"]).is_ok());
}

/// The schema inside a wrapper with these definitions.
#[track_caller]
fn check_unwrapped(inner: Value, definitions: Value, expected: Value) {
    let mut wrapper = json!({"type": "object", "properties": {"result": inner}, "required": ["result"]});
    if !definitions.is_null() {
        wrapper["$defs"] = definitions;
    }
    let unwrapped = unwrapped_schema(&wrapper).unwrap();
    assert_eq!(unwrapped, expected);
    // A value fits what is inside if and only if it fits in the wrapper.
    let compiled = |schema: &Value| CompiledSchema::compile(schema, &SchemaOptions::default()).unwrap();
    let (outside, inside) = (compiled(&wrapper), compiled(&unwrapped));
    for value in
        [json!([]), json!([{"result": []}]), json!([{"result": [1]}]), json!([[]]), json!(1), json!(["x"])]
    {
        let conforms = |schema: &CompiledSchema, value: &Value| schema.validate(value) == Validation::Valid;
        assert_eq!(conforms(&inside, &value), conforms(&outside, &json!({"result": value})), "{value}");
    }
}

#[test]
fn what_is_unwrapped_refers_to_what_it_referred_to() {
    let row = json!({"type": "string"});
    check_unwrapped(
        json!({"type": "array", "items": {"$ref": "#/$defs/row"}}),
        json!({"row": row}),
        json!({"type": "array", "items": {"$ref": "#/$defs/row"}, "$defs": {"row": row}}),
    );
    check_unwrapped(
        json!({"type": "array", "items": {"$ref": "#/$defs/rows"}}),
        json!({"rows": {"$ref": "#/properties/result"}}),
        json!({"type": "array", "items": {"$ref": "#/$defs/rows"}, "$defs": {"rows": {"$ref": "#"}}}),
    );
}

#[test]
fn a_reference_to_the_wrapper_finds_a_copy_of_it() {
    let copy = |definitions: Value| {
        let mut copy =
            json!({"type": "object", "properties": {"result": {"$ref": "#"}}, "required": ["result"]});
        if !definitions.is_null() {
            copy["$defs"] = definitions;
        }
        copy
    };
    check_unwrapped(
        json!({"type": "array", "items": {"$ref": "#"}}),
        Value::Null,
        json!({"type": "array", "items": {"$ref": "#/$defs/wrapper"}, "$defs": {"wrapper": copy(Value::Null)}}),
    );
    // Two sets of definitions, each with its own `row`.
    check_unwrapped(
        json!({"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/row"}, {"$ref": "#/properties/result/$defs/row"}]},
            "$defs": {"row": {"type": "array"}, "wrapper": {}}}),
        json!({"row": {"$ref": "#"}}),
        json!({"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/wrapper_/$defs/row"}, {"$ref": "#/$defs/row"}]},
            "$defs": {"row": {"type": "array"}, "wrapper": {},
                "wrapper_": copy(json!({"row": {"$ref": "#/$defs/wrapper_"}}))}}),
    );
}
