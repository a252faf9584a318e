//! JSON Schemas of the formats and of the error body.

use serde_json::{Map, Value, json};

use super::{ErrorCode, FormatKind, MAX_DETAILS, Subcode};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of a format that stands alone: closed, with the short names.
pub fn standalone_schema(kind: FormatKind) -> Value {
    let (properties, required) = match kind {
        FormatKind::Code => (
            json!({"code": text(), "language": text(), "description": text()}),
            json!(["format", "code", "language", "description"]),
        ),
        FormatKind::YamlRule => (
            json!({"yaml": text(), "schema_version": text(), "metadata": {}}),
            json!(["format", "yaml", "schema_version"]),
        ),
        FormatKind::Hybrid => (hybrid(), json!(["format", "yaml_rule", "decision_reason", "complexity"])),
        FormatKind::Metadata => {
            (json!({"data": {}, "format_version": version()}), json!(["format", "data", "format_version"]))
        }
    };
    let mut schema = object(kind, properties, required);
    schema.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(schema)
}

/// The schema of the fields that a format has in a flat tool result.
///
/// It is open, since a tool adds its own fields: a tool's output schema lists those and closes itself. What the
/// other formats own is refused.
pub fn flat_schema(kind: FormatKind) -> Value {
    let (properties, required) = match kind {
        FormatKind::Code => (
            json!({"code": text(), "code_language": text(), "code_description": text(),
                "yaml_rule": false, "python_code": false}),
            json!(["format", "code", "code_language", "code_description"]),
        ),
        FormatKind::YamlRule => (
            json!({"yaml_rule": text(), "schema_version": text(), "code": false, "python_code": false}),
            json!(["format", "yaml_rule", "schema_version"]),
        ),
        FormatKind::Hybrid => {
            let mut properties = hybrid();
            properties["code"] = json!(false);
            (properties, json!(["format", "yaml_rule", "decision_reason", "complexity"]))
        }
        FormatKind::Metadata => (
            json!({"format_version": version(), "code": false, "yaml_rule": false, "python_code": false}),
            json!(["format", "format_version"]),
        ),
    };
    Value::Object(object(kind, properties, required))
}

/// The schema of an error body.
pub fn error_schema() -> Value {
    let listed = |code: &str, raised_when: &str| json!({"const": code, "description": raised_when});
    let codes: Vec<Value> =
        ErrorCode::ALL.iter().map(|code| listed(code.as_str(), code.raised_when())).collect();
    let subcodes: Vec<Value> =
        Subcode::ALL.iter().map(|code| listed(code.as_str(), code.raised_when())).collect();
    json!({
        "$schema": DIALECT,
        "$id": "urn:mortise:schema:error_body.v1",
        "title": "error_body.v1",
        "$ref": "#/$defs/error",
        "$defs": {"error": {
            "type": "object",
            "additionalProperties": false,
            "required": ["error_code", "reason", "suggestion"],
            "properties": {
                "error_code": {"oneOf": codes},
                "subcode": {"oneOf": subcodes},
                "field": text(),
                "line": {"type": "integer", "minimum": 1},
                "column": {"type": "integer", "minimum": 1},
                "reason": text(),
                "suggestion": text(),
                "details": {"type": "array", "maxItems": MAX_DETAILS, "items": {"$ref": "#/$defs/error"}},
                "retryable": {"type": "boolean"},
            },
        }},
    })
}

fn object(kind: FormatKind, properties: Value, required: Value) -> Map<String, Value> {
    let mut all = Map::new();
    all.insert("format".to_owned(), json!({"const": kind}));
    if let Value::Object(properties) = properties {
        all.extend(properties);
    }
    let title = format!("output_format.{kind}");
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DIALECT));
    schema.insert("title".to_owned(), json!(title));
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("required".to_owned(), required);
    schema.insert("properties".to_owned(), Value::Object(all));
    schema
}

fn hybrid() -> Value {
    json!({
        "yaml_rule": text(),
        "python_code": text(),
        "decision_reason": text(),
        "complexity": {"enum": ["simple", "medium", "complex"]},
    })
}

fn text() -> Value {
    json!({"type": "string", "minLength": 1})
}

/// `<tool>.v1`.
fn version() -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9_.-]+\\.v[0-9]+$"})
}
