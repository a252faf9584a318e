//! Whether the official clients can read the list of tools.
//!
//! They check `tools/list` as a whole: one declaration of another form, and a client of the
//! TypeScript SDK shows no tool at all.

use std::sync::LazyLock;

use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use mortise_contract::verdict::Era;
use mortise_contract::{Contract, verdict::Violation};
use serde_json::{Value, json};

/// Where a declaration has another form than the official clients of this era read.
pub(super) fn problems(contract: &Contract, era: Era) -> Vec<Violation> {
    let form = match era {
        Era::Legacy => &*LEGACY,
        Era::Modern => &*MODERN,
    };
    match form.as_ref().map(|form| form.validate(&Value::Object(contract.fields.clone()))) {
        Some(Validation::Invalid { violations, .. }) => violations,
        _ => Vec::new(),
    }
}

/// Up to 2025-11-25 both schemas of a tool have an object at their root.
static LEGACY: LazyLock<Option<CompiledSchema>> = LazyLock::new(|| {
    let schema = json!({
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"const": "object"},
            "properties": {"type": "object"},
            "required": {"type": "array", "items": {"type": "string"}},
        },
    });
    compiled(&schema, &schema)
});

/// From 2026-07-28 on an output schema may have any root.
static MODERN: LazyLock<Option<CompiledSchema>> = LazyLock::new(|| {
    let dialect = json!({"type": "string"});
    let input = json!({
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"const": "object"}, "$schema": dialect},
    });
    compiled(&input, &json!({"type": "object", "properties": {"$schema": dialect}}))
});

/// A tool as the TypeScript SDK 1.32 and 2.4 reads it.
fn compiled(input: &Value, output: &Value) -> Option<CompiledSchema> {
    let form = json!({
        "type": "object",
        "required": ["name", "inputSchema"],
        "properties": {
            "name": {"type": "string"},
            "title": {"type": "string"},
            "description": {"type": "string"},
            "inputSchema": input,
            "outputSchema": output,
            "annotations": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "readOnlyHint": {"type": "boolean"},
                    "destructiveHint": {"type": "boolean"},
                    "idempotentHint": {"type": "boolean"},
                    "openWorldHint": {"type": "boolean"},
                },
            },
            "icons": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["src"],
                    "properties": {
                        "src": {"type": "string"},
                        "mimeType": {"type": "string"},
                        "sizes": {"type": "array", "items": {"type": "string"}},
                    },
                },
            },
            "_meta": {"type": "object"},
        },
    });
    CompiledSchema::compile(&form, &SchemaOptions::default()).ok()
}

#[cfg(test)]
mod tests;
