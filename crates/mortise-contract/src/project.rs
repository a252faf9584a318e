//! Object-root schemas and values for peers that know no other.
//!
//! Up to protocol version 2025-11-25 an output schema must have the root type
//! `object`, and clients of that time refuse a whole tool list over one array
//! root. For them a schema `S` becomes `{type: object, properties: {result: S},
//! required: [result]}` and a value `v` becomes `{"result": v}`.

mod rewrite;
mod unwrapped;

use serde_json::{Map, Value, json};

use crate::RawJson;
use crate::json::measure;
use crate::limits;
use crate::schema::{Dialect, SchemaError, SchemaHash, referred};
use rewrite::{Direction, rewrite};

pub use unwrapped::unwrapped_schema;

/// The key under which tools and results are marked as projected.
pub const PROJECTED_META: &str = "mortise/projected";

/// The property that holds the projected value.
const RESULT: &str = "result";

/// The address given to a schema whose references follow the dynamic scope, so that it stays a resource of its own.
const RESOURCE: &str = "https://mortise.invalid/projected/";

/// A schema as a legacy peer gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The schema, with the root type `object`.
    pub schema: Value,
    /// Whether values must be wrapped with [`project_value`], and tool and results marked with [`PROJECTED_META`].
    pub is_wrapped: bool,
}

/// The form of a schema that legacy peers accept: as it is if its root is of type `object`, wrapped otherwise.
///
/// The decision follows the schema, never a value: a union with an object branch is wrapped for every value.
///
/// ```
/// use mortise_contract::project::{project, project_value};
/// use serde_json::json;
///
/// let projection = project(&json!({"type": "array", "items": {"$ref": "#/$defs/row"}, "$defs": {"row": {}}}))?;
/// assert!(projection.is_wrapped);
/// assert_eq!(projection.schema["properties"]["result"]["items"]["$ref"], "#/properties/result/$defs/row");
/// assert_eq!(project_value(json!([1])), json!({"result": [1]}));
/// # Ok::<(), mortise_contract::schema::SchemaError>(())
/// ```
pub fn project(schema: &Value) -> Result<Projection, SchemaError> {
    if needs_projection(schema) {
        return Ok(Projection { schema: project_schema(schema)?, is_wrapped: true });
    }
    check_depth(schema)?;
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        // A root that is an object by reference only: legacy peers want to read the word itself.
        members.entry("type").or_insert_with(|| "object".into());
    }
    Ok(Projection { schema, is_wrapped: false })
}

/// Whether a legacy peer needs this schema wrapped: unless its root is of type `object`, directly or by reference.
pub fn needs_projection(schema: &Value) -> bool {
    let mut root = schema;
    for _ in 0..limits::SCHEMA_REFS {
        if let Some(kind) = root.get("type") {
            return kind != "object";
        }
        let reference = root.get("$ref").and_then(Value::as_str);
        match reference.and_then(|reference| referred(schema, reference)) {
            Some(target) => root = target,
            None => return true,
        }
    }
    true
}

/// `{type: object, properties: {result: S}, required: [result]}` with the references of `S` rewritten.
///
/// Fails only for a schema that nests deeper than [`limits::JSON_DEPTH`].
pub fn project_schema(schema: &Value) -> Result<Value, SchemaError> {
    check_depth(schema)?;
    let dialect = Dialect::of(schema, Dialect::default()).unwrap_or_default();
    let mut inner = schema.clone();
    let hoisted = inner.as_object_mut().and_then(|members| members.shift_remove("$schema"));
    if dialect == Dialect::Draft201909 && schema.get("$recursiveAnchor") == Some(&Value::Bool(true)) {
        name_resource(&mut inner, schema);
    }
    rewrite(&mut inner, dialect, Direction::Into);
    let mut projected = Map::new();
    if let Some(hoisted) = hoisted {
        projected.insert("$schema".to_owned(), hoisted);
    }
    projected.insert("type".to_owned(), "object".into());
    projected.insert("properties".to_owned(), Map::from_iter([(RESULT.to_owned(), inner)]).into());
    projected.insert("required".to_owned(), json!([RESULT]));
    Ok(Value::Object(projected))
}

/// The schema inside a projected one; `None` if it is not of that form.
pub fn unproject_schema(projected: &Value) -> Option<Value> {
    inner_schema(projected)?;
    schema_under_result(projected)
}

/// The schema of the property `result` as a document of its own, whatever else the schema around it says.
pub(crate) fn schema_under_result(projected: &Value) -> Option<Value> {
    check_depth(projected).ok()?;
    let mut inner = projected.get("properties")?.get(RESULT)?.clone();
    let dialect = Dialect::of(projected, Dialect::default()).unwrap_or_default();
    rewrite(&mut inner, dialect, Direction::OutOf);
    if let Value::Object(members) = &mut inner {
        if members.get("$id").and_then(Value::as_str).is_some_and(|id| id.starts_with(RESOURCE)) {
            members.shift_remove("$id");
        }
        if let Some(dialect) = projected.get("$schema") {
            members.shift_insert(0, "$schema".to_owned(), dialect.clone());
        }
    }
    Some(inner)
}

/// Wraps a value as `{"result": v}`, for clients that only take objects.
pub fn project_value(value: Value) -> Value {
    Value::Object(Map::from_iter([(RESULT.to_owned(), value)]))
}

/// `{"result": v}` with `v` verbatim.
pub fn project_raw(value: &RawJson) -> RawJson {
    RawJson::object([(RESULT, value)])
}

/// The value under `result` verbatim; `None` unless that is the only member.
pub fn unproject_raw(value: &RawJson) -> Option<RawJson> {
    match value.members().ok()?.as_slice() {
        [(key, inner)] if key == RESULT => Some(inner.clone()),
        _ => None,
    }
}

/// The schema under the only property `result`, where it is required and nothing else is said.
pub(crate) fn inner_schema(schema: &Value) -> Option<&Value> {
    const BESIDE: [&str; 12] = [
        "$schema",
        "$id",
        "$comment",
        "$defs",
        "definitions",
        "type",
        "title",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "x-fastmcp-wrap-result",
    ];
    let members = schema.as_object()?;
    let properties = members.get("properties")?.as_object().filter(|properties| properties.len() == 1)?;
    let required = members.get("required")?.as_array()?;
    let is_plain = members.keys().all(|key| BESIDE.contains(&key.as_str()));
    let is_required = matches!(required.as_slice(), [name] if name == RESULT);
    properties.get(RESULT).filter(|_| is_plain && is_required)
}

fn check_depth(schema: &Value) -> Result<(), SchemaError> {
    let (levels, allowed) = (measure(schema, limits::JSON_DEPTH).levels, limits::JSON_DEPTH);
    if levels > allowed {
        return Err(SchemaError::Limit { limit: "levels", found: levels as u64, allowed: allowed as u64 });
    }
    Ok(())
}

/// Keeps a schema a resource of its own: `$recursiveRef` looks for the outermost resource with an anchor.
fn name_resource(inner: &mut Value, schema: &Value) {
    if let Some(members) = inner.as_object_mut().filter(|members| !members.contains_key("$id")) {
        let address = format!("{RESOURCE}{}", &SchemaHash::of(schema).as_str()[..16]);
        members.shift_insert(0, "$id".to_owned(), address.into());
    }
}

#[cfg(test)]
mod tests;
