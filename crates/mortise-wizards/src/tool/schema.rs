//! The schemas of a wizard, from its types and what all wizards share.

use mortise_contract::schema::keyword::{self, Holds};
use mortise_formats::format::FormatKind;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::answer::Common;

/// The schema of the arguments. Null is left out: it means absent, and what is absent is not there.
pub(super) fn input<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    plain(SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value())
}

/// The schema of the flat result: `format`, the wizard's own fields, the common ones, nothing else.
pub(super) fn output<T: JsonSchema>(format: FormatKind, tool: &str) -> Value {
    let settings = || SchemaSettings::draft2020_12().for_serialize();
    let own = plain(SchemaGenerator::new(settings()).into_root_schema_for::<T>().to_value());
    let common = plain(SchemaGenerator::new(settings()).into_root_schema_for::<Common>().to_value());
    let members = |schema: &Value, key: &str| schema[key].as_object().cloned().unwrap_or_default();

    let mut properties = Map::new();
    let mut required = vec![json!("format")];
    properties.insert("format".to_owned(), json!({ "type": "string", "const": format.as_str() }));
    if format == FormatKind::Metadata {
        let version = format_version(tool);
        properties.insert("format_version".to_owned(), json!({ "type": "string", "const": version }));
        required.push(json!("format_version"));
    }
    properties.extend(members(&own, "properties"));
    properties.extend(members(&common, "properties"));
    required.extend(own["required"].as_array().cloned().unwrap_or_default());

    let mut schema = Map::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.extend(own.get("description").map(|about| ("description".to_owned(), about.clone())));
    schema.insert("properties".to_owned(), Value::Object(properties));
    schema.insert("required".to_owned(), Value::Array(required));
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    let mut definitions = members(&own, "$defs");
    definitions.extend(members(&common, "$defs"));
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Value::Object(schema)
}

/// Keeps the description of a member and drops those inside it, whose doc comments are for readers of the code.
pub(crate) fn without_inner_descriptions(schema: &mut Schema) {
    let mut dropping = RecursiveTransform(|inner: &mut Schema| {
        inner.remove("description");
    });
    transform_subschemas(&mut dropping, schema);
}

/// The value of `format_version`.
pub(super) fn format_version(tool: &str) -> String {
    format!("{tool}.v1")
}

/// Without what is of no use to a model: `$schema`, type names, Rust's number formats; and without null.
fn plain(mut schema: Value) -> Value {
    if let Value::Object(fields) = &mut schema {
        fields.shift_remove("$schema");
    }
    simplify(schema, SchemaPart::Schema)
}

/// Names of members are no keywords.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaPart {
    Schema,
    Members,
    Value,
}

fn simplify(value: Value, place: SchemaPart) -> Value {
    match value {
        Value::Object(fields) if place == SchemaPart::Schema => keywords(fields),
        Value::Object(fields) if place == SchemaPart::Members => Value::Object(
            fields.into_iter().map(|(name, value)| (name, simplify(value, SchemaPart::Schema))).collect(),
        ),
        Value::Array(items) if place == SchemaPart::Schema => {
            Value::Array(items.into_iter().map(|item| simplify(item, SchemaPart::Schema)).collect())
        }
        other => other,
    }
}

fn keywords(fields: Map<String, Value>) -> Value {
    let mut kept = Map::new();
    for (keyword, value) in fields {
        let place = match keyword::holds(&keyword) {
            Some(Holds::Map) => SchemaPart::Members,
            Some(Holds::Schema | Holds::List) => SchemaPart::Schema,
            _ => SchemaPart::Value,
        };
        let value = simplify(value, place);
        match (keyword.as_str(), &value) {
            ("title", Value::String(_)) | ("default", Value::Null) => {}
            ("format", Value::String(format)) if is_number(format) => {}
            ("type", Value::Array(types)) => {
                let types: Vec<Value> = types.iter().filter(|kind| *kind != "null").cloned().collect();
                let value = if types.len() == 1 { types[0].clone() } else { Value::Array(types) };
                kept.insert(keyword, value);
            }
            ("enum", Value::Array(values)) => {
                let values = values.iter().filter(|value| !value.is_null()).cloned().collect();
                kept.insert(keyword, Value::Array(values));
            }
            ("anyOf" | "oneOf", Value::Array(branches)) => alternatives(&mut kept, keyword, branches),
            _ => {
                kept.insert(keyword, value);
            }
        }
    }
    Value::Object(kept)
}

/// One branch beside null is that branch; constants are an enum.
fn alternatives(kept: &mut Map<String, Value>, keyword: String, branches: &[Value]) {
    let branches: Vec<&Value> = branches.iter().filter(|branch| branch["type"] != "null").collect();
    let constants: Option<Vec<Value>> = branches
        .iter()
        .map(|branch| match branch.get("const") {
            Some(value) => Some(vec![value.clone()]),
            None => branch.get("enum")?.as_array().cloned(),
        })
        .collect::<Option<Vec<_>>>()
        .map(|lists| lists.concat());
    match (constants, branches.as_slice()) {
        (Some(values), _) if values.iter().all(Value::is_string) => {
            kept.insert("type".to_owned(), json!("string"));
            kept.insert("enum".to_owned(), Value::Array(values));
        }
        (_, [Value::Object(only)]) => {
            for (keyword, value) in only {
                kept.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        }
        _ => {
            kept.insert(keyword, Value::Array(branches.into_iter().cloned().collect()));
        }
    }
}

fn is_number(format: &str) -> bool {
    let bits = format.trim_start_matches("uint").trim_start_matches("int");
    matches!(format, "double" | "float") || matches!(bits, "" | "8" | "16" | "32" | "64" | "128")
}
