//! Looking at a whole server in one call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mortise_client::{CallError, CallOptions};
use mortise_contract::RawJson;
use mortise_contract::text::error_chain;
use mortise_server::CallContext;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::ToolReport;
use crate::callers::Workspace;
use crate::check::{
    self, Calling, CheckFinding, CheckReport, FindingRow, FindingSeverity, MadeCall, Plan, ServerReport,
    Verification,
};
use crate::connection::{BriefConnection, CountedEvent, TestConnection};
use crate::failure::{ErrorType, TestFailure};
use crate::input::{ConnectionName, TimeoutMs, call_options};
use crate::moment::Moment;
use crate::tools::TestOutcome;
use crate::tools::asking::text;
use crate::tools::call::yes;

/// Calls of one tool in a full sweep.
const CALLS: usize = 3;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct TestServerInput {
    #[serde(default)]
    mode: SweepMode,
    /// false also calls tools that may change something
    #[serde(default = "yes")]
    safe_only: bool,
    /// Where made-up arguments come from; the same seed gives the same ones
    #[serde(default)]
    seed: u64,
    connection: Option<ConnectionName>,
    timeout_ms: Option<TimeoutMs>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum SweepMode {
    #[default]
    Quick,
    Full,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct SweptServer {
    connection: BriefConnection,
    summary: SweepSummary,
    exit_class: &'static str,
    items: Vec<SweepItem>,
    findings: Vec<FindingRow>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct SweepSummary {
    passed: usize,
    failed: usize,
    skipped: usize,
    calls: u64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct SweepItem {
    kind: &'static str,
    name: String,
    status: SweepStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// All its calls together
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<SweepCall>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum SweepStatus {
    Pass,
    Fail,
    Skipped,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct SweepCall {
    arguments: String,
    kind: &'static str,
    verdict: &'static str,
    ms: u64,
}

pub(super) async fn test_server(
    workspace: Arc<Workspace>,
    input: TestServerInput,
    context: CallContext,
) -> TestOutcome<SweptServer> {
    let connection = workspace.connections.usable(ConnectionName::of(input.connection.as_ref()))?;
    let is_full = input.mode == SweepMode::Full;
    let steps = AtomicU32::new(0);
    let shown = context.clone();
    let plan = Plan {
        seed: input.seed,
        calls_per_tool: CALLS,
        calling: match (is_full, input.safe_only) {
            (false, _) => Calling::None,
            (true, true) => Calling::ReadOnly,
            (true, false) => Calling::All,
        },
        timeout: input.timeout_ms.map_or(Duration::from_secs(30), TimeoutMs::time),
        progress: Some(Arc::new(move |what: &str| {
            let step = steps.fetch_add(1, Ordering::Relaxed);
            shown.progress(f64::from(step), None, Some(what));
        })),
        ..Plan::default()
    };
    let running = CheckReport::begin(plan.seed);
    let options = call_options(&context, input.timeout_ms);
    let (server, others) = tokio::select! {
        swept = async {
            let server = check::check_server(&connection.upstream, &plan, &[]).await;
            (server, others(&connection, &options, is_full).await)
        } => swept,
        () = context.cancellation().cancelled() => {
            let suggestion = "Call test_server again.";
            return Err(TestFailure::new(ErrorType::TransportError, "the sweep was cancelled", suggestion));
        }
    };
    for call in &server.made {
        if call.is_answered() {
            connection.statistics.count(CountedEvent::ToolCalled);
        }
        if !call.is_answered() || ["tool_error", MadeCall::WITHHELD].contains(&call.verdict) {
            connection.statistics.count(CountedEvent::Error);
        }
    }
    let mut items = broken(&server);
    items.extend(tools(&server, is_full));
    items.extend(others);
    let count = |status: SweepStatus| items.iter().filter(|item| item.status == status).count();
    let summary = SweepSummary {
        passed: count(SweepStatus::Pass),
        failed: count(SweepStatus::Fail),
        skipped: count(SweepStatus::Skipped),
        calls: server.calls,
    };
    let report = running.finish(vec![server]);
    Ok(ToolReport::new(SweptServer {
        connection: connection.brief(),
        summary,
        exit_class: report.class(FindingSeverity::Error).as_str(),
        items,
        findings: report.servers[0].findings.iter().map(FindingRow::of).collect(),
    }))
}

impl SweepItem {
    fn new(kind: &'static str, name: String, status: SweepStatus, detail: Option<String>) -> Self {
        Self { kind, name, status, detail, ms: None, calls: Vec::new() }
    }
}

fn called(call: &MadeCall) -> SweepCall {
    SweepCall { arguments: call.arguments.clone(), kind: call.kind, verdict: call.verdict, ms: call.ms }
}

/// What is broken about the server itself, or about an element of its list that is not a tool.
fn broken(server: &ServerReport) -> Vec<SweepItem> {
    let is_listed =
        |finding: &CheckFinding| finding.tool.as_ref().is_some_and(|tool| server.tools.contains(tool));
    let errors = server.findings.iter().filter(|finding| finding.severity == FindingSeverity::Error);
    errors
        .filter(|finding| !is_listed(finding))
        .map(|finding| {
            let (name, detail) = (finding.rule.code().to_owned(), Some(finding.message.clone()));
            SweepItem::new("server", name, SweepStatus::Fail, detail)
        })
        .collect()
}

/// A tool fails by what is broken about it; one that was not called says so in a full sweep.
fn tools(server: &ServerReport, is_full: bool) -> Vec<SweepItem> {
    let item = |name: &String| {
        let broken = server.findings.iter().find(|finding| {
            finding.tool.as_ref() == Some(name) && finding.severity == FindingSeverity::Error
        });
        let standing = server.standings.iter().find(|standing| is_full && standing.tool == *name);
        let (status, detail) = match (broken, standing) {
            (Some(finding), _) => {
                (SweepStatus::Fail, Some(format!("{}: {}", finding.rule.code(), finding.message)))
            }
            (None, Some(tool))
                if matches!(tool.standing, Verification::Unverified | Verification::NotCalled) =>
            {
                (SweepStatus::Skipped, Some(format!("{}: {}", tool.standing.words(), tool.reason)))
            }
            (None, _) => (SweepStatus::Pass, None),
        };
        let made = || server.made.iter().filter(|call| call.tool == *name);
        let ms = made().next().is_some().then(|| made().map(|call| call.ms).sum());
        let calls = made().map(called).collect();
        SweepItem { ms, calls, ..SweepItem::new("tool", name.clone(), status, detail) }
    };
    server.tools.iter().map(item).collect()
}

/// The lists besides tools and, in a full sweep, the first resource and the first prompt that needs nothing.
async fn others(connection: &TestConnection, options: &CallOptions, is_full: bool) -> Vec<SweepItem> {
    let upstream = &connection.upstream;
    let Some(facts) = upstream.facts() else { return Vec::new() };
    // A tool may have ended the server; the tool's item says so.
    if !check::revive(upstream).await {
        let gone = |method: &str| {
            let detail = Some("the server ended before and does not come back".to_owned());
            SweepItem::new("list", method.to_owned(), SweepStatus::Skipped, detail)
        };
        let lists = [("resources", "resources/list"), ("prompts", "prompts/list")];
        return lists.iter().filter(|(has, _)| facts.has(has)).map(|(_, method)| gone(method)).collect();
    }
    let mut items = Vec::new();
    if facts.has("resources") {
        let started = Moment::now();
        let listed = upstream.resources(options.clone()).await;
        items.push(list_item("resources/list", &listed, started));
        let first = listed.ok().and_then(|listed| text(listed.first()?, "uri"));
        if let (true, Some(uri)) = (is_full, first) {
            let started = Moment::now();
            let read = upstream.read_resource(&uri, options.clone()).await;
            connection.statistics.count(if read.is_ok() {
                CountedEvent::ResourceRead
            } else {
                CountedEvent::Error
            });
            items.push(outcome_item("resource", uri, &read, started));
        }
        let started = Moment::now();
        let listed = upstream.resource_templates(options.clone()).await;
        items.push(list_item("resources/templates/list", &listed, started));
    }
    if facts.has("prompts") {
        let started = Moment::now();
        let listed = upstream.prompts(options.clone()).await;
        items.push(list_item("prompts/list", &listed, started));
        let first =
            listed.ok().and_then(|listed| text(listed.iter().find(|prompt| needs_nothing(prompt))?, "name"));
        if let (true, Some(name)) = (is_full, first) {
            let started = Moment::now();
            let got = upstream.get_prompt(&name, None, options.clone()).await;
            connection.statistics.count(if got.is_ok() {
                CountedEvent::PromptRetrieved
            } else {
                CountedEvent::Error
            });
            items.push(outcome_item("prompt", name, &got, started));
        }
    }
    items
}

fn list_item(method: &str, listed: &Result<Vec<RawJson>, CallError>, started: Moment) -> SweepItem {
    let mut item = outcome_item("list", method.to_owned(), listed, started);
    if let Ok(listed) = listed {
        item.detail = Some(format!("{} elements", listed.len()));
    }
    item
}

fn outcome_item<T>(
    kind: &'static str,
    name: String,
    outcome: &Result<T, CallError>,
    started: Moment,
) -> SweepItem {
    let detail = outcome.as_ref().err().map(|error| error_chain(error));
    let status = if detail.is_none() { SweepStatus::Pass } else { SweepStatus::Fail };
    SweepItem { ms: Some(started.elapsed_ms()), ..SweepItem::new(kind, name, status, detail) }
}

fn needs_nothing(prompt: &RawJson) -> bool {
    let arguments = prompt.member("arguments").and_then(|arguments| arguments.value().ok());
    let arguments = arguments.as_ref().and_then(Value::as_array).into_iter().flatten();
    !arguments.into_iter().any(|argument| argument["required"] == true)
}
