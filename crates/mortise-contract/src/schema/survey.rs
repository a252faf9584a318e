//! Bounds of a schema, checked before it is compiled.

use serde_json::Value;

use super::{Bounds, SchemaError};
use crate::json::{canonical_text, measure};

/// Checks every bound that protects the compiler.
pub(super) fn survey(schema: &Value, bounds: &Bounds) -> Result<(), SchemaError> {
    let levels = measure(schema, bounds.schema_depth).levels;
    if levels > bounds.schema_depth {
        return Err(limit("depth", levels, bounds.schema_depth));
    }
    let bytes = canonical_text(schema).len();
    if bytes > bounds.schema_bytes {
        return Err(limit("bytes", bytes, bounds.schema_bytes));
    }
    Ok(())
}

fn limit(limit: &'static str, found: usize, allowed: usize) -> SchemaError {
    SchemaError::Limit { limit, found: found as u64, allowed: allowed as u64 }
}
