//! Is a value wrapped in `{"result": …}`, and on what evidence.

use serde_json::{Map, Value};

use crate::project::PROJECTED_META;
use crate::{Contract, ToolResult};

/// Why a value counts as wrapped, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Result `_meta.fastmcp.wrap_result` is true.
    ResultMeta,
    /// The schema has `x-fastmcp-wrap-result: true`.
    SchemaFlag,
    /// `_meta["mortise/projected"]` is true.
    Projected,
    /// The schema is exactly one required property `result`.
    SchemaShape,
    /// No schema, and a text equals the inner value.
    TextEqualsInner,
}

/// Looks for evidence that the structured value is wrapped.
pub fn evidence(contract: &Contract, result: &ToolResult) -> Option<Evidence> {
    let structured = result.structured_reading()?.ok()?;
    let inner = single_result(&structured.value)?;
    let meta = result.meta.as_ref();
    if meta.is_some_and(|meta| {
        meta.get("fastmcp").and_then(|fastmcp| fastmcp.get("wrap_result")) == Some(&Value::Bool(true))
    }) {
        return Some(Evidence::ResultMeta);
    }
    let schema = contract.output_schema();
    if schema.is_some_and(|schema| schema.get("x-fastmcp-wrap-result") == Some(&Value::Bool(true))) {
        return Some(Evidence::SchemaFlag);
    }
    if meta.is_some_and(|meta| meta.get(PROJECTED_META) == Some(&Value::Bool(true))) {
        return Some(Evidence::Projected);
    }
    match schema {
        Some(schema) => is_wrapper_shape(schema).then_some(Evidence::SchemaShape),
        None => text_equals_inner(result, &structured.value, inner).then_some(Evidence::TextEqualsInner),
    }
}

/// The value under the only key `result`.
fn single_result(value: &Value) -> Option<&Value> {
    value.as_object().filter(|members| members.len() == 1)?.get("result")
}

/// Whether a schema allows `{"result": …}` and describes nothing else.
fn is_wrapper_shape(schema: &Value) -> bool {
    let members = |key: &str| schema.get(key).and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice);
    members("properties").is_some_and(|properties: &Map<String, Value>| {
        properties.len() == 1 && properties.contains_key("result")
    }) && required.is_some_and(|required| matches!(required, [name] if name == "result"))
}

fn text_equals_inner(result: &ToolResult, whole: &Value, inner: &Value) -> bool {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).ok();
    let mut equals_inner = false;
    for text in result.texts() {
        let json = parsed(text);
        if json.as_ref() == Some(whole) {
            return false;
        }
        equals_inner |= inner.as_str() == Some(text) || json.as_ref() == Some(inner);
    }
    equals_inner
}
