//! The JSON Schema of canonical rule documents.

use mortise_contract::embedded;
use serde_json::Value;

/// The schema of `extraction_rules.v1` as text.
pub fn schema_text() -> &'static str {
    include_str!("extraction_rules.v1.json")
}

/// The schema of `extraction_rules.v1`.
pub fn schema() -> Value {
    embedded::json(schema_text())
}
