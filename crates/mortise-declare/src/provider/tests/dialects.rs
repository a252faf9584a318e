//! Older dialects, and schemas that are none, for providers that read 2020-12.

use serde_json::{Value, json};

use super::{Provider, reasons, render, tool};

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_4: &str = "http://json-schema.org/draft-04/schema#";

#[track_caller]
fn becomes(dialect: Option<&str>, before: Value, after: Value, losses: &[&str]) {
    let mut schema =
        json!({"type": "object", "properties": {"p": before}, "definitions": {"X": {"type": "string"}}});
    if let Some(dialect) = dialect {
        schema["$schema"] = dialect.into();
    }
    for (provider, field) in
        [(Provider::Anthropic, "/input_schema"), (Provider::Bedrock, "/toolSpec/inputSchema/json")]
    {
        let rendered = render(provider, &tool(schema.clone(), None));
        let sent = rendered.json.pointer(field).unwrap();
        assert_eq!(sent["properties"]["p"], after);
        assert_eq!(reasons(&rendered), losses);
        if let Some(dialect) = sent.get("$schema").filter(|_| before != after) {
            assert_eq!(dialect, "https://json-schema.org/draft/2020-12/schema");
        }
        assert!(jsonschema::draft202012::meta::is_valid(&json!({"properties": sent["properties"]})));
    }
}

#[test]
fn tuples_bounds_and_dependencies_are_written_in_the_new_words() {
    let pair = json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false});
    let now =
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false});
    becomes(Some(DRAFT_7), pair.clone(), now.clone(), &["info additionalItems", "info items"]);
    becomes(None, pair, now, &["info additionalItems", "info items"]);
    let bounds = json!({"type": "integer", "minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false});
    let now = json!({"type": "integer", "exclusiveMinimum": 0, "maximum": 9});
    becomes(Some(DRAFT_4), bounds, now, &["info exclusiveMaximum", "info exclusiveMinimum"]);
    let dependencies = json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}});
    let now = json!({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}});
    becomes(Some(DRAFT_7), dependencies, now, &["info dependencies"]);
}

#[test]
fn up_to_draft_7_nothing_counts_beside_a_reference() {
    let beside = json!({"$ref": "#/definitions/X", "type": "integer", "description": "d"});
    let now = json!({"$ref": "#/definitions/X", "description": "d"});
    becomes(Some(DRAFT_7), beside.clone(), now, &["info $ref"]);
    becomes(None, beside.clone(), beside, &[]);
    let same = json!({"type": "string"});
    becomes(Some(DRAFT_7), same.clone(), same, &[]);
}

#[test]
fn what_is_no_json_schema_is_dropped_and_told() {
    let rows = [
        (json!({"type": "string[]"}), json!({}), "error type"),
        (json!({"type": ["string", "string"]}), json!({}), "error type"),
        (json!({"type": "string", "required": true}), json!({"type": "string"}), "error required"),
        (json!({"type": "object", "required": "a"}), json!({"type": "object"}), "error required"),
        (json!({"properties": [1, 2]}), json!({}), "error properties"),
        (json!({"properties": {"a": 1}}), json!({"properties": {"a": {}}}), "error properties"),
        (json!({"anyOf": []}), json!({}), "error anyOf"),
        (json!({"minLength": "1", "description": "d"}), json!({"description": "d"}), "error minLength"),
    ];
    for (before, after, loss) in rows {
        becomes(None, before, after, &[loss]);
    }
}

#[test]
fn names_that_a_provider_refuses_are_told() {
    let schema =
        json!({"type": "object", "properties": {"filter[id]": {}, "a.b-c_d": {}, "x".repeat(65): {}}});
    for provider in [Provider::Anthropic, Provider::Bedrock] {
        let rendered = render(provider, &tool(schema.clone(), None));
        assert_eq!(reasons(&rendered), ["error properties", "error properties"]);
    }
    assert_eq!(reasons(&render(Provider::OpenAi, &tool(schema, None))), Vec::<String>::new());
}
