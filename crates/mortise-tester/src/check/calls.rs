//! Calling tools: a search for arguments that work, then variations of them.

use std::sync::Arc;
use std::time::Duration;

use mortise_client::server_config::Transport;
use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::text::cut_bytes;
use mortise_contract::{CompiledSchema, Contract, Mode, RawJson, ToolCall, ToolOutcome};
use serde_json::{Map, Value};

use super::arguments::candidates::Sources;
use super::arguments::search::ArgumentSearch;
use super::arguments::{ArgumentsKind, Generated, vary};
use super::judge::{INVALID_PARAMS, Judged, Then, failed, judge, said};
use super::seen::Seen;
use super::{CaseFile, Check, CheckFinding, CheckRule, FindingEvidence, MadeCall, withheld};
use crate::moment::Moment;

/// Attempts to find arguments that work, beyond the first call of a tool.
pub(super) const FURTHER_ATTEMPTS: usize = 8;
/// Attempts for one tool before the next tool has its turn.
const ATTEMPTS_AT_ONCE: usize = 3;
/// Turns of all tools. A later one uses what other tools' results showed.
const TURNS: usize = 3;

/// Calls every tool that the plan allows.
pub(super) async fn call_tools(check: &mut Check<'_>, contracts: &[Arc<Contract>], cases: &[CaseFile]) {
    let plan = check.plan;
    let included = contracts.iter().filter(|contract| plan.includes(contract.name.as_str()));
    let mut tools: Vec<CalledTool<'_>> =
        included.filter_map(|contract| CalledTool::open(check, contract, cases)).collect();
    // What needs least comes first: its result may name what others need. What deletes comes last.
    let mut order: Vec<usize> = (0..tools.len()).collect();
    order.sort_by_key(|at| (!tools[*at].is_harmless, tools[*at].required()));
    for _ in 0..TURNS {
        let known = check.knowledge.len();
        for at in &order {
            search(check, &mut tools[*at]).await;
        }
        if check.knowledge.len() == known {
            break;
        }
    }
    for tool in &mut tools {
        variations(check, tool).await;
    }
}

/// A tool that is called with made-up arguments.
struct CalledTool<'a> {
    contract: &'a Contract,
    schema: &'a Value,
    compiled: Arc<CompiledSchema>,
    search: ArgumentSearch,
    /// Whether real ids do no harm: the tool only reads, only adds, or the user named it.
    is_harmless: bool,
    attempts: usize,
    /// Whether a call ended the server or got no answer: no further call is made.
    is_stopped: bool,
}

impl<'a> CalledTool<'a> {
    /// The tool, unless there is a reason not to call it.
    fn open(check: &mut Check<'_>, contract: &'a Contract, cases: &[CaseFile]) -> Option<Self> {
        let name = contract.name.as_str();
        if let Some(reason) = check.plan.reason_not_to_call(contract) {
            check.skip(name, reason);
            return None;
        }
        let compiled = contract.compiled_input(&check.options, &check.schemas);
        let (Some(schema), Some(Ok(compiled))) = (contract.input_schema(), compiled) else {
            check.skip(name, "its input schema can't be used");
            return None;
        };
        let hints = contract.hints();
        Some(Self {
            contract,
            schema,
            compiled,
            search: ArgumentSearch::new(recorded(check.upstream, name, cases)),
            is_harmless: hints.read_only || !hints.destructive || check.plan.names(name),
            attempts: 0,
            is_stopped: false,
        })
    }

    fn required(&self) -> usize {
        self.schema.get("required").and_then(Value::as_array).map_or(0, Vec::len)
    }
}

/// Arguments of cases that are expected to succeed.
fn recorded(upstream: &Upstream, tool: &str, cases: &[CaseFile]) -> Vec<Value> {
    let files = cases.iter().filter(|file| file.is_for(upstream.name().as_str()));
    files.flat_map(|file| file.recorded(tool)).collect()
}

/// Looks for arguments that work, a few attempts at once.
async fn search(check: &mut Check<'_>, tool: &mut CalledTool<'_>) {
    let name = tool.contract.name.as_str();
    for _ in 0..ATTEMPTS_AT_ONCE {
        let is_settled = check.seen.get(name).is_some_and(Seen::is_settled);
        if is_settled || tool.is_stopped || tool.attempts > FURTHER_ATTEMPTS {
            return;
        }
        let sources = Sources {
            contract: tool.contract,
            schema: tool.schema,
            knowledge: Some(&check.knowledge).filter(|_| tool.is_harmless),
            paths: &check.paths,
            learned: tool.search.learned(),
        };
        let Some(arguments) = tool.search.next(&sources, &tool.compiled) else {
            if tool.attempts == 0 {
                check.skip(name, "no arguments could be made for its input schema");
            }
            return;
        };
        tool.search.sent(&arguments);
        tool.attempts += 1;
        check.plan.say(&format!("calling {name}, attempt {}", tool.attempts));
        let about = "arguments that may work".to_owned();
        let one = Generated { kind: ArgumentsKind::Valid, about, arguments };
        if let Some(refusal) = call(check, tool, &one).await {
            tool.search.refused(tool.schema, &one.arguments, &refusal);
        }
    }
}

/// Calls a tool with variations of the arguments that work, or of those that were tried first.
async fn variations(check: &mut Check<'_>, tool: &mut CalledTool<'_>) {
    let name = tool.contract.name.as_str();
    let Some(seen) = check.seen.get(name) else { return };
    let working = seen.working.as_ref().and_then(Value::as_object);
    let smallest = || match mortise_contract::sample::sample(tool.schema) {
        Some(Value::Object(smallest)) => smallest,
        _ => Map::new(),
    };
    let base = working.cloned().unwrap_or_else(smallest);
    let seed = check.plan.seed ^ fingerprint(name);
    let made = vary(tool.schema, &tool.compiled, &base, seed, check.plan.calls_per_tool - 1);
    for (number, one) in made.iter().enumerate() {
        if tool.is_stopped {
            return;
        }
        check.plan.say(&format!("calling {name}, {} of {}", number + 1, made.len()));
        call(check, tool, one).await;
    }
}

/// Makes one call and takes in what it shows; what the server says if it refuses.
async fn call(check: &mut Check<'_>, tool: &mut CalledTool<'_>, one: &Generated) -> Option<String> {
    let contract = tool.contract;
    let name = contract.name.as_str();
    if !revive(check.upstream).await {
        tool.is_stopped = true;
        check.skip(name, "the server ended before and does not come back");
        return None;
    }
    let outcome = send(check, contract, &one.arguments, Some(one.kind)).await;
    let mut seen = check.seen.remove(name).unwrap_or_else(|| Seen::of(contract));
    seen.calls += 1;
    let refusal = match outcome {
        Ok(outcome) => {
            let evidence = FindingEvidence::of_outcome(name, &one.arguments, &outcome);
            if one.kind == ArgumentsKind::Invalid && !outcome.result.is_error {
                let message = format!("accepted: {}", one.about);
                let finding = CheckFinding::new(CheckRule::InvalidAccepted, Some(name), message);
                check.found(finding.evidence(evidence.clone()));
            }
            let judged = judge(check, contract, &outcome, &evidence);
            seen.see(contract, &outcome, &check.schemas);
            seen.judged(judged, Some(one.kind), &one.arguments, &evidence);
            if judged == Judged::Kept && one.kind == ArgumentsKind::Valid {
                check.knowledge.learn(name, &one.arguments, &outcome.result);
            }
            let texts = || outcome.result.texts().collect::<Vec<_>>().join("\n");
            (judged == Judged::ToolError).then(texts)
        }
        Err(error) => {
            let evidence = FindingEvidence::of_call(name, &one.arguments, said(check.upstream, &error));
            seen.keep(Some(one.kind), &evidence);
            match failed(check, contract, one, &error, &evidence) {
                Then::GoOn | Then::Refused => {}
                Then::Broken => seen.broke(),
                Then::Stop => {
                    tool.is_stopped = true;
                    settle(check.upstream, &error).await;
                }
            }
            match error {
                CallError::Rpc { error, .. } => Some(error.message),
                _ => None,
            }
        }
    };
    check.seen.insert(name.to_owned(), seen);
    refusal
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

/// Sends one call and notes it; a broken contract is not an error here.
pub(super) async fn send(
    check: &mut Check<'_>,
    contract: &Contract,
    arguments: &Value,
    kind: Option<ArgumentsKind>,
) -> Result<ToolOutcome, CallError> {
    let arguments = RawJson::from_value(arguments).map_err(|_| CallError::Arguments {
        tool: contract.name.as_str().to_owned(),
        found: "nested too deeply".to_owned(),
    })?;
    send_raw(check, contract, arguments, kind.map_or("case", ArgumentsKind::as_str)).await
}

/// [`send`] with the very text of the arguments; `kind` is its kind in the report.
pub(super) async fn send_raw(
    check: &mut Check<'_>,
    contract: &Contract,
    arguments: RawJson,
    kind: &'static str,
) -> Result<ToolOutcome, CallError> {
    let started = Moment::now();
    let shown = check.upstream.secrets().hide(arguments.text()).into_owned();
    let options =
        CallOptions { mode: Some(Mode::Warn), timeout: Some(check.plan.timeout), ..CallOptions::default() };
    let call = ToolCall { tool: contract.name.clone(), arguments };
    let outcome = check.upstream.call(call, options).await;
    if let (Some(results), Ok(outcome)) = (&check.plan.results, &outcome)
        && kind != ArgumentsKind::Invalid.as_str()
    {
        results(contract, &outcome.result);
    }
    let word = match &outcome {
        Ok(outcome) if withheld::from_result(contract, &outcome.result).is_some() => MadeCall::WITHHELD,
        Ok(outcome) => outcome.verdict.status.as_str(),
        Err(CallError::Rpc { error, .. }) if withheld::from_text(contract, &error.message).is_some() => {
            MadeCall::WITHHELD
        }
        Err(CallError::Rpc { error, .. }) if error.code == INVALID_PARAMS => "refused",
        Err(CallError::Rpc { .. }) => "json_rpc_error",
        Err(CallError::Timeout { .. }) => "timed_out",
        Err(CallError::Closed { .. } | CallError::NotConnected { .. }) => "connection_lost",
        Err(_) => "failed",
    };
    check.report.calls += 1;
    check.report.made.push(MadeCall {
        tool: contract.name.as_str().to_owned(),
        arguments: cut_bytes(&shown, MadeCall::ARGUMENTS),
        kind,
        verdict: word,
        ms: started.elapsed_ms(),
    });
    outcome
}

/// Takes in what the call of a case showed: it counts as much as one that was made up.
pub(super) fn answered_case(
    check: &mut Check<'_>,
    contract: &Contract,
    arguments: &Value,
    outcome: &ToolOutcome,
    evidence: &FindingEvidence,
) {
    let judged = judge(check, contract, outcome, evidence);
    let name = contract.name.as_str();
    let mut seen = check.seen.remove(name).unwrap_or_else(|| Seen::of(contract));
    seen.calls += 1;
    seen.see(contract, outcome, &check.schemas);
    seen.judged(judged, None, arguments, evidence);
    check.seen.insert(name.to_owned(), seen);
}

/// Endings of programs that an interpreter runs.
const PROGRAMS: [&str; 6] = [".js", ".mjs", ".cjs", ".ts", ".py", ".jar"];

/// Paths among the words that start a server, without its program; what it works on stands last.
pub(super) fn started_with(upstream: &Upstream) -> Vec<String> {
    let Transport::Stdio(config) = &upstream.config().transport else { return Vec::new() };
    let values =
        config.args.iter().rev().map(|word| word.split_once('=').map_or(word.as_str(), |(_, value)| value));
    let is_program = |value: &str| PROGRAMS.iter().any(|ending| value.ends_with(ending));
    // Another word may be a secret that only looks like a path.
    let is_path =
        |value: &&str| value.starts_with('/') && !is_program(value) && std::path::Path::new(value).exists();
    values.filter(is_path).map(str::to_owned).collect()
}

/// A number that follows from a name, so that each tool has its own arguments whatever else there is.
fn fingerprint(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
