//! JSON Schemas of Rust types.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// The schema of arguments that become a Rust type.
pub(super) struct InputSchema {
    pub(super) schema: Value,
    /// The type is `()` or a unit struct: the arguments are an empty object.
    pub(super) takes_nothing: bool,
}

/// The schema of what deserialises into `T`, with `"type": "object"` at its root where that is implied.
pub(super) fn input<T: JsonSchema>() -> InputSchema {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = plain(SchemaGenerator::new(settings).into_root_schema_for::<T>());
    let takes_nothing = has_type(&schema, "null");
    if takes_nothing {
        schema = no_arguments();
    } else if takes_only_objects(&schema)
        && let Value::Object(fields) = &mut schema
    {
        fields.shift_insert(0, "type".to_owned(), json!("object"));
    }
    InputSchema { schema, takes_nothing }
}

/// The input schema of a tool that takes no arguments.
pub(super) fn no_arguments() -> Value {
    json!({ "type": "object", "additionalProperties": false })
}

/// Whether the root is a choice between objects, as the schema of a tagged enum is.
fn takes_only_objects(schema: &Value) -> bool {
    let choices = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    schema.get("type").is_none()
        && choices.is_some_and(|choices| {
            choices.iter().all(|choice| {
                let reference = choice.get("$ref").and_then(Value::as_str);
                let target = reference.and_then(|reference| schema.pointer(reference.strip_prefix('#')?));
                has_type(choice, "object") || target.is_some_and(|target| has_type(target, "object"))
            })
        })
}

fn has_type(schema: &Value, name: &str) -> bool {
    schema.get("type").and_then(Value::as_str) == Some(name)
}

/// The schema of what `T` serialises to.
pub(super) fn output<T: JsonSchema>() -> Value {
    plain(SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize()).into_root_schema_for::<T>())
}

/// Without `$schema`, which names the default; without the type's name, which is of no use to a model; and without
/// Rust's number formats, about which validators in other languages complain.
fn plain(mut schema: Schema) -> Value {
    RecursiveTransform(without_number_format).transform(&mut schema);
    let mut schema = schema.to_value();
    if let Value::Object(fields) = &mut schema {
        fields.shift_remove("$schema");
        fields.shift_remove("title");
    }
    schema
}

fn without_number_format(schema: &mut Schema) {
    let is_number = |format: &str| {
        let bits = format.trim_start_matches("uint").trim_start_matches("int");
        matches!(format, "double" | "float") || matches!(bits, "" | "8" | "16" | "32" | "64" | "128")
    };
    if schema.get("format").and_then(Value::as_str).is_some_and(is_number) {
        schema.remove("format");
    }
}

/// Whether two schemas are the same but for `$schema`, titles and descriptions at the root, and order.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    fn strip(schema: &Value) -> Value {
        let mut schema = schema.clone();
        if let Value::Object(fields) = &mut schema {
            for name in ["$schema", "title", "description"] {
                fields.shift_remove(name);
            }
        }
        sorted_required(schema)
    }
    strip(one) == strip(other)
}

fn sorted_required(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| match value {
                    Value::Array(mut names) if name == "required" => {
                        names.sort_by_key(ToString::to_string);
                        (name, Value::Array(names))
                    }
                    value => (name, sorted_required(value)),
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(sorted_required).collect()),
        other => other,
    }
}
