//! Is a value wrapped in `{"result": …}`, and on what evidence.
//!
//! Some servers can only return objects and put every other value under
//! `result`. Verdicts, ledgers and testers show what the server sent; a program
//! wants the value. Validation always comes first, against the declared schema.
//!
//! Where a tool declares an output schema, that alone decides. So the declared
//! types, `inspect_tool`, the check and the value agree for every result.

use std::borrow::Cow;

use serde_json::Value;

use crate::json::{JsonKind, is_same_value};
use crate::project::{PROJECTED_META, inner_schema, unproject_raw, unwrapped_schema};
use crate::{Contract, RawJson, ToolResult};

/// Where a wrapper holds the schema of the value.
pub const RESULT_POINTER: &str = "/properties/result";

/// Why a value counts as wrapped, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// No schema, and result `_meta.fastmcp.wrap_result` is true.
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

/// Whether a tool declares that its values are wrapped.
pub fn declared_evidence(contract: &Contract) -> Option<Evidence> {
    schema_evidence(contract.output_schema()?, is_projected(contract), ShapeRule::default())
}

/// Whether an output schema is that of a wrapper; `is_projected` is what its tool says in [`PROJECTED_META`].
pub fn schema_evidence(schema: &Value, is_projected: bool, rule: ShapeRule) -> Option<Evidence> {
    let has_value = schema.pointer(RESULT_POINTER).is_some();
    if schema.get("x-fastmcp-wrap-result") == Some(&Value::Bool(true)) {
        return has_value.then_some(Evidence::SchemaFlag);
    }
    if is_projected {
        return has_value.then_some(Evidence::Projected);
    }
    (rule == ShapeRule::Unwrap && inner_schema(schema).is_some()).then_some(Evidence::SchemaShape)
}

/// Whether a tool says in [`PROJECTED_META`] that its results are wrapped.
pub fn is_projected(contract: &Contract) -> bool {
    contract.fields.get("_meta").and_then(|meta| meta.get(PROJECTED_META)) == Some(&Value::Bool(true))
}

/// The schema of the value that programs get: the output schema without its wrapper.
///
/// ```
/// use mortise_contract::unwrap::delivered_schema;
/// use mortise_contract::{Contract, RawJson};
///
/// let contract = Contract::parse(RawJson::parse(
///     r#"{"name": "n", "outputSchema": {"type": "object", "properties": {"result": {"type": "number"}},
///         "required": ["result"]}}"#,
/// )?)?;
/// assert_eq!(*delivered_schema(&contract).ok_or("no schema")?, serde_json::json!({"type": "number"}));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn delivered_schema(contract: &Contract) -> Option<Cow<'_, Value>> {
    let whole = contract.output_schema()?;
    let inner = declared_evidence(contract).and_then(|_| unwrapped_schema(whole));
    Some(inner.map_or(Cow::Borrowed(whole), Cow::Owned))
}

/// Looks for evidence that the structured value is wrapped.
///
/// An output schema has the last word. Without one the result's own `_meta` counts, then its texts.
pub fn evidence(contract: &Contract, result: &ToolResult) -> Option<Evidence> {
    let whole = &result.structured_reading()?.ok()?.value;
    let inner = whole.as_object().filter(|members| members.len() == 1)?.get("result")?;
    if contract.output_schema().is_some() {
        return declared_evidence(contract);
    }
    let is_true = |value: Option<&Value>| value == Some(&Value::Bool(true));
    let meta = |key: &str| result.meta.as_ref().and_then(|meta| meta.get(key));
    if is_true(meta("fastmcp").and_then(|fastmcp| fastmcp.get("wrap_result"))) {
        return Some(Evidence::ResultMeta);
    }
    if is_true(meta(PROJECTED_META)) || is_projected(contract) {
        return Some(Evidence::Projected);
    }
    text_equals_inner(result, whole, inner).then_some(Evidence::TextEqualsInner)
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
