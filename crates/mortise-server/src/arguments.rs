//! Arguments of a call, checked against the tool's input schema.

use std::sync::{Arc, OnceLock};

use mortise_contract::RawJson;
use mortise_contract::arguments::ArgumentViolation;
use mortise_contract::json::{DuplicateKey, JsonError, JsonKind, duplicate_keys};
use mortise_contract::schema::Validation;
use serde_json::{Map, Value};

use crate::tool_list::ToolEntry;

/// Violations named in an error.
const SHOWN: usize = 5;

/// Why a call is refused. The caller reads it as a tool error.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ArgumentError {
    #[error("{}: the key `{}` occurs twice", named(&.0.pointer), .0.key)]
    Duplicate(DuplicateKey),
    #[error("the arguments are not usable: {0}")]
    Unusable(JsonError),
    #[error("the arguments are not a JSON object")]
    NotAnObject,
    #[error("{}", lines(violations, *total))]
    Invalid { violations: Vec<ArgumentViolation>, total: usize },
    #[error("the arguments can't be checked: {reason}")]
    Unchecked { reason: String },
    #[error("the check failed")]
    CheckFailed,
}

/// Arguments that may be used. Their values are parsed when somebody first asks for them: most handlers read the text.
#[derive(Clone, Debug)]
pub(crate) struct CallArguments(Arc<ArgumentValues>);

#[derive(Debug)]
struct ArgumentValues {
    text: RawJson,
    values: OnceLock<Map<String, Value>>,
}

impl CallArguments {
    pub(crate) fn values(&self) -> &Map<String, Value> {
        self.0.values.get_or_init(|| match self.0.text.value() {
            Ok(Value::Object(values)) => values,
            _ => Map::new(),
        })
    }
}

impl From<RawJson> for CallArguments {
    fn from(text: RawJson) -> Self {
        Self(Arc::new(ArgumentValues { text, values: OnceLock::new() }))
    }
}

impl From<Map<String, Value>> for CallArguments {
    fn from(values: Map<String, Value>) -> Self {
        Self(Arc::new(ArgumentValues { text: RawJson::null(), values: OnceLock::from(values) }))
    }
}

/// The checked arguments. A check that may take long does not hold up other requests.
pub(crate) async fn checked_arguments(
    entry: &Arc<ToolEntry>,
    arguments: &RawJson,
) -> Result<CallArguments, ArgumentError> {
    if entry.input.as_ref().is_none_or(|schema| schema.is_quick(arguments)) {
        return check_arguments(entry, arguments);
    }
    let (entry, arguments) = (Arc::clone(entry), arguments.clone());
    let checked = tokio::task::spawn_blocking(move || check_arguments(&entry, &arguments)).await;
    checked.unwrap_or(Err(ArgumentError::CheckFailed))
}

fn check_arguments(entry: &ToolEntry, arguments: &RawJson) -> Result<CallArguments, ArgumentError> {
    // What is checked is the parsed value, where the last of two keys wins; what is handed on
    // is the text, where a reader may take the first.
    if let Some(duplicate) = duplicate_keys(arguments.text()).into_iter().next() {
        return Err(ArgumentError::Duplicate(duplicate));
    }
    let is_object = arguments.kind() == JsonKind::Object;
    if is_object && entry.input.as_ref().is_some_and(|schema| schema.accepts_text(arguments)) {
        return Ok(arguments.clone().into());
    }
    let value = arguments.value().map_err(ArgumentError::Unusable)?;
    match entry.input.as_ref().filter(|_| value.is_object()).map(|schema| schema.validate(&value)) {
        Some(Validation::Invalid { violations, total, .. }) => {
            let schema = entry.contract.input_schema().unwrap_or(&Value::Null);
            let shown = violations.into_iter().take(SHOWN);
            let violations = shown.map(|violation| ArgumentViolation::new(violation, schema)).collect();
            return Err(ArgumentError::Invalid { violations, total });
        }
        Some(Validation::Unchecked { reason }) => return Err(ArgumentError::Unchecked { reason }),
        Some(Validation::Valid) | None => {}
    }
    match value {
        Value::Object(values) => Ok(values.into()),
        _ => Err(ArgumentError::NotAnObject),
    }
}

fn lines(violations: &[ArgumentViolation], total: usize) -> String {
    let mut lines: Vec<String> = violations.iter().map(ArgumentViolation::sentence).collect();
    if total > lines.len() {
        lines.push(format!("and {} more", total - lines.len()));
    }
    lines.join("\n")
}

fn named(pointer: &str) -> &str {
    if pointer.is_empty() { "the arguments" } else { pointer }
}

#[cfg(test)]
mod tests;
