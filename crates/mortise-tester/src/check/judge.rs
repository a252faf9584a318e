//! What one answer shows: findings, and whether the contract was kept.

use std::time::Duration;

use mortise_client::{CallError, Upstream};
use mortise_contract::json::duplicate_keys;
use mortise_contract::mirror::{Mirror, mirror};
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::verdict::{Status, Violation};
use mortise_contract::{Contract, ToolOutcome};

use super::arguments::{ArgumentsKind, Generated};
use super::{Check, CheckFinding, CheckRule, FindingEvidence, counted, withheld};

/// Parameters that the server does not take.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// How much of a process's last words a finding shows.
const LAST_WORDS: usize = 1_024;

/// What one answer says about the tool's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// The result keeps the contract.
    Kept,
    /// The result breaks it, or the server held back one that would have.
    Broken,
    ToolError,
    /// A tool error that does not say what failed.
    SilentError,
    /// A result that can't be judged.
    Unknown,
}

/// Findings about one answer, whatever it was asked for.
pub(super) fn judge(
    check: &mut Check<'_>,
    contract: &Contract,
    outcome: &ToolOutcome,
    evidence: &FindingEvidence,
) -> Judged {
    let name = contract.name.as_str();
    let slow = check.plan.slow;
    let asserted = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
    let with_formats = contract.compiled_output(&asserted, &check.schemas);
    let is_usable = matches!(contract.compiled_output(&check.options, &check.schemas), Some(Ok(_)));
    let mut add = |rule: CheckRule, key: &str, pointer: &str, message: String| {
        check.found(CheckFinding::new(rule, Some(name), message).key(key).evidence(evidence.at(pointer)));
    };
    for fault in &outcome.result.faults {
        add(CheckRule::ProtocolFault, &fault.pointer, &fault.pointer, format!("in a result: {fault}"));
    }
    for duplicate in duplicate_keys(outcome.result.raw.text()) {
        let key = format!("result {}", duplicate.key);
        add(CheckRule::DuplicateKey, &key, &duplicate.pointer, format!("in a result: `{}`", duplicate.key));
    }
    if outcome.elapsed > slow {
        let message = format!("an answer took {}, more than {}", shown(outcome.elapsed), shown(slow));
        add(CheckRule::Slow, "", "", message);
    }
    let verdict = &outcome.verdict;
    match &verdict.status {
        Status::Invalid => {
            for error in &verdict.errors {
                add(CheckRule::ContractViolation, &error.schema_path, &in_result(error), told(error));
            }
            let more = verdict.total_errors.saturating_sub(verdict.errors.len());
            if more > 0 {
                let message = format!("one result has {} beyond those listed", counted(more, "violation"));
                add(CheckRule::ContractViolation, "more", "", message);
            }
        }
        Status::Missing => {
            let what = if verdict.schema_hash.is_some() { "structured content" } else { "content" };
            add(CheckRule::ContractViolation, "missing", "", format!("there is no {what}"));
        }
        Status::Unexpected => {
            let message = "there is structured content and no output schema";
            add(CheckRule::ContractViolation, "unexpected", "/structuredContent", message.to_owned());
        }
        Status::RecoveredFromText => {
            let message = "there is no structured content, but the text conforms";
            add(CheckRule::OnlyText, "", "/content", message.to_owned());
        }
        // An unusable schema is reported once, with the declaration.
        Status::Unchecked { reason } if is_usable => {
            add(
                CheckRule::Unchecked,
                "",
                "/structuredContent",
                format!("a result could not be checked: {reason}"),
            );
        }
        _ => {}
    }
    if !outcome.result.is_error && matches!(mirror(&outcome.result), Mirror::Differs | Mirror::Absent) {
        let which = mirror(&outcome.result).as_str();
        let message = format!("{which}: the text is not the JSON of the structured content");
        add(CheckRule::TextDisagrees, which, "/content", message);
    }
    if let (Status::Valid, Some(Ok(compiled)), Some(Ok(reading))) =
        (&verdict.status, with_formats, outcome.result.structured_reading())
        && let Validation::Invalid { violations, .. } = compiled.validate(&reading.value)
    {
        for error in &violations {
            add(CheckRule::FormatMismatch, &error.schema_path, &in_result(error), told(error));
        }
    }
    match &verdict.status {
        Status::NoSchema if withheld::is_error_in_words(&outcome.result) => Judged::ToolError,
        Status::Valid | Status::NoSchema | Status::RecoveredFromText => Judged::Kept,
        // The fault itself is a finding already.
        Status::Invalid | Status::Missing | Status::Unexpected | Status::Malformed { .. } => Judged::Broken,
        Status::ToolError => match withheld::from_result(contract, &outcome.result) {
            Some(words) => held_back(check, name, &words, evidence),
            None if withheld::is_silent(contract, &outcome.result) => Judged::SilentError,
            None => Judged::ToolError,
        },
        _ => Judged::Unknown,
    }
}

/// The server's own library found that a result breaks the contract.
fn held_back(check: &mut Check<'_>, name: &str, words: &str, evidence: &FindingEvidence) -> Judged {
    let message = format!("the server held back a result that breaks the contract: {words}");
    let finding = CheckFinding::new(CheckRule::ContractViolation, Some(name), message);
    check.found(finding.key("withheld").evidence(evidence.clone()));
    Judged::Broken
}

/// Whether an error stands for a result that the server held back; if so, that is a finding.
pub(super) fn is_withheld(
    check: &mut Check<'_>,
    contract: &Contract,
    error: &CallError,
    evidence: &FindingEvidence,
) -> bool {
    let CallError::Rpc { error, .. } = error else { return false };
    let words = withheld::from_text(contract, &error.message);
    words.is_some_and(|words| held_back(check, contract.name.as_str(), &words, evidence) == Judged::Broken)
}

/// The place of a violation, seen from the result.
fn in_result(error: &Violation) -> String {
    format!("/structuredContent{}", error.instance_path)
}

fn told(error: &Violation) -> String {
    let at = if error.instance_path.is_empty() { "the root" } else { &error.instance_path };
    format!("at {at}: {}", error.message)
}

/// What a call without a result means for those that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    GoOn,
    /// The arguments were refused, rightly or not.
    Refused,
    /// The server held back a result that breaks the contract.
    Broken,
    Stop,
}

/// Findings about a call that got no result.
pub(super) fn failed(
    check: &mut Check<'_>,
    contract: &Contract,
    one: &Generated,
    error: &CallError,
    evidence: &FindingEvidence,
) -> Then {
    let name = contract.name.as_str();
    if is_withheld(check, contract, error, evidence) {
        return Then::Broken;
    }
    let (rule, then) = match error {
        CallError::Rpc { error, .. } if error.code == INVALID_PARAMS => match one.kind {
            ArgumentsKind::Invalid => return Then::Refused,
            ArgumentsKind::Valid | ArgumentsKind::Boundary => (CheckRule::ValidRefused, Then::Refused),
        },
        // A refusal all the same, only with an unusual code.
        CallError::Rpc { .. } if one.kind == ArgumentsKind::Invalid => return Then::Refused,
        CallError::Rpc { .. } => (CheckRule::InternalError, Then::GoOn),
        CallError::Timeout { .. } => (CheckRule::TimedOut, Then::Stop),
        CallError::Closed { .. } | CallError::NotConnected { .. } => (CheckRule::Crashed, Then::Stop),
        CallError::AuthRequired { .. } => (CheckRule::AuthorizationRequired, Then::Stop),
        _ => (CheckRule::ProtocolFault, Then::GoOn),
    };
    let message = format!("{} ({})", mortise_contract::text::error_chain(error), one.about);
    let key = if rule == CheckRule::ProtocolFault { "call" } else { "" };
    check.found(CheckFinding::new(rule, Some(name), message).key(key).evidence(evidence.clone()));
    then
}

/// What there is of an answer when a call has failed.
pub(super) fn said(upstream: &Upstream, error: &CallError) -> String {
    match error {
        CallError::Rpc { error, .. } => {
            let data = error.data.as_ref().map(|data| format!(" {}", data.text())).unwrap_or_default();
            format!("error {}: {}{data}", error.code, error.message)
        }
        CallError::Closed { .. } | CallError::NotConnected { .. } => {
            let words = upstream.stderr().unwrap_or_default();
            let words = words.trim_end();
            let mut start = words.len().saturating_sub(LAST_WORDS);
            while !words.is_char_boundary(start) {
                start += 1;
            }
            format!("the last lines on stderr: {}", if words.is_empty() { "none" } else { &words[start..] })
        }
        CallError::Http { status, body, .. } => format!("HTTP status {status}: {body}"),
        _ => "no answer".to_owned(),
    }
}

fn shown(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
