//! What strict modes are granted and refused.

use serde_json::{Value, json};

use super::{Provider, ProviderTool, StrictVerdict, reasons, render, strictly, tool};
use crate::Severity;

#[track_caller]
fn refused(provider: Provider, schema: Value, reason: &str) -> ProviderTool {
    let rendered = strictly(provider, schema);
    assert_eq!(rendered.strict, StrictVerdict::Impossible(vec![reason.to_owned()]));
    rendered
}

#[test]
fn an_object_that_names_no_key_takes_any_and_cannot_be_strict() {
    let open = "keys that are not named are allowed";
    for provider in [Provider::OpenAi, Provider::Anthropic] {
        for schema in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}}),
            json!({"type": "object", "properties": {}, "additionalProperties": true}),
        ] {
            refused(provider, schema, open);
        }
        let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(strictly(provider, nothing).strict, StrictVerdict::Possible);
    }
    refused(Provider::OpenAi, json!({"type": "object", "enum": [{"a": 1}]}), open);
}

#[test]
fn nothing_stands_beside_a_reference_for_strict_openai() {
    let with = |property: Value, definition: Value| {
        let schema = json!({"type": "object", "properties": {"p": property}, "required": ["p"], "$defs": {"X": definition}});
        strictly(Provider::OpenAi, schema)
    };
    let described = json!({"$ref": "#/$defs/X", "description": "which"});
    let short = with(described.clone(), json!({"enum": ["a", "b"], "description": "theirs"}));
    assert_eq!(short.json["strict"], true);
    assert_eq!(
        short.json["parameters"]["properties"]["p"],
        json!({"type": "string", "enum": ["a", "b"], "description": "which"})
    );
    let recursive = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}});
    let recursive = with(described, recursive);
    assert_eq!(recursive.json["parameters"]["properties"]["p"], json!({"$ref": "#/$defs/X"}));
    assert!(reasons(&recursive).contains(&"info description".to_owned()));
    for (beside, value) in [("enum", json!(["x"])), ("minLength", json!(1)), ("properties", json!({"x": {}}))]
    {
        let rendered = with(json!({"$ref": "#/$defs/X", beside: value}), json!({"type": "string"}));
        let StrictVerdict::Impossible(reasons) = rendered.strict else { panic!("{beside}") };
        assert!(!reasons.is_empty() && rendered.json["strict"] == false, "{beside}");
    }
}

#[test]
fn arrays_say_what_is_in_them() {
    let schema = json!({"type": "object", "properties": {"p": {"type": ["array", "null"]}}});
    let open = render(Provider::OpenAi, &tool(schema.clone(), None));
    assert_eq!(open.json["parameters"]["properties"]["p"], json!({"type": ["array", "null"], "items": {}}));
    assert_eq!(reasons(&open), ["info items"]);
    refused(Provider::OpenAi, schema.clone(), "/properties/p/items: any value is allowed");
    refused(Provider::Anthropic, schema.clone(), "/properties/p: elements of any kind are allowed");
    assert_eq!(render(Provider::Anthropic, &tool(schema.clone(), None)).json["input_schema"], schema);
}

#[test]
fn properties_beside_alternatives_are_refused_without_a_type_too() {
    let schema = json!({"type": "object", "properties": {"p": {"anyOf": [{"type": "string"}], "properties": {"q": {"type": "string"}},
        "additionalProperties": false}}});
    refused(Provider::OpenAi, schema, "/properties/p: properties beside `anyOf` can't be closed");
}

#[test]
fn constants_count_as_values_and_characters_are_no_bytes() {
    let constants: Vec<Value> = (0..1_001).map(|at| json!({"const": at})).collect();
    let schema = json!({"type": "object", "properties": {"p": {"anyOf": constants}}});
    refused(Provider::OpenAi, schema, "1001 enum values, at most 1000 are taken");
    let words: Vec<String> = (0..251).map(|at| format!("{}{at:03}", "漢".repeat(20))).collect();
    let schema = json!({"type": "object", "properties": {"p": {"enum": words}}});
    assert_eq!(strictly(Provider::OpenAi, schema).strict, StrictVerdict::Possible);
    let object = json!({"type": "object", "properties": {"p": {"const": {"a": 1}}}});
    refused(Provider::OpenAi, object, "/properties/p: `const` has a value that is not a scalar");
}

#[test]
fn strict_openai_takes_so_many_levels_properties_and_characters() {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let nested = |levels: usize| {
        (2..levels).fold(object(json!({"p": {"type": "string"}})), |inner, _| object(json!({ "p": inner })))
    };
    assert_eq!(strictly(Provider::OpenAi, nested(10)).strict, StrictVerdict::Possible);
    let pointer = "/properties/p".repeat(10);
    refused(Provider::OpenAi, nested(11), &format!("{pointer}: nests deeper than 10 levels"));

    let wide = |count: usize, length: usize| {
        let property = |at: usize| (format!("{at:0length$}"), json!({"type": "string"}));
        object((0..count).map(property).collect())
    };
    assert_eq!(strictly(Provider::OpenAi, wide(5_000, 24)).strict, StrictVerdict::Possible);
    refused(Provider::OpenAi, wide(5_001, 4), "5001 properties, at most 5000 are taken");
    let reason = "120025 characters of names and values, at most 120000 are taken";
    refused(Provider::OpenAi, wide(4_801, 25), reason);
}

#[test]
fn formats_that_a_strict_mode_refuses_are_left_out_and_listed() {
    let schema = |format: &str| {
        json!({"type": "object", "properties": {"p": {"type": "string", "format": format}}, "required": ["p"],
            "additionalProperties": false})
    };
    let rows = [
        (Provider::OpenAi, "uri", Some("openai.strict.format")),
        (Provider::AzureOpenAi, "uri", Some("openai.strict.format")),
        (Provider::OpenAi, "uuid", None),
        (Provider::Anthropic, "uri", None),
        (Provider::Anthropic, "regex", Some("anthropic.strict.format")),
    ];
    for (provider, format, rule) in rows {
        let rendered = strictly(provider, schema(format));
        assert_eq!(rendered.strict, StrictVerdict::Possible);
        let text = rendered.json.to_string();
        assert_eq!(text.contains("format"), rule.is_none(), "{} {format}", provider.as_str());
        let lost: Vec<_> =
            rendered.losses.iter().map(|loss| (loss.severity, loss.pointer.as_str(), loss.rule)).collect();
        let expected = rule.map(|rule| (Severity::Error, "/properties/p", Some(rule)));
        assert_eq!(lost, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn fixed_values_say_their_types_for_strict_openai() {
    let rows = [
        (json!({"enum": ["a", "b"]}), json!("string")),
        (json!({"const": 3}), json!("integer")),
        (json!({"enum": ["a", 1.5, null]}), json!(["null", "number", "string"])),
    ];
    for (property, kinds) in rows {
        let schema = json!({"type": "object", "properties": {"p": property}, "required": ["p"],
            "additionalProperties": false});
        let rendered = strictly(Provider::OpenAiChat, schema.clone());
        assert_eq!(rendered.json["function"]["parameters"]["properties"]["p"]["type"], kinds);
        let loss = &rendered.losses[0];
        assert_eq!((loss.severity, loss.rule), (Severity::Error, Some("openai.strict.type")));
        let anthropic = strictly(Provider::Anthropic, schema.clone());
        assert_eq!(anthropic.json["input_schema"], schema);
    }
}
