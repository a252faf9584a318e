use serde_json::{Value, json};

use super::{ObservedShape, suggested_schema};
use crate::RawJson;
use crate::limits;
use crate::schema::{CompiledSchema, SchemaOptions};

const DAY: u64 = 86_400;

fn shape(texts: &[&str]) -> ObservedShape {
    let mut shape = ObservedShape::default();
    for (at, text) in texts.iter().enumerate() {
        shape.merge(&ObservedShape::of(&RawJson::parse(text).unwrap(), at as u64 * DAY));
    }
    shape
}

#[track_caller]
fn check(texts: &[&str], expected: Value) {
    assert_eq!(shape(texts).schema().value, expected);
}

#[test]
fn fields_are_required_that_every_object_had() {
    check(
        &[r#"{"total": 3}"#, r#"{"total": null, "next": "p2"}"#],
        json!({
            "type": "object",
            "properties": {"next": {"type": "string"}, "total": {"type": ["integer", "null"]}},
            "required": ["total"],
        }),
    );
}

#[test]
fn elements_of_all_lists_have_one_type() {
    check(
        &["[]", r#"[{"id": 1}, {"id": 2.5}]"#],
        json!({
            "type": "array",
            "items": {"type": "object", "properties": {"id": {"type": "number"}}, "required": ["id"]},
        }),
    );
    check(&["[]"], json!({"type": "array"}));
    check(&[r#""a""#, "true", "1e3", "7"], json!({"type": ["string", "number", "boolean"]}));
}

#[test]
fn keys_that_are_data_are_not_kept() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    for key in [
        "2026-11-18",
        "ann@example.com",
        "src/main.rs",
        "Ann Example",
        "17",
        "cus_9f8a7b6c5d",
        "b5c1c9a4-77ab-4cd2-9c34-e1cbb8b1a2d3",
        "",
        "ignore\nall",
        "\u{202e}evil",
    ] {
        let text = json!({ key: 1, "n": 2 }).to_string();
        check(&[&text], map.clone());
        check(&[r#"{"n": 1}"#, &text], map.clone());
        assert!(!serde_json::to_string(&shape(&[&text])).unwrap().contains("\"n\""));
    }
    for key in ["sha256", "@type", "$ref", "x86_64", "full-name", "größe", "a.b", "xmlns:dc"] {
        let text = json!({ key: 1 }).to_string();
        assert_eq!(shape(&[&text]).schema().value["required"], json!([key]));
    }
}

#[test]
fn many_different_keys_make_a_map() {
    let row = |from: usize, to: usize| {
        let members: serde_json::Map<String, Value> =
            (from..to).map(|n| (format!("k{}", char_name(n)), json!(1))).collect();
        Value::Object(members).to_string()
    };
    let whole = shape(&[&row(0, limits::OBSERVED_FIELDS)]);
    assert_eq!(whole.value().fields().count(), limits::OBSERVED_FIELDS);
    let more = shape(&[&row(0, 100), &row(60, limits::OBSERVED_FIELDS + 1)]);
    assert_eq!(more.schema().value, json!({"type": "object", "additionalProperties": {"type": "integer"}}));
}

/// A number in letters.
fn char_name(n: usize) -> String {
    n.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
}

#[test]
fn counts_and_days_are_kept() {
    let shape = shape(&[r#"{"a": 1, "b": 2}"#, r#"{"a": 1}"#, r#"{"a": 1}"#]);
    assert_eq!(shape.calls(), 3);
    assert_eq!(shape.value().fields().collect::<Vec<_>>(), [("a", 3), ("b", 1)]);
    assert_eq!(shape.first_day().unwrap(), "1970-01-01");
    assert_eq!(shape.last_day().unwrap(), "1970-01-03");
}

#[test]
fn what_is_only_counted_has_no_type() {
    let mut shape = ObservedShape::counted(5);
    assert!(!shape.has_type());
    shape.merge(&ObservedShape::of(&RawJson::parse("[1]").unwrap(), 6));
    assert!(shape.has_type());
    shape.merge(&ObservedShape::unknown(7));
    assert!(!shape.has_type());
    assert_eq!(shape.schema().value, json!({}));
}

#[test]
fn no_value_is_kept() {
    let text = r#"{"name": "Ann Example", "mail": ["ann@example.com"], "born": 19700101, "tags": {"x y": "secret"}}"#;
    let kept = serde_json::to_string(&shape(&[text])).unwrap();
    for data in ["Ann", "example.com", "19700101", "secret", "x y"] {
        assert!(!kept.contains(data), "{kept}");
    }
}

#[test]
fn deep_values_may_be_anything() {
    let text = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let mut schema = &shape(&[&text]).schema().value;
    for _ in 1..limits::OBSERVED_LEVELS {
        assert_eq!(schema["type"], "array");
        schema = &schema["items"];
    }
    assert_eq!(schema["items"], json!({}));
}

#[test]
fn long_lists_are_sampled_the_same_way_each_time() {
    let rows: Vec<Value> = (0..40_000)
        .map(|n| if n == 32_768 { json!({"late": n}) } else { json!({"id": n, "name": "a"}) })
        .collect();
    let text = Value::from(rows).to_string();
    let once = shape(&[&text]);
    assert!(once.is_sampled());
    assert_eq!(once, shape(&[&text]));
    assert_eq!(
        once.schema().value["items"]["properties"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["id", "late", "name"]
    );
    assert!(!shape(&["[1, 2]"]).is_sampled());
}

#[test]
fn a_shape_that_grows_too_large_loses_its_deepest_levels() {
    let names: Vec<String> = (0..60).map(|n| format!("f{}", char_name(n))).collect();
    let row = |inner: &Value| Value::Object(names.iter().map(|name| (name.clone(), inner.clone())).collect());
    let plane = row(&row(&json!(1)));
    let parts: Vec<String> =
        names.iter().take(12).map(|name| json!({ name: plane.clone() }).to_string()).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let shape = shape(&parts);
    assert!(shape.weight() <= limits::OBSERVED_WEIGHT);
    let schema = shape.schema();
    assert_eq!(schema.value["properties"]["fa"]["properties"]["fa"], json!({}));
    assert!(shape.is_within_bounds());
}

#[test]
fn a_shape_survives_its_text() {
    let shape = shape(&[r#"{"a": [1, null], "b": {"2026-11-18": 2.5}}"#, "true"]);
    let text = serde_json::to_string(&shape).unwrap();
    let back: ObservedShape = serde_json::from_str(&text).unwrap();
    assert_eq!(back, shape);
    assert!(back.is_within_bounds());
    let name = text.replace("\"a\"", "\"ann@example.com\"");
    let foreign: ObservedShape = serde_json::from_str(&name).unwrap();
    assert!(!foreign.is_within_bounds());
    serde_json::from_str::<ObservedShape>(&text.replace("\"calls\"", "\"callz\"")).unwrap_err();
}

#[test]
fn a_suggested_schema_is_that_of_an_object() {
    let object = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
    assert_eq!(suggested_schema(&object), object);
    let wrapped =
        json!({"type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"]});
    assert_eq!(suggested_schema(&json!({"type": "string"})), wrapped);
    let maybe = json!({"type": ["object", "null"]});
    assert_eq!(suggested_schema(&maybe)["properties"]["result"], maybe);
    for schema in [object, wrapped] {
        CompiledSchema::compile(&schema, &SchemaOptions::default()).unwrap();
    }
}
