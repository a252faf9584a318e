//! Answers a program's tool calls: policy, the call on the wire, the verdict, the value.

mod recorder;

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use mortise_client::{CallError, CallOptions, Upstream};
use mortise_contract::lock::Deviation;
use mortise_contract::text::cut;
use mortise_contract::unwrap::Evidence;
use mortise_contract::verdict::Status;
use mortise_contract::{Contract, RawJson, ToolCall, ToolOutcome, Verdict};
use mortise_script::{
    CallOutcome, CallRequest, CallValue, HostError, HostErrorKind, RunReport, ToolHost, ValueForm, Wanted,
};
use mortise_server::CallContext;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::approvals::{CallsUnderWay, HintsApproved, RunApprovals};
use crate::asks::{AskRouter, UnderWay};
use crate::inspect;
use crate::kept::{KeptValues, MemoryKeptValues};
use crate::ledger::{CallEffect, CallRecord, Excerpts, Ledger, RESULT_CHARACTERS, shown_arguments};
use crate::lock_policy::held_back;
use crate::mapping::{Mapped, content, script_value};
use crate::progress::RunProgress;
use crate::recording::RunRecord;
use crate::registry::{RegisteredTool, Registry, ToolSnapshot};
use crate::server_functions::SERVER_FUNCTIONS;
use crate::server_status::ServerStatus;
use crate::starting::away_and_named;

/// The key under which a request of the modern era says which log messages it wants.
const LOG_LEVEL_META: &str = "io.modelcontextprotocol/logLevel";
/// Reports of progress that may wait to be passed on.
const REPORTS: usize = 16;

/// Answers the calls of one program.
pub(crate) struct Bridge {
    pub(crate) registry: Arc<Registry>,
    /// The tools as they were when the program started.
    pub(crate) snapshot: Arc<ToolSnapshot>,
    pub(crate) cancel: CancellationToken,
    pub(crate) progress: watch::Sender<RunProgress>,
    /// The client that upstream servers may ask, if there is one.
    pub(crate) client: Option<(AskRouter, CallContext)>,
    /// Number of this run in its process.
    pub(crate) run: u64,
    /// `traceparent` and the like, passed on with every call.
    pub(crate) meta: Option<Map<String, Value>>,
    pub(crate) approvals: Option<Arc<RunApprovals>>,
    /// Where the run is recorded, if it is.
    pub(crate) record: Option<RunRecord>,
    pub(crate) under_way: Arc<CallsUnderWay>,
    /// By whom its calls share the places of a server.
    pub(crate) caller: Option<Arc<str>>,
    /// On whose behalf it keeps values.
    pub(crate) lasting_caller: String,
    pub(crate) kept: Arc<dyn KeptValues>,
    /// How long a call may take whose server has no time of its own.
    call_time: Duration,
    /// What is kept of the texts of calls.
    pub(crate) excerpts: Excerpts,
    began: Instant,
    details: Mutex<HashMap<u64, CallDetail>>,
}

/// What the script engine does not know about a call.
#[derive(Debug, Default)]
struct CallDetail {
    arguments: String,
    bytes: usize,
    /// From the program's start to this call.
    started: Duration,
    /// Between the request on the wire and its answer.
    elapsed: Option<Duration>,
    /// The start of the result, where results are kept.
    result: String,
    verdict: Option<String>,
    notes: Vec<String>,
    /// What the result held beside the value that the program got.
    left: Vec<String>,
    /// Whether it left for its server.
    has_left: bool,
    /// Whether it left and no answer came that could be read.
    is_lost: bool,
}

impl Bridge {
    pub(crate) fn new(
        registry: Arc<Registry>,
        cancel: CancellationToken,
        progress: watch::Sender<RunProgress>,
        client: Option<(AskRouter, CallContext)>,
        run: u64,
        call_time: Duration,
    ) -> Self {
        let meta = client.as_ref().and_then(|(_, context)| passed_on(context));
        let snapshot = registry.snapshot();
        Self {
            registry,
            snapshot,
            cancel,
            progress,
            client,
            run,
            meta,
            approvals: None,
            record: None,
            under_way: Arc::default(),
            caller: None,
            lasting_caller: String::new(),
            kept: Arc::new(MemoryKeptValues::default()),
            call_time,
            excerpts: Excerpts::default(),
            began: Instant::now(),
            details: Mutex::default(),
        }
    }

    /// The ledger of a program that has ended.
    pub(crate) fn ledger(&self, report: &RunReport) -> Ledger {
        let mut details = self.details.lock();
        let mut ledger = Ledger::default();
        for call in &report.calls {
            let detail = details.remove(&call.id).unwrap_or_default();
            let effect = effect(&call.outcome, &detail);
            let error = match &call.outcome {
                CallOutcome::Ok => None,
                CallOutcome::Failed { message, .. } => Some(message.clone()),
                CallOutcome::Abandoned => {
                    Some("abandoned: the program ended or stopped waiting first".to_owned())
                }
                CallOutcome::NotMade => {
                    Some("not made: the program ended or stopped waiting before its turn came".to_owned())
                }
            };
            ledger.push(CallRecord {
                tool: call.name.clone(),
                arguments: detail.arguments,
                started_ms: milliseconds(detail.started),
                elapsed_ms: milliseconds(detail.elapsed.unwrap_or(call.elapsed)),
                waited_ms: milliseconds(call.waited),
                bytes: detail.bytes,
                verdict: detail.verdict,
                result: detail.result,
                notes: detail.notes,
                left: detail.left,
                is_refused: matches!(call.outcome, CallOutcome::Failed { kind: HostErrorKind::Budget, .. }),
                error,
                effect,
            });
        }
        let recorded = ledger.refused();
        let refused = usize::try_from(report.stats.refused_calls).unwrap_or(usize::MAX);
        ledger.not_recorded(refused.saturating_sub(recorded));
        ledger
    }

    fn note(&self, id: u64, change: impl FnOnce(&mut CallDetail)) {
        change(self.details.lock().entry(id).or_default());
    }

    /// Calls a tool as its server declares it by then. What changes while the call waits is looked at again.
    async fn call_tool(
        &self,
        listed: &RegisteredTool,
        request: &CallRequest,
    ) -> Result<CallValue, HostError> {
        let name = request.name.as_str();
        let mut approved = HintsApproved::None;
        let mut is_recorded = false;
        self.approve(listed, request, &mut approved).await?;
        let deadline = self.deadline(&listed.upstream, request);
        loop {
            let (tool, declared) = self.current_declaration(listed, name, deadline).await?;
            self.approve(&tool, request, &mut approved).await?;
            if !std::mem::replace(&mut is_recorded, true) {
                self.record_leaving(request, tool.contract.hints(), &tool.upstream).await?;
            }
            self.leaves(request.id);
            let _under_way = self.under_way.leave();
            let answered = self.call_upstream(&tool, declared, request, deadline).await;
            return match answered {
                Ok(outcome) => self.deliver(&tool, request, &outcome),
                Err(CallError::Redeclared { .. }) => continue,
                Err(CallError::Violation { outcome, .. }) => {
                    self.judged(request.id, &outcome);
                    Err(violation(name, &outcome))
                }
                Err(error) => Err(self.failed(request, &error)),
            };
        }
    }

    /// The tool as its server declares it now, waiting for a server that starts; the declaration is `None` where the
    /// server does not list the tool. A tool that the lock file holds back is an error.
    async fn current_declaration(
        &self,
        listed: &RegisteredTool,
        name: &str,
        deadline: Instant,
    ) -> Result<(RegisteredTool, Option<Arc<Contract>>), HostError> {
        let cancel = self.cancel.child_token();
        let options = CallOptions { deadline: Some(deadline), cancel, ..CallOptions::default() };
        listed.upstream.connected(&options).await.map_err(|error| failure(name, &error))?;
        match listed.upstream.catalog().get(listed.contract.name.as_str()).cloned() {
            Some(contract) => match self.snapshot.held_now(listed, &contract) {
                Some(deviation) => Err(held(name, &deviation)),
                None => Ok((RegisteredTool { contract: contract.clone(), ..listed.clone() }, Some(contract))),
            },
            None if self.snapshot.is_enforced() => {
                let message = format!("'{name}' is held back: its server does not list it now");
                Err(HostError::new(HostErrorKind::Unavailable, message))
            }
            None => Ok((listed.clone(), None)),
        }
    }

    async fn call_upstream(
        &self,
        tool: &RegisteredTool,
        declared: Option<Arc<Contract>>,
        request: &CallRequest,
        deadline: Instant,
    ) -> Result<ToolOutcome, CallError> {
        let call = ToolCall { tool: tool.contract.name.clone(), arguments: request.arguments.clone() };
        // A change that the server has announced may be one that the lock file holds back.
        let up_to_date = self.snapshot.is_enforced();
        // A server that answers with a task may take as long as the program.
        let task_deadline = Some(request.deadline.into());
        let send = |options| {
            tool.upstream.call(call, CallOptions { declared, up_to_date, task_deadline, ..options })
        };
        self.pass_on(&tool.upstream, &request.name, deadline, send).await
    }

    /// Passes a request on to a server, and back what the server reports and asks meanwhile.
    pub(crate) async fn pass_on<T, F: Future<Output = Result<T, CallError>> + Send>(
        &self,
        upstream: &Upstream,
        name: &str,
        deadline: Instant,
        send: impl FnOnce(CallOptions) -> F,
    ) -> Result<T, CallError> {
        let (progress, mut reports) = mpsc::channel(REPORTS);
        let under_way =
            self.client.as_ref().map(|(router, context)| router.enter(upstream.name(), self.run, context));
        let options = CallOptions {
            progress: Some(progress),
            listener: under_way.as_ref().map(UnderWay::listener),
            caller: self.caller.clone(),
            timeout: Some(deadline.saturating_duration_since(Instant::now())),
            deadline: Some(deadline),
            cancel: self.cancel.child_token(),
            meta: self.meta.clone(),
            ..CallOptions::default()
        };
        // Dropping the call's future must reach the server too: it stops work that nothing waits for.
        let _stop = options.cancel.clone().drop_guard();
        let passing_on = async {
            while let Some(report) = reports.recv().await {
                self.progress.send_modify(|progress| progress.reported(name, &report));
            }
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            biased;
            answered = send(options) => answered,
            never = passing_on => match never {},
        }
    }

    /// The exception for a call that failed; the ledger learns whether its outcome is known.
    pub(crate) fn failed(&self, request: &CallRequest, error: &CallError) -> HostError {
        self.note(request.id, |detail| detail.is_lost = is_lost(error));
        failure(&request.name, error)
    }

    /// When a call of this server that begins now ends at the latest.
    pub(crate) fn deadline(&self, upstream: &Upstream, request: &CallRequest) -> Instant {
        let time = upstream.config().call_timeout.unwrap_or(self.call_time);
        (Instant::now() + time).min(request.deadline.into())
    }

    /// Notes that a call leaves for its server.
    pub(crate) fn leaves(&self, id: u64) {
        self.note(id, |detail| detail.has_left = true);
    }

    /// Notes the size of what a call brought.
    pub(crate) fn received(&self, id: u64, bytes: usize) {
        self.note(id, |detail| detail.bytes = bytes);
    }

    /// The value that the program gets for a result.
    fn deliver(
        &self,
        tool: &RegisteredTool,
        request: &CallRequest,
        outcome: &ToolOutcome,
    ) -> Result<CallValue, HostError> {
        self.judged(request.id, outcome);
        match script_value(&tool.contract, &outcome.result) {
            Mapped::Value(value) => {
                self.registry.observer().take_in(&tool.contract, &value);
                let is_left = request.wanted == Wanted::Value;
                self.note(request.id, |detail| {
                    detail.notes.extend(value.unwrapped.map(|evidence| unwrapped(evidence).to_owned()));
                    detail.left = if is_left { value.beside } else { Vec::new() };
                });
                Ok(match request.wanted {
                    _ if value.is_content => CallValue { json: value.json, form: ValueForm::Content },
                    Wanted::Value => value.json.into(),
                    Wanted::ValueAndContent => {
                        let json = RawJson::array([&value.json, &content(&outcome.result)]);
                        CallValue { json, form: ValueForm::ValueAndContent }
                    }
                })
            }
            Mapped::ToolError { text, structured } => {
                let sentence = format!("'{}' returned an error: {text}", request.name);
                let error = HostError::new(HostErrorKind::Tool, sentence);
                let content = Some(Box::new(content(&outcome.result)));
                Err(HostError { said: Some(text), structured, content, ..error })
            }
        }
    }

    fn judged(&self, id: u64, outcome: &ToolOutcome) {
        self.note(id, |detail| {
            detail.bytes = outcome.result.raw.text().len();
            detail.elapsed = Some(outcome.elapsed);
            detail.verdict = Some(outcome.verdict.status.as_str().to_owned());
            detail.notes = notes(&outcome.verdict);
            if self.excerpts == Excerpts::ArgumentsAndResults {
                let value = outcome.result.structured.as_ref().unwrap_or(&outcome.result.raw);
                detail.result = cut(value.text(), RESULT_CHARACTERS);
            }
        });
    }
}

/// Whether a call did what it was to do.
fn effect(outcome: &CallOutcome, detail: &CallDetail) -> CallEffect {
    match outcome {
        CallOutcome::Ok => CallEffect::Taken,
        CallOutcome::Abandoned if !detail.has_left => CallEffect::None,
        CallOutcome::Abandoned | CallOutcome::Failed { kind: HostErrorKind::Timeout, .. } => {
            CallEffect::Unknown
        }
        CallOutcome::Failed { .. } if detail.is_lost => CallEffect::Unknown,
        CallOutcome::Failed { kind: HostErrorKind::Output | HostErrorKind::Size, .. }
            if detail.verdict.is_some() =>
        {
            CallEffect::Taken
        }
        CallOutcome::Failed { .. } | CallOutcome::NotMade => CallEffect::None,
    }
}

/// Whether a request left and its answer, if there was one, could not be read.
fn is_lost(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Closed { .. }
            | CallError::Timeout { .. }
            | CallError::Cancelled { .. }
            | CallError::TooLarge { .. }
            | CallError::Protocol { .. }
            | CallError::TaskLost { .. }
    )
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Why the program got what is inside `result` rather than the object around it.
fn unwrapped(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::ResultMeta => "unwrapped `result`: the result says that it is only a wrapper",
        Evidence::SchemaFlag => "unwrapped `result`: the output schema says that it is only a wrapper",
        Evidence::Projected => "unwrapped `result`: it was wrapped for clients that take only objects",
        Evidence::SchemaShape => {
            "unwrapped `result`: the output schema has this one property and requires it"
        }
        Evidence::TextEqualsInner => "unwrapped `result`: the text of the result says the same",
    }
}

/// What a verdict remarks, and its first violations.
fn notes(verdict: &Verdict) -> Vec<String> {
    let mut notes = verdict.notes.clone();
    if let Status::Unchecked { reason } | Status::Malformed { reason } = &verdict.status {
        notes.push(reason.clone());
    }
    notes.extend(verdict.errors.iter().take(3).map(|error| error.sentence(1)));
    notes
}

/// The exception for a result that breaks its contract in strict mode, with the payload.
pub(crate) fn violation(name: &str, outcome: &ToolOutcome) -> HostError {
    let verdict = &outcome.verdict;
    let refused = |message: String| HostError {
        kind: HostErrorKind::Output,
        message,
        said: None,
        structured: outcome.result.structured.clone().or_else(|| Some(outcome.result.raw.clone())),
        content: Some(Box::new(content(&outcome.result))),
        violations: verdict.errors.clone(),
    };
    if let Status::Malformed { reason } = &verdict.status {
        return refused(format!("'{name}' returned a result that breaks the protocol: {reason}"));
    }
    let is_unchecked = matches!(verdict.status, Status::Unchecked { .. });
    if verdict.schema_hash.is_none() && !is_unchecked {
        let returned = if verdict.status == Status::Missing { "no content" } else { "structured content" };
        return refused(format!("'{name}' returned {returned}, and it declares no output schema"));
    }
    let mut fault = "does not match";
    let detail = match (&verdict.status, verdict.errors.first()) {
        (Status::Missing, _) => "no structured content".to_owned(),
        (Status::Unchecked { reason }, _) => {
            fault = "can't be checked against";
            reason.clone()
        }
        (_, Some(first)) => first.sentence(verdict.total_errors),
        (status, None) => status.as_str().to_owned(),
    };
    refused(format!("'{name}' returned data that {fault} its declared output schema: {detail}"))
}

/// The exception for a call that has no result.
fn failure(name: &str, error: &CallError) -> HostError {
    let (kind, message) = match error {
        CallError::NotConnected { server, reason } => (
            HostErrorKind::Unreachable,
            format!("'{name}' unavailable: server '{server}' is not connected ({reason})"),
        ),
        CallError::Closed { server, reason } => (
            HostErrorKind::Unreachable,
            format!(
                "'{name}' failed: connection to '{server}' closed ({reason}); reconnecting — retry shortly"
            ),
        ),
        CallError::Timeout { after, .. } => {
            let seconds = (after.as_secs_f64() * 1_000.0).round() / 1_000.0;
            (HostErrorKind::Timeout, format!("'{name}' timed out after {seconds}s"))
        }
        CallError::Rpc { error, .. } => (HostErrorKind::Protocol, format!("'{name}' failed: {error}")),
        CallError::Arguments { .. } => (HostErrorKind::Arguments, format!("'{name}' failed: {error}")),
        CallError::SchemaUnusable { reason, .. } => {
            (HostErrorKind::Output, format!("'{name}' failed: its output schema can't be used: {reason}"))
        }
        CallError::NotCallable { reason, .. } => {
            (HostErrorKind::Unavailable, format!("'{name}' can't be called: {reason}"))
        }
        CallError::TooLarge { .. } => (HostErrorKind::Size, format!("'{name}' failed: {error}")),
        CallError::AuthRequired { server, .. } => (
            HostErrorKind::Unreachable,
            format!(
                "'{name}' failed: server '{server}' wants authorization; the operator can run `mortise login {server}`"
            ),
        ),
        other => (HostErrorKind::Protocol, format!("'{name}' failed: {other}")),
    };
    let (said, structured) = match error {
        CallError::Rpc { error, .. } => (Some(error.message.clone()), error.data.clone()),
        _ => (None, None),
    };
    HostError { said, structured, ..HostError::new(kind, message) }
}

/// What a request's `_meta` says to the servers behind us: the trace that it belongs to, and which log messages are
/// wanted.
pub(crate) fn passed_on(context: &CallContext) -> Option<Map<String, Value>> {
    let meta = context.meta();
    let mut kept: Map<String, Value> = ["traceparent", "tracestate", "baggage"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), meta.get(key)?.clone())))
        .collect();
    kept.extend(context.log_level().map(|level| (LOG_LEVEL_META.to_owned(), json!(level.as_str()))));
    (!kept.is_empty()).then_some(kept)
}

impl ToolHost for Bridge {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        self.note(request.id, |detail| {
            detail.arguments = shown_arguments(&request.arguments);
            detail.started = self.began.elapsed();
        });
        let name = request.name.clone();
        let tool = self.snapshot.tool(&name);
        if tool.is_none() && !SERVER_FUNCTIONS.contains(&name.as_str()) {
            return Err(self.unavailable(&name));
        }
        self.progress.send_modify(|progress| progress.started(&name));
        let _done = Done { progress: &self.progress, name };
        match tool {
            Some(tool) => self.call_tool(tool, &request).await,
            None => self.read_from_server(&request).await,
        }
    }

    async fn inspect_tool(&self, tool_name: String) -> Result<RawJson, HostError> {
        match self.snapshot.tool(&tool_name) {
            Some(tool) => written(&inspect::found_and_observed(tool, &self.registry.observer())),
            None => {
                let similar = self.snapshot.similar(&tool_name);
                let message =
                    inspect::not_found(&tool_name, self.snapshot.why_withheld(&tool_name), &similar);
                Err(HostError::new(HostErrorKind::Unavailable, message))
            }
        }
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        written(&self.snapshot.names().iter().collect::<Vec<_>>())
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        let servers = self.registry.servers();
        let servers: BTreeMap<&str, ServerStatus> =
            servers.iter().map(|server| (server.name().as_str(), ServerStatus::of(server))).collect();
        written(&servers)
    }

    async fn keep_value(&self, name: String, value: RawJson) -> Result<RawJson, HostError> {
        self.keep_for_later(&name, value).await
    }

    async fn load_value(&self, name: String) -> Result<RawJson, HostError> {
        self.load_kept(&name).await
    }

    /// A tool of a server that never came up is unknown because of that.
    fn unavailable(&self, name: &str) -> HostError {
        if let Some(deviation) = self.snapshot.held(name) {
            return held(name, deviation);
        }
        if self.snapshot.is_blocked(name) {
            return HostError::unavailable(name);
        }
        match away_and_named(&self.registry.servers(), name) {
            Some(server) => failure(name, &server.not_connected()),
            None => HostError::unavailable(name),
        }
    }
}

/// The exception for a call of a tool that the lock file holds back.
fn held(name: &str, deviation: &Deviation) -> HostError {
    HostError::new(HostErrorKind::Unavailable, held_back(name, deviation))
}

fn written(value: &impl Serialize) -> Result<RawJson, HostError> {
    RawJson::of(value).map_err(|error| HostError::new(HostErrorKind::Internal, error.to_string()))
}

/// Counts a call as done, however it ends.
struct Done<'a> {
    progress: &'a watch::Sender<RunProgress>,
    name: String,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.progress.send_modify(|progress| progress.ended(&self.name));
    }
}

#[cfg(test)]
mod tests;
