//! An observed type as a JSON Schema.

use serde_json::{Map, Value, json};

use super::kinds::ObservedType;
use crate::limits;

/// The schema of what was observed.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedSchema {
    /// A JSON Schema (2020-12) that every value holds to that was looked at as a whole.
    pub value: Value,
    /// Whether deep levels were left out so that the schema stays small.
    pub is_cut: bool,
}

/// The schema with as many levels as fit.
pub(super) fn render(observed: &ObservedType, levels: usize) -> ObservedSchema {
    if nodes(observed) <= limits::OBSERVED_SUBSCHEMAS {
        return ObservedSchema { value: schema(observed), is_cut: false };
    }
    let mut shown = observed.clone();
    for kept in (1..levels).rev() {
        shown.truncate(kept);
        if nodes(&shown) <= limits::OBSERVED_SUBSCHEMAS {
            break;
        }
    }
    ObservedSchema { value: schema(&shown), is_cut: true }
}

fn nodes(observed: &ObservedType) -> usize {
    let array = observed.array.as_ref().map_or(0, |array| nodes(&array.items));
    let object = observed.object.as_ref().map_or(0, |object| object.values().map(nodes).sum());
    1 + array + object
}

/// One schema for all kinds in a place: `properties` says nothing about arrays, `items` nothing about objects.
fn schema(observed: &ObservedType) -> Value {
    if !observed.is_telling() {
        return json!({});
    }
    let number = if observed.numbers > 0 { "number" } else { "integer" };
    let kinds = [
        ("object", observed.object.is_some()),
        ("array", observed.array.is_some()),
        ("string", observed.strings > 0),
        (number, observed.numbers > 0 || observed.integers > 0),
        ("boolean", observed.booleans > 0),
        ("null", observed.nulls > 0),
    ];
    let kinds: Vec<&str> =
        kinds.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect();
    let mut members = Map::new();
    let kind = match kinds.as_slice() {
        [only] => json!(only),
        several => json!(several),
    };
    members.insert("type".to_owned(), kind);
    if let Some(object) = observed.object.as_deref() {
        let is_required = |field: &ObservedType| field.count() >= object.count;
        let required = object.fields.iter().filter(|(_, field)| is_required(field));
        let required: Vec<&str> = required.map(|(name, _)| name.as_str()).collect();
        let properties: Map<String, Value> =
            object.fields.iter().map(|(name, field)| (name.clone(), schema(field))).collect();
        if !properties.is_empty() {
            members.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            members.insert("required".to_owned(), json!(required));
        }
        if let Some(values) = &object.map {
            members.insert("additionalProperties".to_owned(), schema(values));
        }
    }
    if let Some(array) = observed.array.as_deref().filter(|array| array.items.count() > 0) {
        members.insert("items".to_owned(), schema(&array.items));
    }
    Value::Object(members)
}

/// The `outputSchema` that the author of a server can paste. The protocol wants an object, so any other value stands under
/// `result`, as SDKs send it.
pub fn suggested_schema(observed: &Value) -> Value {
    match observed.get("type") {
        Some(Value::String(kind)) if kind == "object" => observed.clone(),
        _ => json!({"type": "object", "properties": {"result": observed}, "required": ["result"]}),
    }
}
