//! What Gemini reads of a schema.

use serde_json::{Value, json};

use super::{Provider, ProviderTool, reasons, render, tool};

fn gemini(property: Value) -> (Value, ProviderTool) {
    let schema = json!({"type": "object", "properties": {"p": property},
        "$defs": {"X": {"type": "string"}, "Long": {"type": "string", "description": "x".repeat(600)}}});
    let rendered = render(Provider::Gemini, &tool(schema, None));
    (rendered.json["parametersJsonSchema"]["properties"]["p"].clone(), rendered)
}

#[test]
fn keywords_that_are_not_read_are_left_out_and_listed() {
    let rows = [
        (
            json!({"type": "string", "pattern": "^a", "default": "a"}),
            json!({"type": "string"}),
            vec!["info default", "warn pattern"],
        ),
        (
            json!({"type": "integer", "exclusiveMinimum": 0}),
            json!({"type": "integer"}),
            vec!["warn exclusiveMinimum"],
        ),
        (json!({"const": "a"}), json!({"enum": ["a"]}), vec!["info const"]),
        (
            json!({"type": ["string", "null"], "enum": ["a", null]}),
            json!({"type": ["string", "null"]}),
            vec!["error enum"],
        ),
        (json!({"allOf": [{"$ref": "#/$defs/X"}]}), json!({"$ref": "#/$defs/X"}), vec!["info allOf"]),
        (json!({"allOf": [{"type": "string"}, {"minLength": 1}]}), json!({}), vec!["warn allOf"]),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
            vec![],
        ),
    ];
    for (before, after, losses) in rows {
        let (sent, rendered) = gemini(before.clone());
        assert_eq!(
            (sent, reasons(&rendered)),
            (after, losses.into_iter().map(str::to_owned).collect()),
            "{before}"
        );
        assert!(rendered.losses.iter().all(|loss| loss.rule.is_some_and(|rule| rule.starts_with("gemini."))));
    }
}

#[test]
fn nothing_but_dollar_keywords_stands_beside_a_reference() {
    let (sent, rendered) = gemini(json!({"$ref": "#/$defs/X", "description": "d"}));
    assert_eq!(
        (sent, reasons(&rendered)),
        (json!({"type": "string", "description": "d"}), vec!["info $ref".to_owned()])
    );
    let (sent, rendered) = gemini(json!({"$ref": "#/$defs/Long", "description": "d"}));
    assert_eq!(
        (sent, reasons(&rendered)),
        (json!({"$ref": "#/$defs/Long"}), vec!["info description".to_owned()])
    );
    let (sent, rendered) = gemini(json!({"$ref": "#/$defs/X", "enum": ["a"]}));
    assert_eq!((sent, reasons(&rendered)), (json!({"$ref": "#/$defs/X"}), vec!["warn enum".to_owned()]));
}

#[test]
fn definitions_are_called_as_gemini_reads_them() {
    let schema = json!({"type": "object", "properties": {"p": {"$ref": "#/definitions/X"}}, "definitions": {"X": {"type": "string"}}});
    let rendered = render(Provider::Gemini, &tool(schema, None));
    assert_eq!(
        rendered.json["parametersJsonSchema"],
        json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/X"}}, "$defs": {"X": {"type": "string"}}})
    );
    assert_eq!(reasons(&rendered), ["info definitions"]);
}

#[test]
fn a_type_is_part_of_itself_through_optional_properties_only() {
    let node = |required: Value| {
        json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": {"type": "object",
            "properties": {"next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]}}, "required": required}}})
    };
    assert_eq!(reasons(&render(Provider::Gemini, &tool(node(json!([])), None))), Vec::<String>::new());
    let refused = render(Provider::Gemini, &tool(node(json!(["next"])), None));
    assert_eq!(reasons(&refused), ["error $ref"]);
    assert_eq!(
        (refused.losses[0].pointer.as_str(), refused.losses[0].rule),
        ("/$defs/Node", Some("gemini.recursion"))
    );
}

#[test]
fn parameters_begin_with_a_letter() {
    let schema =
        json!({"type": "object", "properties": {"2nd": {"type": "string"}, "_ok": {"type": "string"}}});
    let rendered = render(Provider::Gemini, &tool(schema, None));
    assert_eq!(reasons(&rendered), ["error properties"]);
    assert_eq!(rendered.losses[0].pointer, "/properties/2nd");
}
