//! Rows on the evidence for wrapping.

use serde_json::{Value, json};

use super::{ShapeRule, delivered_schema, unwrapped};
use crate::{Contract, RawJson, ToolResult};

#[track_caller]
fn check_rule(tool: Value, result: Value, rule: ShapeRule, expected: &str) {
    let mut declared = json!({"name": "t", "inputSchema": {"type": "object"}});
    declared.as_object_mut().unwrap().extend(tool.as_object().unwrap().clone());
    let contract = Contract::parse(RawJson::from_value(&declared).unwrap()).unwrap();
    let result = ToolResult::parse(RawJson::from_value(&result).unwrap()).unwrap();
    let shown = match unwrapped(&contract, &result, rule) {
        None => "nothing".to_owned(),
        Some(found) => format!("{} {:?} {:?}", found.value.text(), found.evidence, found.notes),
    };
    assert_eq!(shown, expected);
}

#[track_caller]
fn check(tool: Value, result: Value, expected: &str) {
    check_rule(tool, result, ShapeRule::Unwrap, expected);
}

fn wrapper() -> Value {
    json!({"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"]})
}

#[test]
fn an_output_schema_has_the_last_word_and_the_meta_of_a_result_the_first_without_one() {
    let result = json!({"content": [], "structuredContent": {"result": 5}, "_meta": {"fastmcp": {"wrap_result": true}}});
    check(json!({}), result.clone(), "5 Some(ResultMeta) []");
    let schema = json!({"outputSchema": {"type": "object", "properties": {"result": {}, "more": {}}}});
    check(schema, result, r#"{"result":5} None []"#);
}

#[test]
fn the_delivered_schema_is_that_of_the_value() {
    let delivered = |schema: Value| {
        let tool = json!({"name": "t", "outputSchema": schema});
        let contract = Contract::parse(RawJson::from_value(&tool).unwrap()).unwrap();
        delivered_schema(&contract).unwrap().into_owned()
    };
    assert_eq!(delivered(wrapper()), json!({"type": "integer"}));
    let row = json!({"type": "object", "properties": {"result": {"$ref": "#/$defs/R"}}, "required": ["result"],
        "$defs": {"R": {"type": "string"}}});
    assert_eq!(delivered(row), json!({"$ref": "#/$defs/R", "$defs": {"R": {"type": "string"}}}));
    let open = json!({"type": "object", "properties": {"result": {}, "more": {}}});
    assert_eq!(delivered(open.clone()), open);
}

#[test]
fn flags_unwrap_only_what_is_wrapped() {
    let mut flagged = wrapper();
    flagged["x-fastmcp-wrap-result"] = json!(true);
    let schema = json!({ "outputSchema": flagged });
    check(schema.clone(), json!({"structuredContent": {"result": 5}}), "5 Some(SchemaFlag) []");
    check(
        schema.clone(),
        json!({"structuredContent": {"result": 5, "b": 1}}),
        r#"{"result":5,"b":1} None []"#,
    );
    check(schema, json!({"structuredContent": [5]}), "[5] None []");
}

#[test]
fn a_projection_is_undone() {
    let meta = json!({"mortise/projected": true});
    let result = json!({"structuredContent": {"result": [1]}});
    check(json!({"outputSchema": wrapper(), "_meta": meta}), result.clone(), "[1] Some(Projected) []");
    let mut marked = result;
    marked["_meta"] = meta;
    check(json!({}), marked, "[1] Some(Projected) []");
}

#[test]
fn the_shape_of_a_schema_unwraps_with_a_note_and_can_be_switched_off() {
    let schema = json!({ "outputSchema": wrapper() });
    let result = json!({"structuredContent": {"result": 5}});
    check(schema.clone(), result.clone(), r#"5 Some(SchemaShape) ["unwrapped_by_shape"]"#);
    check_rule(schema, result, ShapeRule::Keep, r#"{"result":5} None []"#);
}

#[test]
fn a_schema_that_says_more_is_no_wrapper() {
    for extra in [
        json!({"required": []}),
        json!({"properties": {"result": {}, "other": {}}}),
        json!({"anyOf": [{}]}),
        json!({"patternProperties": {"^x": {}}}),
    ] {
        let mut schema = wrapper();
        schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let tool = json!({ "outputSchema": schema });
        check(tool, json!({"structuredContent": {"result": 5}}), r#"{"result":5} None []"#);
    }
}

#[test]
fn without_a_schema_the_texts_decide() {
    let result = |text: &str, inner: Value| json!({"content": [{"type": "text", "text": text}], "structuredContent": {"result": inner}});
    check(json!({}), result("Hello!", json!("Hello!")), r#""Hello!" Some(TextEqualsInner) []"#);
    check(json!({}), result("[1, 2]", json!([1, 2])), "[1,2] Some(TextEqualsInner) []");
    check(json!({}), result("{\"result\": 5}", json!(5)), r#"{"result":5} None []"#);
    check(json!({}), result("something else", json!(5)), r#"{"result":5} None []"#);
}

#[test]
fn a_string_that_is_json_is_noted_and_not_decoded() {
    let result = json!({
        "content": [{"type": "text", "text": "{\"result\": 7}"}],
        "structuredContent": {"result": "{\"result\": 7}"},
    });
    check(json!({}), result, r#""{\"result\": 7}" Some(TextEqualsInner) ["opaque_json_string"]"#);
}

#[test]
fn numbers_survive_unwrapping_as_written() {
    let contract = Contract::parse(RawJson::parse(r#"{"name": "t"}"#).unwrap()).unwrap();
    let raw = r#"{"structuredContent": {"result": 1e400}, "_meta": {"fastmcp": {"wrap_result": true}}}"#;
    let result = ToolResult::parse(RawJson::parse(raw).unwrap()).unwrap();
    let found = unwrapped(&contract, &result, ShapeRule::Unwrap).unwrap();
    assert_eq!(found.value.text(), "1e400");
}

#[test]
fn no_structured_content_is_nothing() {
    check(json!({}), json!({"content": []}), "nothing");
}
