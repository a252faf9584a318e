//! One recorded request sent again, and its answer beside the recorded one.

use mortise_client::{CallError, CallOptions};
use mortise_contract::recording::{RecordedAnswer, RecordedRequest};
use mortise_contract::result::ContentKind;
use mortise_contract::schema::Validation;
use mortise_contract::text::error_chain;
use mortise_contract::{Contract, RawJson, ToolOutcome, ToolResult};
use serde_json::{Value, json};

use super::{AnswerComparison, RecordedServerRun, Replayed};
use crate::check::drift::{ValueDrift, shape_drift, value_drift};
use crate::check::judge::{self, said};
use crate::check::{Check, CheckRule, FindingEvidence, calls};

/// Sends a request again; `None` for one that is not sent.
pub(super) async fn send_again(
    check: &mut Check<'_>,
    recorded: &RecordedServerRun,
    contracts: Option<&[Contract]>,
    request: &RecordedRequest,
) -> Option<Replayed> {
    match request.method.as_str() {
        "tools/call" => call_again(check, recorded, contracts, request).await,
        "resources/read" | "prompts/get" | "completion/complete" if check.plan.only.is_empty() => {
            ask_again(check, recorded.comparison, request).await
        }
        _ => None,
    }
}

async fn call_again(
    check: &mut Check<'_>,
    recorded: &RecordedServerRun,
    contracts: Option<&[Contract]>,
    request: &RecordedRequest,
) -> Option<Replayed> {
    let name = request.tool()?;
    if !check.plan.includes(&name) {
        return None;
    }
    let empty = || RawJson::object([]);
    let arguments =
        request.params.as_ref().and_then(|params| params.member("arguments")).unwrap_or_else(empty);
    let shown = arguments.value().unwrap_or_default();
    let evidence = FindingEvidence::of_call(&name, &shown, "");
    let catalog = check.upstream.catalog();
    let Some(contract) = catalog.contracts.iter().find(|contract| contract.name.as_str() == name) else {
        // A list that has it is compared already; then this adds the requests that fail.
        let was_error = !matches!(request.answer, Some(RecordedAnswer::Result(_)));
        let problem = (CheckRule::MissingTool, format!("the tool `{name}` is gone"));
        let problems = if was_error { Vec::new() } else { vec![problem] };
        return (!was_error).then_some(Replayed { evidence, problems, remarks: Vec::new() });
    };
    if let Some(reason) = check.plan.reason_not_to_call(contract) {
        check.skip(&name, reason);
        return None;
    }
    if !calls::revive(check.upstream).await {
        let problem = (CheckRule::Crashed, "the server ended before and does not come back".to_owned());
        return Some(Replayed { evidence, problems: vec![problem], remarks: Vec::new() });
    }
    let outcome = calls::send_raw(check, contract, arguments, "recorded").await;
    Some(match outcome {
        Ok(outcome) => {
            let evidence = FindingEvidence::of_outcome(&name, &shown, &outcome);
            calls::answered_case(check, contract, &shown, &outcome, &evidence);
            let old = contracts.and_then(|known| known.iter().find(|known| known.name.as_str() == name));
            let found = compare_call(check, recorded.comparison, old, request, &outcome);
            Replayed { evidence, problems: found.0, remarks: found.1 }
        }
        Err(error) => {
            let evidence = FindingEvidence::of_call(&name, &shown, said(check.upstream, &error));
            if judge::is_withheld(check, contract, &error, &evidence) {
                return Some(Replayed { evidence, problems: Vec::new(), remarks: Vec::new() });
            }
            Replayed { evidence, problems: failed_now(request, &error), remarks: Vec::new() }
        }
    })
}

/// Sends a request that reads something else than a tool's result.
async fn ask_again(
    check: &mut Check<'_>,
    comparison: AnswerComparison,
    request: &RecordedRequest,
) -> Option<Replayed> {
    let params = request.params.clone()?;
    let text = |name: &str| match params.member(name)?.value().ok()? {
        Value::String(text) => Some(text),
        _ => None,
    };
    let options = CallOptions { timeout: Some(check.plan.timeout), ..CallOptions::default() };
    let upstream = check.upstream;
    let answer = match request.method.as_str() {
        "resources/read" => upstream.read_resource(&text("uri")?, options).await,
        "prompts/get" => {
            upstream.get_prompt(&text("name")?, params.member("arguments").as_ref(), options).await
        }
        _ => {
            let params = mortise_contract::RawObject::of(&params).map(|mut members| {
                members.remove("_meta");
                members.into_json()
            });
            upstream.complete(&params?, options).await
        }
    };
    let evidence = FindingEvidence { request: request.key(), ..FindingEvidence::default() };
    Some(match (answer, &request.answer) {
        (Ok(now), Some(RecordedAnswer::Result(before))) => {
            let evidence = FindingEvidence { response: now.text().to_owned(), ..evidence };
            let differences = match comparison {
                AnswerComparison::Exact => value_drift(&comparable(before), &comparable(&now)),
                AnswerComparison::Shape => shape_drift(&comparable(before), &comparable(&now)),
            };
            let (problems, remarks) = sorted(differences);
            Replayed { evidence, problems, remarks }
        }
        (Ok(_), _) => Replayed { evidence, problems: Vec::new(), remarks: vec![SUCCEEDS_NOW.to_owned()] },
        (Err(error), _) => {
            let evidence = FindingEvidence { response: said(upstream, &error), ..evidence };
            Replayed { evidence, problems: failed_now(request, &error), remarks: Vec::new() }
        }
    })
}

const SUCCEEDS_NOW: &str = "it failed when it was recorded, and succeeds now";

type Differences = (Vec<(CheckRule, String)>, Vec<String>);

/// A call that got an error: worth a finding only if it did not get that error before.
fn failed_now(request: &RecordedRequest, error: &CallError) -> Vec<(CheckRule, String)> {
    let rule = match error {
        CallError::Timeout { .. } => CheckRule::TimedOut,
        CallError::Closed { .. } | CallError::NotConnected { .. } => CheckRule::Crashed,
        CallError::AuthRequired { .. } => CheckRule::AuthorizationRequired,
        _ => CheckRule::NewError,
    };
    let message = error_chain(error);
    match (&request.answer, error) {
        (Some(RecordedAnswer::Error(before)), CallError::Rpc { error: now, .. }) => {
            let code =
                before.member("code").and_then(|code| code.value().ok()).and_then(|code| code.as_i64());
            match code {
                Some(code) if code != now.code => {
                    vec![(
                        CheckRule::ResultDrift,
                        format!("the error had code {code} and has {} now", now.code),
                    )]
                }
                _ => Vec::new(),
            }
        }
        (Some(RecordedAnswer::Error(_)), _) => vec![(rule, message)],
        _ => vec![(rule, format!("it succeeded when it was recorded, and fails now: {message}"))],
    }
}

fn compare_call(
    check: &Check<'_>,
    comparison: AnswerComparison,
    old: Option<&Contract>,
    request: &RecordedRequest,
    outcome: &ToolOutcome,
) -> Differences {
    let now = &outcome.result;
    let before = match &request.answer {
        Some(RecordedAnswer::Result(raw)) => ToolResult::parse(raw.clone()).ok(),
        _ => None,
    };
    let Some(before) = before else {
        let remarks = if now.is_error { Vec::new() } else { vec![SUCCEEDS_NOW.to_owned()] };
        return (Vec::new(), remarks);
    };
    if comparison == AnswerComparison::Exact {
        return sorted(value_drift(&comparable(&before.raw), &comparable(&now.raw)));
    }
    match (before.is_error, now.is_error) {
        (false, true) => {
            let said = now.texts().next().unwrap_or("it gave no text");
            let words = format!("it succeeded when it was recorded, and fails now: {said}");
            return (vec![(CheckRule::NewError, words)], Vec::new());
        }
        (true, false) => return (Vec::new(), vec![SUCCEEDS_NOW.to_owned()]),
        (true, true) => return (Vec::new(), Vec::new()),
        (false, false) => {}
    }
    let (mut problems, mut remarks) = sorted(block_drift(&before, now));
    match by_recorded_schema(check, old, now) {
        Some(violations) => {
            let drift = shape_of(&before).zip(shape_of(now)).map(|(old, new)| shape_drift(&old, &new));
            // What the schema allowed was to be expected.
            remarks.extend(drift.into_iter().flatten().map(|drift| drift.what));
            problems.extend(violations.into_iter().map(|words| (CheckRule::ResultDrift, words)));
        }
        None => {
            let (more, new) = match (shape_of(&before), shape_of(now)) {
                (Some(old), Some(new)) => sorted(shape_drift(&old, &new)),
                (Some(_), None) => {
                    (vec![(CheckRule::ResultDrift, "it was JSON, and is text now".to_owned())], Vec::new())
                }
                (None, _) => Differences::default(),
            };
            problems.extend(more);
            remarks.extend(new);
        }
    }
    (problems, remarks)
}

/// What of the structured content breaks the schema that was recorded; `None` where no schema decides.
fn by_recorded_schema(check: &Check<'_>, old: Option<&Contract>, now: &ToolResult) -> Option<Vec<String>> {
    let Some(Ok(compiled)) = old?.compiled_output(&check.options, &check.schemas) else { return None };
    let Some(Ok(reading)) = now.structured_reading() else {
        return Some(vec!["the structured content is gone".to_owned()]);
    };
    match compiled.validate(&reading.value) {
        Validation::Valid => Some(Vec::new()),
        Validation::Invalid { violations, .. } => {
            let said = |at: &str, message: &str| {
                format!("the recorded output schema refuses it at `{at}`: {message}")
            };
            Some(violations.iter().map(|found| said(&found.instance_path, &found.message)).collect())
        }
        Validation::Unchecked { .. } => None,
    }
}

/// The value whose shape counts: structured content, or a text that is JSON.
fn shape_of(result: &ToolResult) -> Option<Value> {
    if let Some(Ok(reading)) = result.structured_reading() {
        return Some(reading.value.clone());
    }
    let text = result.texts().next()?;
    let value = RawJson::parse(text).ok()?.value().ok()?;
    (value.is_object() || value.is_array()).then_some(value)
}

/// Kinds of content that are gone, or new.
fn block_drift(before: &ToolResult, now: &ToolResult) -> Vec<ValueDrift> {
    let kinds = |result: &ToolResult| {
        let mut kinds: Vec<String> =
            result.content.iter().map(|block| word(&block.kind, &block.raw)).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    let (old, new) = (kinds(before), kinds(now));
    let drift = |what: String, is_harmful| ValueDrift { pointer: "/content".to_owned(), what, is_harmful };
    // An empty list of content is a value that may change.
    let gone = old.iter().filter(|kind| !new.contains(kind) && !new.is_empty());
    let gone = gone.map(|kind| drift(format!("there is no {kind} content any more"), true));
    let fresh = new.iter().filter(|kind| !old.contains(kind) && !old.is_empty());
    gone.chain(fresh.map(|kind| drift(format!("there is {kind} content now"), false))).collect()
}

fn word(kind: &ContentKind, raw: &RawJson) -> String {
    match kind {
        ContentKind::Text(_) => "text".to_owned(),
        _ => match raw.member("type").and_then(|kind| kind.value().ok()) {
            Some(Value::String(kind)) => kind,
            _ => "other".to_owned(),
        },
    }
}

fn sorted(differences: Vec<ValueDrift>) -> Differences {
    let (harmful, new): (Vec<ValueDrift>, Vec<ValueDrift>) =
        differences.into_iter().partition(|drift| drift.is_harmful);
    let problems = harmful.into_iter().map(|drift| (CheckRule::ResultDrift, drift.what)).collect();
    (problems, new.into_iter().map(|drift| drift.what).collect())
}

/// A result without what only the protocol is about.
fn comparable(raw: &RawJson) -> Value {
    let mut value = raw.value().unwrap_or(json!(null));
    if let Some(members) = value.as_object_mut() {
        for name in ["_meta", "resultType", "ttlMs", "cacheScope"] {
            members.shift_remove(name);
        }
    }
    value
}
