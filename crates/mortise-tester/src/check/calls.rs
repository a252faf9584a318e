//! Calling one tool with made-up arguments, and what its answers show.

use std::time::Duration;

use mortise_contract::mirror::{Mirror, mirror};
use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::verdict::Status;
use mortise_contract::{Contract, Mode, RawJson, ToolCall, ToolOutcome};
use mortise_upstream::{CallError, CallOptions};

use super::arguments::{Generated, Kind, generate};
use super::{Check, Coverage, Finding, Rule, Skipped};

/// Parameters that the server does not take.
const INVALID_PARAMS: i64 = -32602;
/// Places named in one finding.
const PLACES_SHOWN: usize = 20;

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
    let mut coverage = contract.output_schema().filter(|schema| schema.is_object()).map(Coverage::new);
    if !revive(check).await {
        return skip(check, "the server ended before and does not come back".to_owned());
    }
    let mut tool_errors = 0;
    for (number, one) in made.iter().enumerate() {
        check.plan.say(&format!("calling {name}, {} of {}", number + 1, made.len()));
        let outcome = send(check, contract, &one.arguments).await;
        check.report.calls += 1;
        match outcome {
            Ok(outcome) => {
                tool_errors += usize::from(outcome.result.is_error);
                answered(check, contract, one, &outcome, coverage.as_mut());
            }
            Err(error) => {
                if failed(check, name, one, &error) == Then::Stop {
                    settle(check, &error).await;
                    break;
                }
            }
        }
    }
    if tool_errors == made.len() {
        let message = format!("all of {tool_errors} calls were answered with a tool error");
        check.report.findings.add(Finding::new(Rule::NeverSucceeded, Some(name), message));
    }
    if let Some(coverage) = coverage {
        finish_coverage(check, name, coverage);
    }
}

/// How long the end of a server may take to show after a call has seen it.
const END_SHOWS: Duration = Duration::from_secs(1);

/// Waits until a server that has just ended is known to have ended, so that no other tool is blamed.
async fn settle(check: &Check<'_>, error: &CallError) {
    if matches!(error, CallError::Closed { .. }) {
        let mut state = check.upstream.watch_state();
        let _ = tokio::time::timeout(END_SHOWS, state.wait_for(|state| !state.is_usable())).await;
    }
}

/// Connects again to a server that has ended; whether there is one to call now.
pub(super) async fn revive(check: &Check<'_>) -> bool {
    if check.upstream.state().is_usable() {
        return true;
    }
    check.plan.say("connecting again");
    check.upstream.reconnect().await;
    check.upstream.ready(check.upstream.config().start_timeout).await.is_ok()
}

/// Sends one call; a broken contract is no error here.
pub(super) async fn send(
    check: &Check<'_>,
    contract: &Contract,
    arguments: &serde_json::Value,
) -> Result<ToolOutcome, CallError> {
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
    coverage: Option<&mut Coverage>,
) {
    let name = contract.name.as_str();
    if one.kind == Kind::Invalid && !outcome.result.is_error {
        let message = format!("accepted: {}", one.about);
        let finding = Finding::new(Rule::InvalidAccepted, Some(name), message);
        check.report.findings.add(finding.evidence(evidence(one, Some(outcome))));
    }
    judge(check, contract, outcome, &|| evidence(one, Some(outcome)));
    let conforms = outcome.verdict.status == Status::Valid;
    if let (Some(coverage), true, Some(schema), Some(Ok(reading))) =
        (coverage, conforms, contract.output_schema(), outcome.result.structured_reading())
    {
        coverage.see(schema, &reading.value, &check.schemas);
    }
}

/// Findings about one answer, whatever it was asked for.
pub(super) fn judge(
    check: &mut Check<'_>,
    contract: &Contract,
    outcome: &ToolOutcome,
    evidence: &dyn Fn() -> String,
) {
    let name = contract.name.as_str();
    let slow = check.plan.slow;
    let mut add = |rule: Rule, key: &str, message: String| {
        check.report.findings.add(Finding::new(rule, Some(name), message).key(key).evidence(evidence()));
    };
    for fault in &outcome.result.faults {
        add(Rule::ProtocolFault, &fault.pointer, format!("in a result: {fault}"));
    }
    if outcome.elapsed > slow {
        add(Rule::Slow, "", format!("an answer took {}, more than {}", shown(outcome.elapsed), shown(slow)));
    }
    let verdict = &outcome.verdict;
    match &verdict.status {
        Status::Invalid => {
            let first = verdict.errors.first();
            let place = first.map(|error| error.schema_path.clone()).unwrap_or_default();
            let what = first.map_or_else(String::new, |error| {
                let at = if error.instance_path.is_empty() { "the root" } else { &error.instance_path };
                format!("at {at}: {}", error.message)
            });
            let more = match verdict.total_errors.saturating_sub(1) {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            add(Rule::ContractViolation, &place, format!("{what}{more}"));
        }
        Status::Missing => {
            add(Rule::ContractViolation, "missing", "there is no structured content".to_owned());
        }
        Status::RecoveredFromText => {
            add(Rule::OnlyText, "", "there is no structured content, but the text conforms".to_owned());
        }
        _ => {}
    }
    if !outcome.result.is_error && matches!(mirror(&outcome.result), Mirror::Differs | Mirror::Absent) {
        let which = mirror(&outcome.result).as_str();
        add(
            Rule::TextDisagrees,
            which,
            format!("{which}: the text is not the JSON of the structured content"),
        );
    }
    let asserted = SchemaOptions { assert_formats: true, ..SchemaOptions::default() };
    if let (Status::Valid, Some(Ok(compiled)), Some(Ok(reading))) = (
        &verdict.status,
        contract.compiled_output(&asserted, &check.schemas),
        outcome.result.structured_reading(),
    ) && let Validation::Invalid { violations, .. } = compiled.validate(&reading.value)
    {
        let first = violations
            .first()
            .map(|violation| format!("at {}: {}", violation.instance_path, violation.message));
        let finding = Finding::new(Rule::FormatMismatch, Some(name), first.unwrap_or_default());
        check.report.findings.add(finding.evidence(evidence()));
    }
}

/// Whether further calls of the tool make sense.
#[derive(PartialEq)]
enum Then {
    GoOn,
    Stop,
}

fn failed(check: &mut Check<'_>, name: &str, one: &Generated, error: &CallError) -> Then {
    let (rule, then) = match error {
        CallError::Rpc { error, .. } if error.code == INVALID_PARAMS => match one.kind {
            Kind::Invalid => return Then::GoOn,
            Kind::Valid | Kind::Boundary => (Rule::ValidRefused, Then::GoOn),
        },
        // A refusal all the same, only with an unusual code.
        CallError::Rpc { .. } if one.kind == Kind::Invalid => return Then::GoOn,
        CallError::Rpc { .. } => (Rule::InternalError, Then::GoOn),
        CallError::Timeout { .. } => (Rule::TimedOut, Then::Stop),
        CallError::Closed { .. } | CallError::NotConnected { .. } => (Rule::Crashed, Then::Stop),
        CallError::AuthRequired { .. } => (Rule::AuthorizationRequired, Then::Stop),
        _ => (Rule::ProtocolFault, Then::GoOn),
    };
    let message = format!("{} ({})", crate::failure::in_full(error), one.about);
    let key = if rule == Rule::ProtocolFault { "call" } else { "" };
    check.report.findings.add(Finding::new(rule, Some(name), message).key(key).evidence(evidence(one, None)));
    then
}

fn finish_coverage(check: &mut Check<'_>, name: &str, coverage: Coverage) {
    if coverage.results > 0 {
        let list = |places: Vec<&str>| {
            let shown = places.iter().take(PLACES_SHOWN).copied().collect::<Vec<_>>().join(", ");
            match places.len().saturating_sub(PLACES_SHOWN) {
                0 => shown,
                more => format!("{shown} and {more} more"),
            }
        };
        let never: Vec<&str> = coverage.never_seen().collect();
        if !never.is_empty() {
            let message = format!("in {} results never seen: {}", coverage.results, list(never));
            check.report.findings.add(Finding::new(Rule::NeverSeen, Some(name), message));
        }
        if !coverage.undeclared.is_empty() {
            let places = coverage.undeclared.iter().map(String::as_str).collect();
            let message = format!("seen and not declared: {}", list(places));
            check.report.findings.add(Finding::new(Rule::Undeclared, Some(name), message));
        }
    }
    check.report.coverage.push((name.to_owned(), coverage));
}

fn evidence(one: &Generated, outcome: Option<&ToolOutcome>) -> String {
    match outcome {
        Some(outcome) => format!("arguments {} gave {}", one.arguments, outcome.result.raw.text()),
        None => format!("arguments {}", one.arguments),
    }
}

fn shown(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// A number that follows from a name, so that each tool has its own arguments whatever else there is.
fn fingerprint(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
