//! The verdict over a result as the tester shows it.

use mortise_contract::json::duplicate_keys;
use mortise_contract::mirror::{Mirror, mirror};
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::verdict::Status;
use mortise_contract::{Contract, Era, SchemaCache, ToolOutcome, Violation};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// Whether the result keeps the tool's output schema
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ContractShown {
    status: ContractStatus,
    /// Why it is unchecked
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i32>,
    tool: String,
    schema_hash: Option<String>,
    dialect: Option<&'static str>,
    mode: &'static str,
    era: Option<&'static str>,
    #[schemars(with = "Vec<Map<String, Value>>")]
    errors: Vec<Violation>,
    total_errors: usize,
    truncated: bool,
    notes: Vec<String>,
    ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum ContractStatus {
    Valid,
    Invalid,
    Missing,
    RecoveredFromText,
    Unchecked,
}

impl ContractShown {
    pub(super) fn of(outcome: &ToolOutcome, contract: Option<&Contract>, schemas: &SchemaCache) -> Self {
        let verdict = &outcome.verdict;
        let (status, reason) = status(&verdict.status);
        let mut notes = verdict.notes.clone();
        let agreement = mirror(&outcome.result);
        if agreement != Mirror::NotApplicable {
            notes.push(agreement.as_str().to_owned());
        }
        notes.extend(duplicate_keys(outcome.result.raw.text()).iter().map(|found| {
            let place = if found.pointer.is_empty() { "the result" } else { &found.pointer };
            format!("duplicate_key at {place}: `{}`", found.key)
        }));
        if let (Status::Valid, Some(contract)) = (&verdict.status, contract) {
            notes.extend(format_misses(outcome, contract, schemas));
        }
        Self {
            status,
            reason: reason.map(str::to_owned),
            code: verdict.error_code(),
            tool: verdict.tool.clone(),
            schema_hash: verdict.schema_hash.clone(),
            dialect: verdict.dialect,
            mode: verdict.mode.as_str(),
            era: verdict.era.map(Era::as_str),
            errors: verdict.errors.clone(),
            total_errors: verdict.total_errors,
            truncated: verdict.is_truncated,
            notes,
            ms: verdict.ms,
        }
    }
}

fn status(status: &Status) -> (ContractStatus, Option<&str>) {
    match status {
        Status::Valid => (ContractStatus::Valid, None),
        Status::Invalid => (ContractStatus::Invalid, None),
        Status::Missing => (ContractStatus::Missing, None),
        Status::RecoveredFromText => (ContractStatus::RecoveredFromText, None),
        Status::NoSchema => (ContractStatus::Unchecked, Some("no_schema")),
        Status::ToolError => (ContractStatus::Unchecked, Some("is_error")),
        Status::Incomplete => (ContractStatus::Unchecked, Some("incomplete")),
        Status::Off => (ContractStatus::Unchecked, Some("off")),
        Status::Unchecked { reason } => (ContractStatus::Unchecked, Some(reason)),
        // Only where unschematised content is forbidden, which it never is here.
        Status::Unexpected => (ContractStatus::Invalid, Some("unexpected")),
        Status::Malformed { reason } => (ContractStatus::Invalid, Some(reason)),
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
