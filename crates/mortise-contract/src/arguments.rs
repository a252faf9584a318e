//! Do the arguments of a call fit the tool's input schema.

use std::fmt;

use serde_json::{Value, json};

use crate::Contract;
use crate::schema::{SchemaCache, SchemaOptions, Validation};
use crate::text::cut_bytes;
use crate::verdict::Violation;

/// Bytes of a schema part that are shown.
const SCHEMA_PART_BYTES: usize = 512;

/// What checking arguments found.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentCheck {
    /// The arguments conform to the schema.
    Valid,
    /// They don't; the first violations, and how many were found in all.
    Invalid {
        /// The first violations, up to a limit.
        violations: Vec<ArgumentViolation>,
        /// All that were found.
        total: usize,
    },
    /// The tool declares no input schema.
    NoSchema,
    /// The schema or the arguments can't be checked.
    Unchecked {
        /// What stops the check, for a person.
        reason: String,
    },
}

/// One place where arguments break the input schema. `Debug` shows the place and not the argument.
#[derive(Clone, PartialEq)]
pub struct ArgumentViolation {
    /// The place and the keyword that refuses the value.
    pub violation: Violation,
    /// The part of the schema that rules this place, compact, at most 512 bytes.
    pub schema_part: String,
}

impl ArgumentViolation {
    /// A violation with the part of this input schema that it breaks.
    pub fn new(violation: Violation, input_schema: &Value) -> Self {
        Self { schema_part: schema_part(input_schema, &violation.schema_path), violation }
    }

    /// Where it is, what is wrong and what the schema says there: `/a: expected number, got "1" (schema: …)`.
    pub fn sentence(&self) -> String {
        let path = self.violation.instance_path.as_str();
        let place = if path.is_empty() { "the arguments" } else { path };
        format!("{place}: {} (schema: {})", self.violation.message, self.schema_part)
    }
}

impl fmt::Debug for ArgumentViolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ArgumentViolation")
            .field("instance_path", &self.violation.instance_path)
            .field("schema_path", &self.violation.schema_path)
            .finish_non_exhaustive()
    }
}

/// Checks the arguments of a call against the tool's input schema.
///
/// ```
/// use mortise_contract::arguments::{ArgumentCheck, check_arguments};
/// use mortise_contract::schema::SchemaOptions;
/// use mortise_contract::{Contract, RawJson, SchemaCache};
/// use serde_json::json;
///
/// let contract = Contract::parse(RawJson::parse(
///     r#"{"name": "sum", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}}}"#,
/// )?)?;
/// let found = check_arguments(&contract, &json!({"a": "1"}), &SchemaOptions::default(), &SchemaCache::default());
/// let ArgumentCheck::Invalid { violations, .. } = found else { panic!() };
/// assert_eq!(violations[0].violation.instance_path, "/a");
/// assert_eq!(violations[0].schema_part, r#"{"type":"number"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_arguments(
    contract: &Contract,
    arguments: &Value,
    options: &SchemaOptions,
    cache: &SchemaCache,
) -> ArgumentCheck {
    let compiled = match contract.compiled_input(options, cache) {
        None => return ArgumentCheck::NoSchema,
        Some(Ok(compiled)) => compiled,
        Some(Err(error)) => return ArgumentCheck::Unchecked { reason: error.to_string() },
    };
    match compiled.validate(arguments) {
        Validation::Valid => ArgumentCheck::Valid,
        Validation::Unchecked { reason } => ArgumentCheck::Unchecked { reason },
        Validation::Invalid { violations, total, .. } => {
            let schema = contract.input_schema().unwrap_or(&Value::Null);
            let with_part = |violation| ArgumentViolation::new(violation, schema);
            ArgumentCheck::Invalid { violations: violations.into_iter().map(with_part).collect(), total }
        }
    }
}

/// The subschema that holds the keyword at `path`; of a long one the keyword alone.
fn schema_part(schema: &Value, path: &str) -> String {
    let (holder, keyword) = path.rsplit_once('/').unwrap_or_default();
    let part = schema.pointer(holder).unwrap_or(schema);
    let whole = part.to_string();
    match part.get(keyword) {
        Some(value) if whole.len() > SCHEMA_PART_BYTES => {
            cut_bytes(&json!({ keyword: value }).to_string(), SCHEMA_PART_BYTES)
        }
        _ => cut_bytes(&whole, SCHEMA_PART_BYTES),
    }
}

#[cfg(test)]
mod tests;
