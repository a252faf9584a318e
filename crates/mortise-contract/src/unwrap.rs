//! Is a value wrapped in `{"result": …}`, and on what evidence.

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
pub fn evidence(_contract: &Contract, _result: &ToolResult) -> Option<Evidence> {
    todo!()
}
