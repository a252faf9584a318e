//! The verdict over a result as the tester shows it.

use mortise_contract::json::duplicate_keys;
use mortise_contract::mirror::{Mirror, mirror};
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::verdict::Status;
use mortise_contract::{Contract, SchemaCache, ToolOutcome};
use serde_json::{Value, json};

use crate::object::Object;

/// The `contract` member: five statuses, and the reason where nothing was checked.
pub(super) fn block(outcome: &ToolOutcome, contract: Option<&Contract>, schemas: &SchemaCache) -> Object {
    let mut verdict = outcome.verdict.to_json();
    let (status, reason) = status(&outcome.verdict.status);
    let mut notes = outcome.verdict.notes.clone();
    let agreement = mirror(&outcome.result);
    if agreement != Mirror::NotApplicable {
        notes.push(agreement.as_str().to_owned());
    }
    notes.extend(duplicate_keys(outcome.result.raw.text()).iter().map(|found| {
        let place = if found.pointer.is_empty() { "the result" } else { &found.pointer };
        format!("duplicate_key at {place}: `{}`", found.key)
    }));
    if let (Status::Valid, Some(contract)) = (&outcome.verdict.status, contract) {
        notes.extend(format_misses(outcome, contract, schemas));
    }
    let mut block = Object::new().set("status", status).set_some("reason", reason);
    if let Value::Object(members) = &mut verdict {
        members.insert("notes".to_owned(), json!(notes));
        for (key, value) in members.iter().filter(|(key, _)| !matches!(key.as_str(), "status" | "reason")) {
            block = block.set(key, value);
        }
    }
    block
}

fn status(status: &Status) -> (&'static str, Option<&str>) {
    match status {
        Status::NoSchema => ("unchecked", Some("no_schema")),
        Status::ToolError => ("unchecked", Some("is_error")),
        Status::Incomplete => ("unchecked", Some("incomplete")),
        Status::Off => ("unchecked", Some("off")),
        Status::Unchecked { reason } => ("unchecked", Some(reason)),
        // Only where unschematised content is forbidden, which it never is here.
        Status::Unexpected => ("invalid", Some("unexpected")),
        Status::Malformed { reason } => ("invalid", Some(reason)),
        other => (other.as_str(), None),
    }
}

/// Values that break a `format`. It only annotates, but some clients check it.
fn format_misses(outcome: &ToolOutcome, contract: &Contract, schemas: &SchemaCache) -> Vec<String> {
    let options = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
    let Some(Ok(compiled)) = contract.compiled_output(&options, schemas) else { return Vec::new() };
    let Some(Ok(reading)) = outcome.result.structured_reading() else { return Vec::new() };
    match compiled.validate(&reading.value) {
        Validation::Invalid { violations, .. } => violations
            .iter()
            .map(|violation| format!("format_mismatch at {}: {}", violation.instance_path, violation.message))
            .collect(),
        _ => Vec::new(),
    }
}
