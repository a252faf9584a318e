//! Optional members in schemas of Rust types.

use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform as _};
use serde_json::{Map, Value};

/// Makes the schema of a type say that an optional member is absent, never null.
///
/// An `Option` may be null for serde, and its derived schema says so. A model that reads `["string", "null"]` tends to
/// send nulls. `#[schemars(transform = …)]` with this function on a struct leaves `"string"`, in members of members
/// too. It also drops `"default": null` and `"additionalProperties": true`, which say nothing.
///
/// ```
/// use mortise_server::absent_is_not_null;
/// use schemars::{JsonSchema, schema_for};
///
/// #[derive(JsonSchema)]
/// #[schemars(transform = absent_is_not_null)]
/// struct Search { query: String, limit: Option<u32> }
///
/// assert_eq!(schema_for!(Search).pointer("/properties/limit/type").unwrap(), "integer");
/// ```
pub fn absent_is_not_null(schema: &mut Schema) {
    RecursiveTransform(in_one_object).transform(schema);
}

fn in_one_object(schema: &mut Schema) {
    let Some(keywords) = schema.as_object_mut() else { return };
    let required = keywords.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = keywords.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let Some(property) = property.as_object_mut()
            && !required.iter().any(|required| required == name)
        {
            without_null(property);
        }
    }
    keywords.retain(|name, value| match name.as_str() {
        "additionalProperties" => *value != Value::Bool(true),
        "default" => !value.is_null(),
        _ => true,
    });
}

fn without_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = property.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
}
