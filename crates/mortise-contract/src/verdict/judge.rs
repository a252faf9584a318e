//! The rules by which a result is judged.

use std::sync::Arc;

use super::{Era, JudgeOptions, Status, Verdict};
use crate::json::{JsonKind, NumberIssue};
use crate::project::needs_projection;
use crate::schema::{CompiledSchema, LITTLE_TEXT, SchemaCache, SchemaError, Validation, is_vacuous};
use crate::{Contract, Mode, RawJson, ToolResult};

/// Judges a result against what its tool declared.
///
/// ```
/// use mortise_contract::verdict::{JudgeOptions, Status, judge};
/// use mortise_contract::{Contract, RawJson, SchemaCache, ToolResult};
///
/// let contract = Contract::parse(RawJson::parse(
///     r#"{"name": "count", "inputSchema": {"type": "object"}, "outputSchema": {"type": "integer"}}"#,
/// )?)?;
/// let result = ToolResult::parse(RawJson::parse(r#"{"content": [], "structuredContent": "three"}"#)?)?;
/// let verdict = judge(&contract, &result, &JudgeOptions::default(), &SchemaCache::default());
/// assert_eq!(verdict.status, Status::Invalid);
/// assert_eq!(verdict.error_code(), Some(-32602));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judge(
    contract: &Contract,
    result: &ToolResult,
    options: &JudgeOptions,
    cache: &SchemaCache,
) -> Verdict {
    let mut verdict = Verdict {
        status: Status::Off,
        tool: contract.name.as_str().to_owned(),
        schema_hash: contract.output_schema_hash().map(|hash| hash.as_str().to_owned()),
        dialect: None,
        mode: options.mode,
        errors: Vec::new(),
        total_errors: 0,
        is_truncated: false,
        notes: Vec::new(),
        recovered: None,
        era: options.era,
        ms: None,
    };
    verdict.status = if result.is_error {
        Status::ToolError
    } else if !result.is_complete() {
        Status::Incomplete
    } else if options.mode == Mode::Off {
        Status::Off
    } else if let Some(fault) = result.error_flag_fault() {
        Status::Malformed { reason: fault.to_string() }
    } else {
        match contract.compiled_output(&options.schema, cache) {
            None => without_schema(result, options, &mut verdict),
            Some(compiled) => with_schema(contract, compiled, result, options, &mut verdict),
        }
    };
    verdict
}

/// What [`judge`] returns, if it surely takes about a millisecond; `None` if it may take longer.
///
/// Compiling a schema takes its time, and checking a large value by a schema that a stranger wrote can take seconds:
/// a caller that others wait behind calls [`judge`] on another thread then.
pub fn judge_at_once(
    contract: &Contract,
    result: &ToolResult,
    options: &JudgeOptions,
    cache: &SchemaCache,
) -> Option<Verdict> {
    is_little(contract, result, options, cache).then(|| judge(contract, result, options, cache))
}

fn is_little(contract: &Contract, result: &ToolResult, options: &JudgeOptions, cache: &SchemaCache) -> bool {
    let is_checked = !result.is_error && result.is_complete() && options.mode != Mode::Off;
    if !is_checked || !contract.declares_output() {
        return true;
    }
    if result.raw.text().len() > LITTLE_TEXT {
        return false;
    }
    match (contract.known_output(&options.schema, cache), &result.structured) {
        (None, _) => false,
        (Some(Err(_)), _) => true,
        (Some(Ok(compiled)), Some(structured)) => compiled.is_quick(structured),
        (Some(Ok(compiled)), None) => options.mode == Mode::Strict || compiled.is_little_work(result.texts()),
    }
}

fn without_schema(result: &ToolResult, options: &JudgeOptions, verdict: &mut Verdict) -> Status {
    let has_structured = result.structured.is_some();
    if has_structured {
        verdict.note("structured_without_schema");
        note_era(result, options, verdict);
    } else if result.content.is_empty() {
        verdict.note("no_content");
    }
    match options.forbid_unschematised {
        true if has_structured => Status::Unexpected,
        true if result.content.is_empty() => Status::Missing,
        _ => Status::NoSchema,
    }
}

fn with_schema(
    contract: &Contract,
    compiled: Result<Arc<CompiledSchema>, SchemaError>,
    result: &ToolResult,
    options: &JudgeOptions,
    verdict: &mut Verdict,
) -> Status {
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => {
            if result.structured.is_none() {
                verdict.note("missing_structured");
            }
            return Status::Unchecked { reason: error.to_string() };
        }
    };
    verdict.dialect = Some(compiled.dialect().as_str());
    if contract.output_schema().is_some_and(is_vacuous) {
        verdict.note("vacuous_schema");
    } else if options.era == Some(Era::Legacy) && contract.output_schema().is_some_and(needs_projection) {
        verdict.note("non_object_schema_in_legacy_era");
    }
    if result.structured.as_ref().is_some_and(|structured| compiled.accepts_text(structured)) {
        note_era(result, options, verdict);
        return Status::Valid;
    }
    let reading = match result.structured_reading() {
        None => return missing(&compiled, result, options, verdict),
        Some(Err(error)) => return Status::Unchecked { reason: error.to_string() },
        Some(Ok(reading)) => reading,
    };
    for issue in [NumberIssue::OutOfRange, NumberIssue::PrecisionLoss] {
        if reading.numbers.iter().any(|note| note.issue == issue) {
            verdict.note(issue.as_str());
        }
    }
    note_era(result, options, verdict);
    match compiled.validate(&reading.value) {
        Validation::Valid => Status::Valid,
        Validation::Unchecked { reason } => Status::Unchecked { reason },
        Validation::Invalid { violations, total, is_complete } => {
            verdict.is_truncated = !is_complete || total > violations.len();
            verdict.errors = violations;
            verdict.total_errors = total;
            Status::Invalid
        }
    }
}

fn missing(
    compiled: &CompiledSchema,
    result: &ToolResult,
    options: &JudgeOptions,
    verdict: &mut Verdict,
) -> Status {
    if options.mode == Mode::Strict {
        return Status::Missing;
    }
    let conforming = |text: &str| {
        let raw = RawJson::parse(text).ok()?;
        let value = raw.value().ok()?;
        (compiled.validate(&value) == Validation::Valid).then_some(raw)
    };
    let mut found: Vec<RawJson> = result.texts().filter_map(conforming).collect();
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => {
            verdict.recovered = Some(only);
            Status::RecoveredFromText
        }
        (Some(_), false) => {
            verdict.note("several_texts_conform");
            Status::Missing
        }
        (None, _) => Status::Missing,
    }
}

fn note_era(result: &ToolResult, options: &JudgeOptions, verdict: &mut Verdict) {
    let is_object = result.structured.as_ref().is_none_or(|raw| raw.kind() == JsonKind::Object);
    if options.era == Some(Era::Legacy) && !is_object {
        verdict.note("non_object_in_legacy_era");
    }
}

impl Verdict {
    fn note(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }
}
