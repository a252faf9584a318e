//! Tools of servers that are offered directly, beside `execute_program`.
//!
//! A small catalogue does better without code. Exposed tools are called
//! `<server>__<tool>` and passed through: schemas and results as their server
//! wrote them, judged on the way.

use std::convert::Infallible;

use mortise_client::tool_filter::Glob;
use mortise_client::{CallError, CallOptions, RpcError};
use mortise_contract::verdict::{Status, Verdict};
use mortise_contract::{Contract, RawJson, RawObject, ServerName, ToolCall, ToolOutcome, ToolResult};
use mortise_server::{Answer, CONTRACT_META, CallContext, Content, ProtocolError, Reply};
use tokio::sync::mpsc;

use crate::host::{passed_on, violation};
use crate::registry::{RegisteredTool, ToolSnapshot};
use crate::run::Executor;

/// Reports of progress that may wait to be passed on.
const PROGRESS: usize = 16;

/// Which tools are offered directly; none by default.
#[derive(Clone, Debug, Default)]
pub struct Exposed(Vec<Glob>);

impl Exposed {
    /// The tools whose callable names a pattern matches.
    pub fn new(patterns: Vec<Glob>) -> Self {
        Self(patterns)
    }

    /// Whether nothing is ever offered.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The exposed tools as clients see them.
    pub(crate) fn contracts(&self, snapshot: &ToolSnapshot) -> Vec<Contract> {
        let shown = |tool: &RegisteredTool| {
            if let Some(schema) = tool.contract.output_schema() {
                let (tool, bytes) = (public_name(tool), schema.to_string().len());
                tracing::debug!(
                    event = "mortise.output_schema.forwarded",
                    tool,
                    declared_for = "mcp",
                    form = "native",
                    bytes,
                    losses = 0,
                    "forwarded an output schema"
                );
            }
            renamed(tool)
        };
        self.tools(snapshot).filter_map(shown).collect()
    }

    /// Whether a server has a tool that is exposed.
    pub(crate) fn includes(&self, snapshot: &ToolSnapshot, server: &ServerName) -> bool {
        self.tools(snapshot).any(|tool| tool.upstream.name() == server)
    }

    fn tools<'a>(&self, snapshot: &'a ToolSnapshot) -> impl Iterator<Item = &'a RegisteredTool> {
        snapshot.tools().iter().filter(|tool| self.0.iter().any(|glob| glob.matches(tool.callable.as_str())))
    }

    /// Passes a call on to the tool's server; its progress and its questions come back the same way.
    pub(crate) async fn call_exposed(
        &self,
        executor: &Executor,
        call: ToolCall,
        context: &CallContext,
    ) -> Reply {
        let cancel = context.cancellation().child_token();
        let caller = executor.caller(context);
        let mut options = CallOptions { cancel, caller, ..CallOptions::default() };
        let find = || {
            let snapshot = executor.registry().snapshot();
            self.tools(&snapshot).find(|tool| public_name(tool) == call.tool.as_str()).cloned()
        };
        let unknown = || ProtocolError::invalid_params(format!("no tool `{}`", call.tool));
        let Some(listed) = find() else { return unknown().into() };
        tokio::select! {
            connected = listed.upstream.connected(&options) => {
                if let Err(error) = connected {
                    return Answer::error(error.to_string()).into();
                }
            }
            () = context.client_left().cancelled() => return Answer::error("the client has left").into(),
        }
        // A server that was starting may have changed its tools, and the lock file may hold this one back now.
        let Some(tool) = find() else { return unknown().into() };
        let (progress, mut reports) = mpsc::channel(PROGRESS);
        let under_way = executor.under_way(tool.upstream.name(), context);
        options.declared = Some(tool.contract.clone());
        options.up_to_date = executor.registry().snapshot().is_enforced();
        options.meta = passed_on(context);
        options.listener = Some(under_way.listener());
        options.progress = Some(progress);
        let own = ToolCall { tool: tool.contract.name.clone(), arguments: call.arguments };
        let passing_on = async {
            while let Some(report) = reports.recv().await {
                context.progress(report.progress, report.total, report.message.as_deref());
            }
            std::future::pending::<Infallible>().await
        };
        let answered = tokio::select! {
            answered = tool.upstream.call(own, options) => answered,
            never = passing_on => match never {},
            () = context.client_left().cancelled() => {
                // Nothing reads it; dropping the call tells the server.
                return Answer::error("the client has left").into();
            }
        };
        match answered {
            Ok(outcome) => {
                executor.registry().observer().take_in_result(&tool.contract, &outcome.result);
                Reply::Forward(Box::new(with_verdict(outcome)))
            }
            Err(CallError::Violation { outcome, .. }) => refused(public_name(&tool), &outcome).into(),
            Err(CallError::Rpc { error, .. }) => refusal(error).into(),
            Err(error) => Answer::error(error.to_string()).into(),
        }
    }
}

/// The result as its server wrote it; a verdict that a client should know of goes into `_meta`.
fn with_verdict(outcome: ToolOutcome) -> ToolResult {
    if !is_worth_telling(&outcome.verdict) {
        return outcome.result;
    }
    result_with_verdict(&outcome).unwrap_or(outcome.result)
}

fn is_worth_telling(verdict: &Verdict) -> bool {
    verdict.is_violation() || matches!(verdict.status, Status::Unchecked { .. } | Status::RecoveredFromText)
}

fn result_with_verdict(outcome: &ToolOutcome) -> Option<ToolResult> {
    let mut result = RawObject::of(&outcome.result.raw)?;
    let meta = result.remove("_meta").as_ref().and_then(RawObject::of).unwrap_or_default();
    let verdict = RawJson::from_value(&outcome.verdict.to_json()).ok()?;
    result.set("_meta", meta.with(CONTRACT_META, verdict).into_json());
    ToolResult::parse(result.into_json()).ok()
}

/// The error for a result that breaks its contract in strict mode; what the server sent follows the reason.
fn refused(name: &str, outcome: &ToolOutcome) -> Answer {
    let reason = violation(name, outcome).message;
    let answer = outcome
        .result
        .content
        .iter()
        .fold(Answer::error(reason), |answer, block| answer.and(Content::raw(block.raw.clone())));
    let answer = answer.meta(CONTRACT_META, outcome.verdict.to_json());
    match &outcome.result.structured {
        Some(structured) if structured.value().is_ok() => answer.and_structured_raw(structured.clone()),
        _ => answer,
    }
}

/// A server's own refusal, passed on.
pub(crate) fn refusal(error: RpcError) -> ProtocolError {
    let code = i32::try_from(error.code).unwrap_or(ProtocolError::INTERNAL_ERROR);
    let refusal = ProtocolError::new(code, error.message);
    match error.data.as_ref().map(RawJson::value) {
        Some(Ok(data)) => refusal.with_data(data),
        _ => refusal,
    }
}

/// `mcp__server__tool` without the prefix that clients add themselves.
fn public_name(tool: &RegisteredTool) -> &str {
    tool.callable.as_str().strip_prefix("mcp__").unwrap_or(tool.callable.as_str())
}

/// The tool object under its public name; everything else is listed as its server wrote it.
fn renamed(tool: &RegisteredTool) -> Option<Contract> {
    let name = RawJson::string(public_name(tool));
    let members = tool.contract.raw.members().ok()?;
    let readable = members.iter().filter(|(key, _)| tool.contract.fields.contains_key(key));
    let named = readable.map(|(key, value)| (key.as_str(), if key == "name" { &name } else { value }));
    Contract::parse(RawJson::object(named)).ok()
}
