//! The executor as a tool set: `execute_program`, `check_program`, `inspect_tool`, `list_callable_tools`, `search_tools`.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use futures::future::join_all;
use mortise_client::{CallOptions, Upstream};
use mortise_contract::lock::Deviation;
use mortise_contract::unwrap::delivered_schema;
use mortise_contract::{RawJson, ServerName, ToolCall};
use mortise_script::ProgramError;
use mortise_server::{
    Answer, CallContext, ChangeSignal, Changes, Content, LogLevel, ProtocolError, Reply, ToolList, ToolSet,
};
use mortise_typecheck::CheckMode;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::check;
use crate::declare::contracts;
use crate::description::{AwayServers, ServerTools, description};
use crate::detail::{Detail, Found};
use crate::expose::Exposed;
use crate::host::RunProgress;
use crate::inspect;
use crate::limits::FIRST_LIST;
use crate::registry::Snapshot;
use crate::report::{self, Report};
use crate::run::{ExecuteError, Executor, Run, RunOutcome};
use crate::server_status::{is_away, status};
use crate::starting::{away_and_named, away_lines, away_servers, settled, starting_and_unknown};

/// The key of an answer's facts in its `_meta`, as one object for programs. Models read the text.
///
/// It is not `structuredContent`: most clients show a model that in place of the text.
pub const ANSWER_META: &str = "mortise/answer";
/// The key of the call-by-call ledger in a result's `_meta`.
pub const LEDGER_META: &str = "mortise/ledger";

/// How long a server may take to hear which log messages are wanted.
const LOG_LEVEL_TIME: Duration = Duration::from_secs(2);
/// Tools found by `search_tools` unless the caller says how many.
const FOUND: usize = 10;

/// Whether the text of a result ends with a summary of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Trace {
    /// It does not: the text is exactly what the program printed.
    #[default]
    Off,
    /// It does.
    Summary,
}

/// Serves an [`Executor`].
#[derive(Debug)]
pub struct ExecutorTools {
    executor: Arc<Executor>,
    exposed: ArcSwap<Exposed>,
    trace: Trace,
    changes: ChangeSignal,
    listed: Mutex<Option<LatestList>>,
    /// Until when lists wait for servers that start: counted from the first.
    first_list: OnceLock<Instant>,
    /// The most detailed log messages that a client wants.
    log_level: Mutex<Option<LogLevel>>,
}

/// The list that was made last, and what it was made of.
#[derive(Debug)]
struct LatestList {
    snapshot: Arc<Snapshot>,
    away: AwayServers,
    list: Arc<ToolList>,
}

impl ExecutorTools {
    /// The tools of this executor, with some tools of its servers offered beside them.
    pub fn new(executor: Arc<Executor>, exposed: Exposed, trace: Trace) -> Self {
        let exposed = ArcSwap::from_pointee(exposed);
        let (listed, log_level) = (Mutex::default(), Mutex::default());
        let (changes, first_list) = (ChangeSignal::new(), OnceLock::new());
        Self { executor, exposed, trace, changes, listed, first_list, log_level }
    }

    /// Who runs the programs.
    pub fn executor(&self) -> &Arc<Executor> {
        &self.executor
    }

    /// Offers other tools directly from now on, and tells clients that the list has changed.
    pub fn set_exposed(&self, exposed: Exposed) {
        self.exposed.store(Arc::new(exposed));
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.changes.fire();
    }

    /// Whether a server has a tool that is offered directly.
    pub(crate) fn is_exposed(&self, server: &ServerName) -> bool {
        self.exposed.load().includes(&self.executor.registry().snapshot(), server)
    }

    /// Fired by whoever sees that a server's tools have changed; our own list shows them.
    pub fn change_signal(&self) -> ChangeSignal {
        self.changes.clone()
    }

    /// Says to a server which log messages clients want, if any has said so.
    pub(crate) async fn tell_log_level(&self, upstream: &Upstream) {
        let level = *self.log_level.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(level) = level.filter(|_| upstream.state().is_usable()) else { return };
        let options = CallOptions { timeout: Some(LOG_LEVEL_TIME), ..CallOptions::default() };
        if let Err(error) = upstream.set_log_level(level.as_str(), options).await {
            tracing::warn!(server = %upstream.name(), %error, "it was not told which log messages are wanted");
        }
    }

    async fn execute_program(&self, context: CallContext) -> Reply {
        let arguments = context.arguments();
        let source = text(arguments.get("code"));
        let timeout = arguments
            .get("timeout_seconds")
            .and_then(Value::as_f64)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let (progress, shown) = watch::channel(RunProgress::default());
        let cancel = context.cancellation().child_token();
        let check = mode(arguments.get("check"));
        let run = Run { source, timeout, check, context: Some(context.clone()), ..Run::default() };
        let running = self.executor.run(run, (), progress, &cancel);
        let left = async {
            // Nobody will read what comes of it, and what it still calls may have effects.
            context.client_left().cancelled().await;
            cancel.cancel();
            std::future::pending::<Infallible>().await
        };
        let outcome = tokio::select! {
            outcome = running => outcome,
            never = left => match never {},
            never = report_progress(&context, shown) => match never {},
        };
        match outcome {
            Ok(outcome) => self.answer(&outcome).into(),
            Err(ExecuteError::Busy(error)) => ProtocolError::overloaded(&error.to_string()).into(),
            Err(error) => Answer::error(format!("[Script execution failed]\n{error}")).into(),
        }
    }

    fn answer(&self, outcome: &RunOutcome) -> Answer {
        let RunOutcome { report, ledger, checked, .. } = outcome;
        let cuts = report::cuts(outcome);
        let trace = (self.trace == Trace::Summary).then(|| ledger.trace(report.stats.wall));
        let text = Report {
            output: &report.output,
            truncated: report.truncated,
            emitted: report.emitted.as_ref(),
            error: report.error.as_ref().map(|error| error.traceback.as_str()),
            called: Some(ledger),
            trace: trace.as_deref(),
        }
        .text();
        let mut answer = if report.is_ok() { Answer::text(text) } else { Answer::error(text) };
        for block in &report.media {
            answer = answer.and(Content::raw(block.clone()));
        }
        // Beside the text and not in it: the text is exactly what the program printed.
        let said = [checked.warning(), check::note(checked), ledger.left_behind()];
        for said in said.into_iter().flatten().chain(cuts.clone()) {
            answer = answer.and(Content::text(said));
        }
        let checked =
            check::shown(checked).map(|checked| format!(r#","check":{checked}"#)).unwrap_or_default();
        let cuts = if cuts.is_empty() { String::new() } else { format!(r#","cuts":{}"#, json!(cuts)) };
        // As text, since a value would round the numbers that the program emitted.
        let facts = format!(
            r#"{{"ok":{},"output":{},"truncated":{},"result":{},"error":{},"ledger":{}{checked}{cuts}}}"#,
            report.is_ok(),
            Value::from(report.output.as_str()),
            report.truncated,
            report.emitted.as_ref().map_or("null", |emitted| emitted.text()),
            json!(report.error.as_ref().map(shown_error)),
            ledger.summary(report.output.len()),
        );
        let answer = match RawJson::parse(&facts) {
            Ok(facts) => answer.meta_raw(ANSWER_META, &facts),
            Err(error) => {
                tracing::error!(%error, "an answer goes out without its facts");
                answer
            }
        };
        answer.meta(LEDGER_META, ledger.detail())
    }

    async fn check_program(&self, context: &CallContext) -> Answer {
        let arguments = context.arguments();
        let source = text(arguments.get("code"));
        let mode = mode(arguments.get("check")).unwrap_or_else(|| self.executor.check_mode());
        // Somebody who asks for a check wants one.
        let mode = if mode == CheckMode::Off { CheckMode::Guard } else { mode };
        let report =
            self.executor.check_only(&source, mode, &[], Some(context), context.cancellation()).await;
        let parts: Vec<String> =
            [report.refusal(), report.warning(), check::note(&report)].into_iter().flatten().collect();
        let text = if parts.is_empty() { "No problems found.".to_owned() } else { parts.join("\n\n") };
        let mut shown = check::shown(&report).unwrap_or_else(|| json!({ "refusals": [], "warnings": [] }));
        shown["ok"] = json!(!report.is_refused());
        shown["mode"] = json!(mode.as_str());
        Answer::text(text).meta(ANSWER_META, shown)
    }

    async fn inspect_tool(&self, context: &CallContext) -> Answer {
        let asked = text(context.arguments().get("tool_name"));
        self.executor.started(&asked, context.cancellation()).await;
        let snapshot = self.executor.registry().snapshot();
        let Some(tool) = snapshot.tool(&asked) else {
            let servers = self.executor.registry().servers();
            let away =
                || away_and_named(&servers, &asked).map(|server| format!("{}.", server.not_connected()));
            let why = snapshot.why_withheld(&asked).or_else(away);
            return Answer::error(inspect::not_found(&asked, why, &snapshot.similar(&asked)));
        };
        let detail = Detail::parse(context.arguments().get("detail"));
        let text = Value::Object(inspect::detailed(tool, snapshot.name_map(), detail));
        let mut facts = inspect::detailed(tool, snapshot.name_map(), Detail::Full);
        // The text shows an empty schema as none.
        facts.insert("outputSchema".to_owned(), json!(delivered_schema(&tool.contract)));
        let answer = Answer::text(format!("{text:#}")).meta(ANSWER_META, Value::Object(facts));
        match &tool.deviation {
            Some(deviation) => {
                answer.and_text(format!("'{asked}' is offered, but {}.", deviation.sentence()))
            }
            None => answer,
        }
    }

    fn list_callable_tools(&self) -> Answer {
        let snapshot = self.executor.registry().snapshot();
        let servers = self.executor.registry().servers();
        let unavailable: Vec<Value> = servers
            .iter()
            .filter(|server| is_away(server))
            .map(|server| {
                let mut shown = status(&server.state(), 0);
                let mut entry = json!({ "server": server.name().as_str(), "state": shown["state"].take() });
                if let Some(error) = shown.get_mut("error") {
                    entry["error"] = error.take();
                }
                entry
            })
            .collect();
        let renamed: Vec<Value> = snapshot
            .renamed()
            .iter()
            .map(|renamed| json!({ "name": renamed.callable.as_str(), "server": renamed.server.as_str(), "wire_name": renamed.tool.as_str() }))
            .collect();
        let names = Value::from_iter(snapshot.names().iter());
        let mut answer = Answer::text(names.to_string());
        for line in
            away_lines(&servers).into_iter().chain(renamed_line(&snapshot)).chain(lock_line(&snapshot))
        {
            answer = answer.and_text(line);
        }
        let held: Vec<Value> = snapshot.all_held().map(|(name, why)| deviating(name, why)).collect();
        let changed: Vec<Value> = (snapshot.tools().iter())
            .filter_map(|tool| Some(deviating(tool.callable.as_str(), tool.deviation.as_ref()?)))
            .collect();
        let mut shown = json!({ "tools": names, "unavailable": unavailable, "renamed": renamed });
        for (key, tools) in [("held", held), ("changed", changed)] {
            if !tools.is_empty() {
                shown[key] = Value::from(tools);
            }
        }
        answer.meta(ANSWER_META, shown)
    }

    async fn search_tools(&self, context: &CallContext) -> Answer {
        let unknown = starting_and_unknown(&self.executor.registry().servers());
        context.cancellation().run_until_cancelled(settled(&unknown)).await;
        let query = text(context.arguments().get("query"));
        let limit = context
            .arguments()
            .get("limit")
            .and_then(Value::as_u64)
            .and_then(|limit| usize::try_from(limit).ok());
        let snapshot = self.executor.registry().snapshot();
        let detail = Detail::parse(context.arguments().get("detail"));
        let matching = snapshot.search(&query, usize::MAX);
        let shown = limit.unwrap_or(FOUND).min(matching.len());
        let mut found = Found::new(detail, snapshot.name_map());
        for tool in &matching[..shown] {
            found.add(tool);
        }
        let (text, tools) = found.finish(matching.len() - shown);
        let text = if tools.is_empty() { format!("No tool matches `{query}`.") } else { text };
        let answer = match lock_line(&snapshot) {
            Some(line) => Answer::text(text).and(Content::text(line)),
            None => Answer::text(text),
        };
        answer.meta(ANSWER_META, json!({ "tools": tools, "total": snapshot.tools().len() }))
    }
}

impl ToolSet for ExecutorTools {
    fn tools(&self) -> Arc<ToolList> {
        let snapshot = self.executor.registry().snapshot();
        let away = away_servers(&self.executor.registry().servers());
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        match &*listed {
            Some(known) if Arc::ptr_eq(&known.snapshot, &snapshot) && known.away == away => {
                known.list.clone()
            }
            _ => {
                let exposed = self.exposed.load().contracts(&snapshot);
                let (held, direct) = (snapshot.all_held().len(), exposed.len());
                let own = contracts(&description(&by_server(&snapshot), held, direct, &away));
                let list = Arc::new(ToolList::forwarded(own.into_iter().chain(exposed)));
                *listed = Some(LatestList { snapshot, away, list: list.clone() });
                list
            }
        }
    }

    /// The first list of a client may be the only one, so it waits for tools that are not known at all.
    async fn ready_to_list(&self) {
        let end = *self.first_list.get_or_init(|| Instant::now() + FIRST_LIST);
        let unknown = starting_and_unknown(&self.executor.registry().servers());
        // What is still starting then is named as such in the list.
        let _ = tokio::time::timeout_at(end, settled(&unknown)).await;
    }

    async fn call(&self, call: ToolCall, context: CallContext) -> Reply {
        match call.tool.as_str() {
            "execute_program" => self.execute_program(context).await,
            "check_program" => self.check_program(&context).await.into(),
            "inspect_tool" => self.inspect_tool(&context).await.into(),
            "list_callable_tools" => self.list_callable_tools().into(),
            "search_tools" => self.search_tools(&context).await.into(),
            _ => self.exposed.load_full().call(&self.executor, call, &context).await,
        }
    }

    fn changes(&self) -> Changes {
        self.changes.changes()
    }

    async fn log_level(&self, level: LogLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
        let servers = self.executor.registry().servers();
        join_all(servers.iter().map(|upstream| self.tell_log_level(upstream))).await;
    }
}

/// Tells the client how far the program is, until the program ends.
async fn report_progress(context: &CallContext, mut shown: watch::Receiver<RunProgress>) -> Infallible {
    while shown.changed().await.is_ok() {
        let progress = shown.borrow_and_update().clone();
        let running: Vec<&str> = progress.running.keys().take(3).map(String::as_str).collect();
        let done = if progress.done == 1 {
            "1 call done".to_owned()
        } else {
            format!("{} calls done", progress.done)
        };
        let mut message = match running.as_slice() {
            [] => done,
            running => format!("{done}, running {}", running.join(", ")),
        };
        if let Some(said) = &progress.said {
            message.push_str("; ");
            message.push_str(said);
        }
        context.progress(progress.value(), None, Some(&message));
    }
    std::future::pending().await
}

fn shown_error(error: &ProgramError) -> Value {
    json!({ "type": error.exception, "message": error.message, "line": error.line })
}

/// The check that a caller asks for.
fn mode(value: Option<&Value>) -> Option<CheckMode> {
    value.and_then(Value::as_str).and_then(CheckMode::parse)
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Names that one line about many tools shows.
const LINE_NAMES: usize = 10;

/// `a, b and 3 more`
fn some_of(names: &[String]) -> String {
    let shown = names.iter().take(LINE_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LINE_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Which tools have a callable name that was changed to keep it distinct.
fn renamed_line(snapshot: &Snapshot) -> Option<String> {
    let renamed = snapshot.renamed().iter();
    let names: Vec<String> = renamed
        .map(|renamed| {
            // A server may name a tool with line breaks.
            let tool = renamed.tool.as_str().escape_debug();
            format!("{} is `{tool}` of server `{}`", renamed.callable, renamed.server)
        })
        .collect();
    (!names.is_empty()).then(|| format!("RENAMED to keep names distinct: {}", some_of(&names)))
}

/// Which tools the lock file holds back or finds changed.
fn lock_line(snapshot: &Snapshot) -> Option<String> {
    let names: Vec<String> = snapshot.deviations().map(|(name, _)| name.to_owned()).collect();
    let shown = some_of(&names);
    match (names.is_empty(), snapshot.all_held().len()) {
        (true, _) => None,
        (false, 0) => Some(format!("CHANGED since the lock file was written: {shown}")),
        (false, _) => Some(format!(
            "HELD BACK (new or changed since the lock file was written; inspect_tool says why): {shown}"
        )),
    }
}

fn deviating(name: &str, deviation: &Deviation) -> Value {
    json!({ "name": name, "reason": deviation.sentence() })
}

fn by_server(snapshot: &Snapshot) -> Vec<ServerTools<'_>> {
    let mut servers: Vec<ServerTools<'_>> = Vec::new();
    for tool in snapshot.tools() {
        let name = tool.upstream.name().as_str();
        match servers.iter_mut().find(|server| server.server == name) {
            Some(server) => server.tools.push(tool.callable.as_str()),
            None => servers.push(ServerTools { server: name, tools: vec![tool.callable.as_str()] }),
        }
    }
    servers
}
