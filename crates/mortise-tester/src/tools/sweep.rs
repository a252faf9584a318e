//! Looking at a whole server in one call.

use std::time::Duration;

use mortise_client::CallError;
use mortise_contract::RawJson;
use serde_json::Value;

use crate::callers::Workspace;
use crate::check::{self, Calling, CheckReport, Finding, MadeCall, Plan, ServerReport, Severity, Standing};
use crate::connection::{Connection, Count};
use crate::failure::in_full;
use crate::moment::Moment;
use crate::object::Object;
use crate::request::{Report, Request};
use crate::tools::Outcome;
use crate::tools::asking::text;

/// Calls of one tool in a full sweep.
const CALLS: usize = 3;

/// `test_server`.
pub(super) async fn test(workspace: &Workspace, request: &Request) -> Outcome {
    let connection = workspace.connections.usable(request.connection())?;
    let is_full = request.text("mode") == Some("full");
    let context = request.context.clone();
    let steps = std::sync::atomic::AtomicU32::new(0);
    let plan = Plan {
        seed: request.count("seed", 0) as u64,
        calls_per_tool: CALLS,
        calling: match (is_full, request.flag("safe_only", true)) {
            (false, _) => Calling::None,
            (true, true) => Calling::ReadOnly,
            (true, false) => Calling::All,
        },
        timeout: request.timeout().unwrap_or(Duration::from_secs(30)),
        progress: Some(std::sync::Arc::new(move |what: &str| {
            let step = steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            context.progress(f64::from(step), None, Some(what));
        })),
        ..Plan::default()
    };
    let running = CheckReport::begin(plan.seed);
    let cancel = request.context.cancellation();
    let (server, others) = tokio::select! {
        swept = async {
            let server = check::check_server(&connection.upstream, &plan, &[]).await;
            (server, others(&connection, request, is_full).await)
        } => swept,
        () = cancel.cancelled() => {
            return Err(crate::failure::Failure::new(
                crate::failure::ErrorType::TransportError, "the sweep was cancelled", "Call test_server again.",
            ));
        }
    };
    for call in &server.made {
        if call.is_answered() {
            connection.statistics.count(Count::ToolCalled);
        }
        if !call.is_answered() || ["tool_error", MadeCall::WITHHELD].contains(&call.verdict) {
            connection.statistics.count(Count::Error);
        }
    }
    let mut items: Vec<Item> = broken(&server);
    items.extend(tools(&server, is_full));
    items.extend(others);
    let count = |status: &str| items.iter().filter(|item| item.status == status).count();
    let summary = Object::new()
        .set("passed", count("pass"))
        .set("failed", count("fail"))
        .set("skipped", count("skipped"))
        .set("calls", server.calls);
    let report = running.finish(vec![server]);
    let findings = report.servers[0].findings.iter().map(shown);
    let members = Object::new()
        .object("connection", &connection.brief())
        .object("summary", &summary)
        .set("exit_class", report.class(Severity::Error).as_str())
        .list("items", items.iter().map(Item::shown))
        .list("findings", findings);
    Ok(Report::new(members))
}

/// One thing that was looked at.
struct Item {
    kind: &'static str,
    name: String,
    status: &'static str,
    detail: Option<String>,
    ms: Option<u64>,
    calls: Vec<Object>,
}

impl Item {
    fn shown(&self) -> Object {
        let item = Object::new()
            .set("kind", self.kind)
            .set("name", &self.name)
            .set("status", self.status)
            .set_some("detail", self.detail.as_ref())
            .set_some("ms", self.ms);
        match self.calls.is_empty() {
            true => item,
            false => item.list("calls", self.calls.iter().cloned()),
        }
    }
}

fn shown(finding: &Finding) -> Object {
    let evidence = Object::new()
        .set("request", &finding.evidence.request)
        .set("response", &finding.evidence.response)
        .set("pointer", &finding.evidence.pointer);
    Object::new()
        .set("rule", finding.rule.code())
        .set("severity", finding.severity.as_str())
        .set("tool", finding.tool.as_ref())
        .set("message", &finding.message)
        .set("count", finding.count)
        .object("evidence", &evidence)
        .set("fix", finding.fix)
}

/// One call of a tool.
fn called(call: &MadeCall) -> Object {
    Object::new()
        .set("arguments", &call.arguments)
        .set("kind", call.kind)
        .set("verdict", call.verdict)
        .set("ms", call.ms)
}

/// What is broken about the server itself, or about an element of its list that is no tool.
fn broken(server: &ServerReport) -> Vec<Item> {
    let is_listed = |finding: &Finding| finding.tool.as_ref().is_some_and(|tool| server.tools.contains(tool));
    let errors = server.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors
        .filter(|finding| !is_listed(finding))
        .map(|finding| Item {
            kind: "server",
            name: finding.rule.code().to_owned(),
            status: "fail",
            detail: Some(finding.message.clone()),
            ms: None,
            calls: Vec::new(),
        })
        .collect()
}

/// A tool fails by what is broken about it; one that was not called says so in a full sweep.
fn tools(server: &ServerReport, is_full: bool) -> Vec<Item> {
    let item = |name: &String| {
        let broken = server
            .findings
            .iter()
            .find(|finding| finding.tool.as_ref() == Some(name) && finding.severity == Severity::Error);
        let standing = server.standings.iter().find(|standing| is_full && standing.tool == *name);
        let (status, detail) = match (broken, standing) {
            (Some(finding), _) => ("fail", Some(format!("{}: {}", finding.rule.code(), finding.message))),
            (None, Some(tool)) if matches!(tool.standing, Standing::Unverified | Standing::NotCalled) => {
                ("skipped", Some(format!("{}: {}", tool.standing.words(), tool.reason)))
            }
            (None, _) => ("pass", None),
        };
        let made = || server.made.iter().filter(|call| call.tool == *name);
        let ms = made().next().is_some().then(|| made().map(|call| call.ms).sum());
        Item { kind: "tool", name: name.clone(), status, detail, ms, calls: made().map(called).collect() }
    };
    server.tools.iter().map(item).collect()
}

/// The lists besides tools and, in a full sweep, the first resource and the first prompt that needs nothing.
async fn others(connection: &Connection, request: &Request, is_full: bool) -> Vec<Item> {
    let upstream = &connection.upstream;
    let Some(facts) = upstream.facts() else { return Vec::new() };
    // A tool may have ended the server; that is told about the tool.
    if !check::revive(upstream).await {
        let gone = |method: &str| Item {
            kind: "list",
            name: method.to_owned(),
            status: "skipped",
            detail: Some("the server ended before and does not come back".to_owned()),
            ms: None,
            calls: Vec::new(),
        };
        let lists = [("resources", "resources/list"), ("prompts", "prompts/list")];
        return lists.iter().filter(|(has, _)| facts.has(has)).map(|(_, method)| gone(method)).collect();
    }
    let mut items = Vec::new();
    if facts.has("resources") {
        let started = Moment::now();
        let listed = upstream.resources(request.options()).await;
        items.push(list_item("resources/list", &listed, started));
        let first = listed.ok().and_then(|listed| text(listed.first()?, "uri"));
        if let (true, Some(uri)) = (is_full, first) {
            let started = Moment::now();
            let read = upstream.read_resource(&uri, request.options()).await;
            connection.statistics.count(if read.is_ok() { Count::ResourceRead } else { Count::Error });
            items.push(outcome_item("resource", uri, &read, started));
        }
        let started = Moment::now();
        let listed = upstream.resource_templates(request.options()).await;
        items.push(list_item("resources/templates/list", &listed, started));
    }
    if facts.has("prompts") {
        let started = Moment::now();
        let listed = upstream.prompts(request.options()).await;
        items.push(list_item("prompts/list", &listed, started));
        let first =
            listed.ok().and_then(|listed| text(listed.iter().find(|prompt| needs_nothing(prompt))?, "name"));
        if let (true, Some(name)) = (is_full, first) {
            let started = Moment::now();
            let got = upstream.get_prompt(&name, None, request.options()).await;
            connection.statistics.count(if got.is_ok() { Count::PromptRetrieved } else { Count::Error });
            items.push(outcome_item("prompt", name, &got, started));
        }
    }
    items
}

fn list_item(method: &str, listed: &Result<Vec<RawJson>, CallError>, started: Moment) -> Item {
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
) -> Item {
    let detail = outcome.as_ref().err().map(|error| in_full(error));
    let status = if detail.is_none() { "pass" } else { "fail" };
    Item { kind, name, status, detail, ms: Some(started.elapsed_ms()), calls: Vec::new() }
}

fn needs_nothing(prompt: &RawJson) -> bool {
    let arguments = prompt.member("arguments").and_then(|arguments| arguments.value().ok());
    let arguments = arguments.as_ref().and_then(Value::as_array).into_iter().flatten();
    !arguments.into_iter().any(|argument| argument["required"] == true)
}
