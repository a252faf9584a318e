//! Is a value wrapped in `{"result": …}`, and on what evidence.
//!
//! Some servers can only return objects and put every other value under
//! `result`. Verdicts, ledgers and testers show what the server sent; a program
//! wants the value. Validation always comes first, against the declared schema.

use serde_json::Value;

use crate::json::{JsonKind, is_same_value};
use crate::project::{PROJECTED_META, inner_schema, unproject_raw};
use crate::{Contract, RawJson, ToolResult};

/// Why a value counts as wrapped, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Result `_meta.fastmcp.wrap_result` is true.
    ResultMeta,
    /// The schema has `x-fastmcp-wrap-result: true`.
    SchemaFlag,
    /// `_meta["mortise/projected"]` of the tool or the result is true.
    Projected,
    /// The schema is exactly one required property `result`.
    SchemaShape,
    /// No schema, and a text equals the inner value.
    TextEqualsInner,
}

/// Whether the mere shape of a schema is evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ShapeRule {
    /// A schema with exactly one required property `result` is a wrapper.
    #[default]
    Unwrap,
    /// Only what a server declares, or a text shows, counts.
    Keep,
}

/// The structured value as a program gets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Unwrapped {
    /// The value, verbatim: the inner one if there is evidence, the whole otherwise.
    pub value: RawJson,
    /// Why the inner value was taken.
    pub evidence: Option<Evidence>,
    /// `unwrapped_by_shape`, `opaque_json_string`.
    pub notes: Vec<&'static str>,
}

impl Evidence {
    /// Whether the server says so itself. Otherwise it is a conclusion, good for the values of programs only.
    pub fn is_declared(self) -> bool {
        matches!(self, Self::ResultMeta | Self::SchemaFlag | Self::Projected)
    }
}

/// Looks for evidence that the structured value is wrapped.
pub fn evidence(contract: &Contract, result: &ToolResult) -> Option<Evidence> {
    let whole = &result.structured_reading()?.ok()?.value;
    let inner = whole.as_object().filter(|members| members.len() == 1)?.get("result")?;
    let is_true = |value: Option<&Value>| value == Some(&Value::Bool(true));
    let meta = |key: &str| result.meta.as_ref().and_then(|meta| meta.get(key));
    let schema = contract.output_schema();
    if is_true(meta("fastmcp").and_then(|fastmcp| fastmcp.get("wrap_result"))) {
        return Some(Evidence::ResultMeta);
    }
    if is_true(schema.and_then(|schema| schema.get("x-fastmcp-wrap-result"))) {
        return Some(Evidence::SchemaFlag);
    }
    let tool_meta = contract.fields.get("_meta").and_then(|meta| meta.get(PROJECTED_META));
    if is_true(meta(PROJECTED_META)) || is_true(tool_meta) {
        return Some(Evidence::Projected);
    }
    match schema {
        Some(schema) => inner_schema(schema).map(|_| Evidence::SchemaShape),
        None => text_equals_inner(result, whole, inner).then_some(Evidence::TextEqualsInner),
    }
}

/// The structured value for a program; `None` when there is no structured content.
///
/// ```
/// use mortise_contract::unwrap::{Evidence, ShapeRule, unwrapped};
/// use mortise_contract::{Contract, RawJson, ToolResult};
///
/// let contract = Contract::parse(RawJson::parse(
///     r#"{"name": "n", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object",
///         "properties": {"result": {"type": "number"}}, "required": ["result"], "x-fastmcp-wrap-result": true}}"#,
/// )?)?;
/// let result = ToolResult::parse(RawJson::parse(r#"{"content": [], "structuredContent": {"result": 1.10}}"#)?)?;
/// let unwrapped = unwrapped(&contract, &result, ShapeRule::default()).ok_or("no value")?;
/// assert_eq!((unwrapped.value.text(), unwrapped.evidence), ("1.10", Some(Evidence::SchemaFlag)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn unwrapped(contract: &Contract, result: &ToolResult, rule: ShapeRule) -> Option<Unwrapped> {
    let structured = result.structured.as_ref()?;
    let evidence = evidence(contract, result)
        .filter(|evidence| *evidence != Evidence::SchemaShape || rule == ShapeRule::Unwrap);
    let inner = evidence.and_then(|_| unproject_raw(structured));
    let mut notes = Vec::new();
    if evidence == Some(Evidence::SchemaShape) {
        notes.push("unwrapped_by_shape");
    }
    if inner.as_ref().is_some_and(is_opaque_json) {
        notes.push("opaque_json_string");
    }
    let evidence = evidence.filter(|_| inner.is_some());
    Some(Unwrapped { value: inner.unwrap_or_else(|| structured.clone()), evidence, notes })
}

/// Whether a value is a string that is itself a JSON object or array.
fn is_opaque_json(value: &RawJson) -> bool {
    let Ok(Value::String(text)) = value.value() else { return false };
    RawJson::parse(text.trim()).is_ok_and(|json| matches!(json.kind(), JsonKind::Object | JsonKind::Array))
}

fn text_equals_inner(result: &ToolResult, whole: &Value, inner: &Value) -> bool {
    let mut equals_inner = false;
    for text in result.texts() {
        let json = RawJson::parse(text).ok().and_then(|json| json.value().ok());
        if json.as_ref().is_some_and(|json| is_same_value(json, whole)) {
            return false;
        }
        equals_inner |=
            inner.as_str() == Some(text) || json.as_ref().is_some_and(|json| is_same_value(json, inner));
    }
    equals_inner
}

#[cfg(test)]
mod tests;
