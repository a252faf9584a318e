//! Calling one tool with made-up arguments, and what its answers show.

use std::time::Duration;

use mortise_contract::json::duplicate_keys;
use mortise_contract::mirror::{Mirror, mirror};
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::verdict::{Status, Violation};
use mortise_contract::{Contract, Mode, RawJson, SchemaCache, ToolCall, ToolOutcome};
use mortise_upstream::{CallError, CallOptions, Upstream};
use serde_json::Value;

use super::arguments::{Generated, Kind, generate};
use super::evidence::cut;
use super::{Check, Coverage, Evidence, Finding, MadeCall, Rule, Skipped, counted, listed};
use crate::moment::Moment;

/// Parameters that the server does not take.
const INVALID_PARAMS: i64 = -32602;
/// How much of a process's last words a finding shows.
const LAST_WORDS: usize = 1_024;

/// Calls one tool, if that is allowed.
pub(super) async fn call_tool(check: &mut Check<'_>, contract: &Contract) {
    let name = contract.name.as_str();
    let skip = |check: &mut Check<'_>, reason: String| {
        check.report.skipped.push(Skipped { tool: name.to_owned(), reason });
    };
    if let Some(reason) = check.plan.reason_not_to_call(contract) {
        return skip(check, reason);
    }
    let (Some(schema), Some(Ok(compiled))) =
        (contract.input_schema(), contract.compiled_input(&check.options, &check.schemas))
    else {
        return skip(check, "its input schema can't be used".to_owned());
    };
    let seed = check.plan.seed ^ fingerprint(name);
    let made = generate(schema, &compiled, seed, check.plan.calls_per_tool);
    if made.is_empty() {
        return skip(check, "no arguments could be made for its input schema".to_owned());
    }
    if !revive(check.upstream).await {
        return skip(check, "the server ended before and does not come back".to_owned());
    }
    let mut seen = Seen::of(contract);
    for (number, one) in made.iter().enumerate() {
        check.plan.say(&format!("calling {name}, {} of {}", number + 1, made.len()));
        seen.made += 1;
        match send(check, contract, &one.arguments, Some(one.kind)).await {
            Ok(outcome) => {
                seen.refused += usize::from(outcome.result.is_error);
                answered(check, contract, one, &outcome, &mut seen);
            }
            Err(error) => {
                let evidence = Evidence::of_call(name, &one.arguments, said(check.upstream, &error));
                seen.keep(one.kind, &evidence);
                match failed(check, name, one, &error, &evidence) {
                    Then::GoOn => {}
                    Then::Refused => seen.refused += 1,
                    Then::Stop => {
                        settle(check.upstream, &error).await;
                        break;
                    }
                }
            }
        }
    }
    check.seen.insert(name.to_owned(), seen);
}

/// What the calls of one tool showed so far.
#[derive(Default)]
pub(super) struct Seen {
    coverage: Option<Coverage>,
    /// Calls that were made up.
    made: usize,
    /// Of these, answered with a tool error, or with a JSON-RPC error that says that the arguments are wrong.
    refused: usize,
    /// Whether the call of a case succeeded.
    has_case: bool,
    /// The last call with valid arguments.
    last: Evidence,
}

impl Seen {
    fn of(contract: &Contract) -> Self {
        let schema = contract.output_schema().filter(|schema| schema.is_object());
        Self { coverage: schema.map(Coverage::new), ..Self::default() }
    }

    /// Takes a result in; only one that conforms says what of the schema occurs.
    fn see(&mut self, contract: &Contract, outcome: &ToolOutcome, schemas: &SchemaCache) {
        let conforms = outcome.verdict.status == Status::Valid;
        if let (Some(coverage), true, Some(schema), Some(Ok(reading))) =
            (&mut self.coverage, conforms, contract.output_schema(), outcome.result.structured_reading())
        {
            coverage.see(schema, &reading.value, schemas);
        }
    }

    fn keep(&mut self, kind: Kind, evidence: &Evidence) {
        if kind != Kind::Invalid || self.last.is_empty() {
            self.last = evidence.clone();
        }
    }
}

/// How long the end of a server may take to show after a call has seen it.
const END_SHOWS: Duration = Duration::from_secs(1);

/// Waits until a server that has just ended is known to have ended, so that no other tool is blamed.
async fn settle(upstream: &Upstream, error: &CallError) {
    if matches!(error, CallError::Closed { .. }) {
        let mut state = upstream.watch_state();
        let _ = tokio::time::timeout(END_SHOWS, state.wait_for(|state| !state.is_usable())).await;
    }
}

/// Connects again to a server that has ended; whether there is one to call now.
pub(crate) async fn revive(upstream: &Upstream) -> bool {
    if upstream.state().is_usable() {
        return true;
    }
    upstream.reconnect().await;
    upstream.ready(upstream.config().start_timeout).await.is_ok()
}

/// Sends one call and notes it; a broken contract is no error here.
pub(super) async fn send(
    check: &mut Check<'_>,
    contract: &Contract,
    arguments: &Value,
    kind: Option<Kind>,
) -> Result<ToolOutcome, CallError> {
    let started = Moment::now();
    let outcome = sent(check, contract, arguments).await;
    let word = match &outcome {
        Ok(outcome) => outcome.verdict.status.as_str(),
        Err(CallError::Rpc { error, .. }) if error.code == INVALID_PARAMS => "refused",
        Err(CallError::Rpc { .. }) => "json_rpc_error",
        Err(CallError::Timeout { .. }) => "timed_out",
        Err(CallError::Closed { .. } | CallError::NotConnected { .. }) => "connection_lost",
        Err(_) => "failed",
    };
    let shown = check.upstream.secrets().hide(&arguments.to_string()).into_owned();
    check.report.calls += 1;
    check.report.made.push(MadeCall {
        tool: contract.name.as_str().to_owned(),
        arguments: cut(shown, MadeCall::ARGUMENTS),
        kind: kind.map_or("case", Kind::as_str),
        verdict: word,
        ms: started.elapsed_ms(),
    });
    outcome
}

async fn sent(check: &Check<'_>, contract: &Contract, arguments: &Value) -> Result<ToolOutcome, CallError> {
    let tool = contract.name.clone();
    let arguments = RawJson::from_value(arguments)
        .map_err(|_| CallError::Arguments { tool: tool.as_str().to_owned(), found: "nested too deeply" })?;
    let options =
        CallOptions { mode: Some(Mode::Warn), timeout: Some(check.plan.timeout), ..CallOptions::default() };
    check.upstream.call(ToolCall { tool, arguments }, options).await
}

fn answered(
    check: &mut Check<'_>,
    contract: &Contract,
    one: &Generated,
    outcome: &ToolOutcome,
    seen: &mut Seen,
) {
    let name = contract.name.as_str();
    let evidence = Evidence::of_outcome(name, &one.arguments, outcome);
    if one.kind == Kind::Invalid && !outcome.result.is_error {
        let message = format!("accepted: {}", one.about);
        check.found(Finding::new(Rule::InvalidAccepted, Some(name), message).evidence(evidence.clone()));
    }
    judge(check, contract, outcome, &evidence);
    seen.see(contract, outcome, &check.schemas);
    seen.keep(one.kind, &evidence);
}

/// Takes in what the call of a case showed: it counts as much as one that was made up.
pub(super) fn answered_case(
    check: &mut Check<'_>,
    contract: &Contract,
    outcome: &ToolOutcome,
    evidence: &Evidence,
) {
    judge(check, contract, outcome, evidence);
    let seen = check.seen.entry(contract.name.as_str().to_owned()).or_insert_with(|| Seen::of(contract));
    seen.see(contract, outcome, &check.schemas);
    if !outcome.result.is_error {
        seen.has_case = true;
        seen.last = evidence.clone();
    }
}

/// What all calls together showed of each tool, in the order of the list.
pub(super) fn finish(check: &mut Check<'_>) {
    let mut all = std::mem::take(&mut check.seen);
    for name in check.report.tools.clone() {
        let Some(seen) = all.remove(&name) else { continue };
        if seen.made > 0 && seen.refused == seen.made && !seen.has_case {
            let message = format!("none of {} succeeded: all were refused", counted(seen.made, "call"));
            let finding = Finding::new(Rule::NeverSucceeded, Some(&name), message);
            check.found(finding.evidence(seen.last.clone()));
        }
        finish_coverage(check, &name, seen);
    }
}

/// Findings about one answer, whatever it was asked for.
fn judge(check: &mut Check<'_>, contract: &Contract, outcome: &ToolOutcome, evidence: &Evidence) {
    let name = contract.name.as_str();
    let slow = check.plan.slow;
    let asserted = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
    let with_formats = contract.compiled_output(&asserted, &check.schemas);
    let is_usable = matches!(contract.compiled_output(&check.options, &check.schemas), Some(Ok(_)));
    let mut add = |rule: Rule, key: &str, pointer: &str, message: String| {
        check.found(Finding::new(rule, Some(name), message).key(key).evidence(evidence.at(pointer)));
    };
    for fault in &outcome.result.faults {
        add(Rule::ProtocolFault, &fault.pointer, &fault.pointer, format!("in a result: {fault}"));
    }
    for duplicate in duplicate_keys(outcome.result.raw.text()) {
        let key = format!("result {}", duplicate.key);
        add(Rule::DuplicateKey, &key, &duplicate.pointer, format!("in a result: `{}`", duplicate.key));
    }
    if outcome.elapsed > slow {
        let message = format!("an answer took {}, more than {}", shown(outcome.elapsed), shown(slow));
        add(Rule::Slow, "", "", message);
    }
    let verdict = &outcome.verdict;
    match &verdict.status {
        Status::Invalid => {
            for error in &verdict.errors {
                add(Rule::ContractViolation, &error.schema_path, &in_result(error), told(error));
            }
            let more = verdict.total_errors.saturating_sub(verdict.errors.len());
            if more > 0 {
                let message = format!("one result has {} beyond those told", counted(more, "violation"));
                add(Rule::ContractViolation, "more", "", message);
            }
        }
        Status::Missing => {
            let what = if verdict.schema_hash.is_some() { "structured content" } else { "content" };
            add(Rule::ContractViolation, "missing", "", format!("there is no {what}"));
        }
        Status::Unexpected => {
            let message = "there is structured content and no output schema";
            add(Rule::ContractViolation, "unexpected", "/structuredContent", message.to_owned());
        }
        Status::RecoveredFromText => {
            let message = "there is no structured content, but the text conforms";
            add(Rule::OnlyText, "", "/content", message.to_owned());
        }
        // That a schema can't be used is told once, of the declaration.
        Status::Unchecked { reason } if is_usable => {
            add(
                Rule::Unchecked,
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
        add(Rule::TextDisagrees, which, "/content", message);
    }
    if let (Status::Valid, Some(Ok(compiled)), Some(Ok(reading))) =
        (&verdict.status, with_formats, outcome.result.structured_reading())
        && let Validation::Invalid { violations, .. } = compiled.validate(&reading.value)
    {
        for error in &violations {
            add(Rule::FormatMismatch, &error.schema_path, &in_result(error), told(error));
        }
    }
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
#[derive(PartialEq)]
enum Then {
    GoOn,
    /// The arguments were refused, rightly or not.
    Refused,
    Stop,
}

fn failed(
    check: &mut Check<'_>,
    name: &str,
    one: &Generated,
    error: &CallError,
    evidence: &Evidence,
) -> Then {
    let (rule, then) = match error {
        CallError::Rpc { error, .. } if error.code == INVALID_PARAMS => match one.kind {
            Kind::Invalid => return Then::Refused,
            Kind::Valid | Kind::Boundary => (Rule::ValidRefused, Then::Refused),
        },
        // A refusal all the same, only with an unusual code.
        CallError::Rpc { .. } if one.kind == Kind::Invalid => return Then::Refused,
        CallError::Rpc { .. } => (Rule::InternalError, Then::GoOn),
        CallError::Timeout { .. } => (Rule::TimedOut, Then::Stop),
        CallError::Closed { .. } | CallError::NotConnected { .. } => (Rule::Crashed, Then::Stop),
        CallError::AuthRequired { .. } => (Rule::AuthorizationRequired, Then::Stop),
        _ => (Rule::ProtocolFault, Then::GoOn),
    };
    let message = format!("{} ({})", crate::failure::in_full(error), one.about);
    let key = if rule == Rule::ProtocolFault { "call" } else { "" };
    check.found(Finding::new(rule, Some(name), message).key(key).evidence(evidence.clone()));
    then
}

/// What there is of an answer when a call has failed.
fn said(upstream: &Upstream, error: &CallError) -> String {
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
            format!("last words on stderr: {}", if words.is_empty() { "none" } else { &words[start..] })
        }
        CallError::Http { status, body, .. } => format!("HTTP status {status}: {body}"),
        _ => "no answer".to_owned(),
    }
}

fn finish_coverage(check: &mut Check<'_>, name: &str, seen: Seen) {
    let Some(coverage) = seen.coverage else { return };
    if coverage.results > 0 {
        let mut add = |rule: Rule, start: String, places: &[&str]| {
            let evidence = seen.last.at(places.first().copied().unwrap_or_default());
            let message = format!("{start}: {}", listed(places));
            check.found(Finding::new(rule, Some(name), message).evidence(evidence));
        };
        let never: Vec<&str> = coverage.never_seen().collect();
        if !never.is_empty() {
            add(Rule::NeverSeen, format!("in {} never seen", counted(coverage.results, "result")), &never);
        }
        if !coverage.undeclared.is_empty() {
            let places: Vec<&str> = coverage.undeclared.iter().map(String::as_str).collect();
            add(Rule::Undeclared, "seen and not declared".to_owned(), &places);
        }
    }
    check.report.coverage.push((name.to_owned(), coverage));
}

fn shown(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// A number that follows from a name, so that each tool has its own arguments whatever else there is.
fn fingerprint(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
