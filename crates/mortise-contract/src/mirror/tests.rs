//! Rows on texts and structured values.

use serde_json::{Value, json};

use super::mirror;
use crate::{RawJson, ToolResult};

#[track_caller]
fn check(texts: &[&str], structured: Option<Value>, expected: &str) {
    let content: Vec<Value> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let mut result = json!({ "content": content });
    if let Some(structured) = structured {
        result["structuredContent"] = structured;
    }
    let result = ToolResult::parse(RawJson::from_value(&result).unwrap()).unwrap();
    assert_eq!(mirror(&result).as_str(), expected);
}

#[test]
fn a_text_mirrors_by_value_not_by_spelling() {
    check(&[r#"{"a":1}"#], Some(json!({"a": 1})), "mirror_equal");
    check(&["{\n  \"b\": 2.0,\n  \"a\": 1\n}"], Some(json!({"a": 1, "b": 2})), "mirror_equal");
    check(&["summary", r#"{"a":1}"#], Some(json!({"a": 1})), "mirror_equal");
    check(&["null"], Some(Value::Null), "mirror_equal");
    check(&["\"x\""], Some(json!("x")), "mirror_equal");
    check(&["x"], Some(json!("x")), "mirror_equal");
}

#[test]
fn a_text_may_mirror_the_value_inside() {
    check(&["[1]"], Some(json!({"entities": [1]})), "mirror_of_inner");
    check(&["Hello"], Some(json!({"result": "Hello"})), "mirror_of_inner");
    check(&["one", "[1]"], Some(json!({"entities": [1]})), "mirror_of_inner");
}

#[test]
fn everything_else_is_named() {
    check(&[], Some(json!({"a": 1})), "mirror_absent");
    check(&["raw text"], Some(json!({"a": 1})), "mirror_differs");
    check(&["1", "2"], Some(json!({"result": [1, 2]})), "mirror_multi_block");
    check(&["text"], None, "mirror_not_applicable");
}
