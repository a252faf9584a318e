//! Arguments of a call, checked against the tool's input schema.

use std::sync::Arc;

use mortise_contract::RawJson;
use mortise_contract::json::duplicate_keys;
use mortise_contract::schema::Validation;
use mortise_contract::verdict::Violation;
use serde_json::{Map, Value};

use crate::tool_list::ToolEntry;

/// Longest part of a schema quoted in an error, in bytes.
const QUOTE_LIMIT: usize = 600;
/// Violations named in an error.
const SHOWN: usize = 5;

/// The parsed arguments, or what to tell the caller. What may take long holds up no other request.
pub(crate) async fn checked(
    entry: &Arc<ToolEntry>,
    arguments: &RawJson,
) -> Result<Map<String, Value>, String> {
    if entry.input.as_ref().is_none_or(|schema| schema.is_quick(arguments)) {
        return check(entry, arguments);
    }
    let name = entry.contract.name.clone();
    let (entry, arguments) = (Arc::clone(entry), arguments.clone());
    let checked = tokio::task::spawn_blocking(move || check(&entry, &arguments)).await;
    checked.unwrap_or_else(|_| Err(format!("Input validation error: {name}: the check failed")))
}

/// The parsed arguments, or what to tell the caller.
fn check(entry: &ToolEntry, arguments: &RawJson) -> Result<Map<String, Value>, String> {
    let name = &entry.contract.name;
    let refuse = |reason: String| Err(format!("Input validation error: {name}: {reason}"));
    // What is checked is the parsed value, where the last of two keys wins; what is handed on
    // is the text, where a reader may take the first.
    if let Some(duplicate) = duplicate_keys(arguments.text()).first() {
        let place = if duplicate.pointer.is_empty() { "the arguments" } else { &duplicate.pointer };
        return refuse(format!("{place}: the key `{}` occurs twice", duplicate.key));
    }
    let value = match arguments.value() {
        Ok(value) => value,
        Err(error) => return refuse(format!("the arguments are not usable: {error}")),
    };
    if !value.is_object() {
        return refuse("the arguments are no JSON object".to_owned());
    }
    match entry.input.as_ref().map(|schema| schema.validate(&value)) {
        Some(Validation::Invalid { violations, total, .. }) => {
            return refuse(explain(entry, &violations, total));
        }
        Some(Validation::Unchecked { reason }) => {
            return refuse(format!("the arguments can't be checked: {reason}"));
        }
        Some(Validation::Valid) | None => {}
    }
    match value {
        Value::Object(arguments) => Ok(arguments),
        _ => refuse("the arguments are no JSON object".to_owned()),
    }
}

fn explain(entry: &ToolEntry, violations: &[Violation], total: usize) -> String {
    let mut lines: Vec<String> =
        violations.iter().take(SHOWN).map(|violation| line(entry, violation)).collect();
    if total > lines.len() {
        lines.push(format!("and {} more", total - lines.len()));
    }
    lines.join("\n")
}

fn line(entry: &ToolEntry, violation: &Violation) -> String {
    let place = if violation.instance_path.is_empty() { "the arguments" } else { &violation.instance_path };
    match entry.contract.input_schema().and_then(|schema| part(schema, &violation.schema_path)) {
        Some(part) => format!("{place}: {} (schema: {part})", violation.message),
        None => format!("{place}: {}", violation.message),
    }
}

/// The subschema that the failed keyword belongs to, short enough to read.
fn part(schema: &Value, pointer: &str) -> Option<String> {
    let (owner, keyword) = pointer.rsplit_once('/')?;
    let owner = schema.pointer(owner)?;
    let whole = owner.to_string();
    if whole.len() <= QUOTE_LIMIT {
        return Some(whole);
    }
    // Too long: at least the keyword that failed.
    let failed = format!("{{{}:{}}}", Value::from(keyword), owner.get(keyword)?);
    (failed.len() <= QUOTE_LIMIT).then_some(failed)
}

#[cfg(test)]
mod tests;
