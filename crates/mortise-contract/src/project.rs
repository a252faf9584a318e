//! Object-root schemas and values for peers that know no other.

use serde_json::Value;

/// The key under which tools and results are marked as projected.
pub const PROJECTED_META: &str = "mortise/projected";

/// Whether a legacy peer needs this schema wrapped.
pub fn needs_projection(_schema: &Value) -> bool {
    todo!()
}

/// `{type: object, properties: {result: S}, required: [result]}` with references rewritten.
pub fn project_schema(_schema: &Value) -> Value {
    todo!()
}

/// `{"result": v}`.
pub fn project_value(value: Value) -> Value {
    serde_json::json!({ "result": value })
}
