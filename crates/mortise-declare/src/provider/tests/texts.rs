//! Texts that hide something.

use serde_json::json;

use super::{Provider, reasons, render, tool};

const HIDDEN: &str = "a\u{202e}b\u{e0041}c";

#[test]
fn texts_are_clean_wherever_a_schema_stands() {
    let described = json!({"type": "string", "description": HIDDEN});
    let part = json!({"enum": [HIDDEN], "description": HIDDEN});
    let schema = json!({"type": "object",
        "properties": {"default": described, "p": {"$ref": "#/x-parts/0"}},
        "patternProperties": {"const": described},
        "$defs": {"default": described, "enum": {"anyOf": [described]}},
        "x-parts": [part, HIDDEN], "$comment": HIDDEN, "markdownDescription": HIDDEN, "x-note": {"text": [HIDDEN]}});
    let rendered = render(Provider::Anthropic, &tool(schema, None));
    let clean = json!({"type": "string", "description": "abc"});
    assert_eq!(
        rendered.json["input_schema"],
        json!({"type": "object",
            "properties": {"default": clean, "p": {"$ref": "#/x-parts/0"}},
            "patternProperties": {"const": clean},
            "$defs": {"default": clean, "enum": {"anyOf": [clean]}},
            "x-parts": [{"enum": [HIDDEN], "description": "abc"}, "abc"], "$comment": "abc",
            "markdownDescription": "abc", "x-note": {"text": ["abc"]}})
    );
    assert_eq!(rendered.losses.len(), 9);
}

#[test]
fn values_keep_their_characters() {
    let value = json!({"description": HIDDEN, "title": [HIDDEN]});
    let property =
        json!({"default": value, "const": value, "enum": [value], "examples": [value], "pattern": HIDDEN});
    let schema = json!({"type": "object", "properties": {HIDDEN: property}});
    let rendered = render(Provider::Anthropic, &tool(schema.clone(), None));
    assert_eq!(rendered.json["input_schema"], schema);
    assert_eq!(reasons(&rendered), ["error properties"]);
}
