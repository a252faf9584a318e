//! What the executor's own tools do: `execute_program`, `check_program`, `inspect_tool`, `list_callable_tools`,
//! `search_tools`.

mod lasting;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::approval::ApprovalQuestion;
use mortise_contract::lock::Deviation;
use mortise_contract::unwrap::delivered_schema;
use mortise_script::ProgramError;
use mortise_server::{Answer, CallContext, Content, ProtocolError, Reply};
use mortise_typecheck::CheckMode;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::check::{self, CheckFacts, CheckedFacts};
use crate::declare::{
    CheckProgramInput, ExecuteProgramInput, InspectToolInput, ListCallableToolsInput, SearchToolsInput,
};
use crate::detail::{FoundTool, SearchResults, ToolDetail};
use crate::inspect;
use crate::journal::{RunId, RunOrigin};
use crate::ledger::LedgerSummary;
use crate::limits::PROGRAM_WAIT;
use crate::progress::RunProgress;
use crate::registry::ToolSnapshot;
use crate::report::{self, RunText};
use crate::run::{ExecuteError, Executor, Run, RunOutcome};
use crate::server_status::is_away;
use crate::starting::{away_and_named, away_lines, settled, starting_and_unknown};
use crate::tools::{ANSWER_META, LEDGER_META, RunTrace};

/// Names that one line about many tools shows.
const LINE_NAMES: usize = 10;

/// The tools over an [`Executor`].
#[derive(Debug)]
pub(crate) struct ProgramTools {
    pub(crate) executor: Arc<Executor>,
    pub(crate) trace: RunTrace,
}

// The facts of `execute_program`.
#[derive(Serialize)]
struct ProgramFacts<'a> {
    ok: bool,
    output: &'a str,
    truncated: bool,
    result: Option<&'a RawJson>,
    error: Option<ProgramErrorFacts<'a>>,
    ledger: LedgerSummary<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckFacts<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    cuts: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<WaitsFor<'a>>,
}

/// The question that a run waits for.
#[derive(Serialize)]
struct WaitsFor<'a> {
    id: &'a str,
    question: &'a ApprovalQuestion,
    why: &'a str,
}

#[derive(Serialize)]
struct ProgramErrorFacts<'a> {
    r#type: &'a str,
    message: &'a str,
    line: Option<u32>,
}

// The facts of `list_callable_tools`.
#[derive(Serialize)]
struct CallableFacts<'a> {
    tools: Vec<&'a str>,
    unavailable: Vec<UnavailableServer<'a>>,
    renamed: Vec<RenamedFacts<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    held: Vec<DeviatingTool<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<DeviatingTool<'a>>,
}

#[derive(Serialize)]
struct UnavailableServer<'a> {
    server: &'a str,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct RenamedFacts<'a> {
    name: &'a str,
    server: &'a str,
    wire_name: &'a str,
}

#[derive(Serialize)]
struct DeviatingTool<'a> {
    name: &'a str,
    reason: String,
}

// The facts of `search_tools`.
#[derive(Serialize)]
struct SearchFacts {
    tools: Vec<FoundTool>,
    total: usize,
}

impl ProgramTools {
    pub(crate) async fn execute_program(&self, input: ExecuteProgramInput, context: CallContext) -> Reply {
        let (progress, shown) = watch::channel(RunProgress::default());
        let cancel = context.cancellation().child_token();
        let outlives = input.outlive_client.unwrap_or_default();
        let yields = input.yield_seconds.or_else(|| outlives.then_some(PROGRAM_WAIT.as_secs_f64()));
        let run = Run {
            source: input.code,
            origin: RunOrigin::Client,
            timeout: input.timeout_seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            check: input.check.map(CheckMode::from),
            context: Some(context.clone()),
            ..Run::default()
        };
        if let Some(seconds) = yields {
            return self.execute_in_background(run, seconds, outlives, &context).await;
        }
        let running = self.executor.run_program(run, (), progress, &cancel);
        let left = async {
            // Nothing reads what comes of it, and what it still calls may have effects.
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

    pub(crate) fn answer(&self, outcome: &RunOutcome) -> Answer {
        let RunOutcome { report, ledger, checked, .. } = outcome;
        let cuts = report::cuts(outcome);
        let trace = (self.trace == RunTrace::Summary).then(|| ledger.trace(report.stats.wall));
        let text = RunText {
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
        let how = report::how_to_answer(outcome);
        let unrecorded = outcome.unrecorded.as_ref();
        let unrecorded = unrecorded.map(|error| format!("This run is not recorded as a whole: {error}."));
        for said in said.into_iter().flatten().chain(cuts.clone()).chain(how).chain(unrecorded) {
            answer = answer.and(Content::text(said));
        }
        let facts = ProgramFacts {
            ok: report.is_ok(),
            output: &report.output,
            truncated: report.truncated,
            result: report.emitted.as_ref(),
            error: report.error.as_ref().map(|error: &ProgramError| ProgramErrorFacts {
                r#type: &error.exception,
                message: &error.message,
                line: error.line,
            }),
            ledger: ledger.summary(report.output.len()),
            check: CheckFacts::of(checked),
            cuts: &cuts,
            run: outcome.run.as_ref(),
            waits_for: outcome.waits_for.as_ref().map(|waits_for| WaitsFor {
                id: waits_for.id.as_str(),
                question: &waits_for.question,
                why: &waits_for.why,
            }),
        };
        with_facts(with_facts(answer, ANSWER_META, &facts), LEDGER_META, &ledger.detail())
    }

    pub(crate) async fn check_program(
        self: Arc<Self>,
        input: CheckProgramInput,
        context: CallContext,
    ) -> Answer {
        let mode = input.check.map_or_else(|| self.executor.check_mode(), CheckMode::from);
        // A caller that asks for a check wants one.
        let mode = if mode == CheckMode::Off { CheckMode::Guard } else { mode };
        let report =
            self.executor.check_program(&input.code, mode, &[], Some(&context), context.cancellation()).await;
        let parts: Vec<String> =
            [report.refusal(), report.warning(), check::note(&report)].into_iter().flatten().collect();
        let text = if parts.is_empty() { "No problems found.".to_owned() } else { parts.join("\n\n") };
        with_facts(Answer::text(text), ANSWER_META, &CheckedFacts::of(&report, mode))
    }

    pub(crate) async fn inspect_tool(
        self: Arc<Self>,
        input: InspectToolInput,
        context: CallContext,
    ) -> Answer {
        let asked = input.tool_name.as_str();
        self.executor.started(asked, context.cancellation()).await;
        let snapshot = self.executor.registry().snapshot();
        let Some(tool) = snapshot.tool(asked) else {
            let servers = self.executor.registry().servers();
            let away =
                || away_and_named(&servers, asked).map(|server| format!("{}.", server.not_connected()));
            let why = snapshot.why_withheld(asked).or_else(away);
            return Answer::error(inspect::not_found(asked, why, &snapshot.similar(asked)));
        };
        let observed = self.executor.registry().observer().observed(&tool.contract);
        let shown = inspect::detailed(tool, snapshot.name_map(), input.detail, observed.as_deref());
        // Only a map whose keys are not strings has no JSON form.
        let text = serde_json::to_string_pretty(&shown).unwrap_or_default();
        let mut facts = inspect::detailed(tool, snapshot.name_map(), ToolDetail::Full, observed.as_deref());
        // The text shows an empty schema as none.
        facts.output_schema = delivered_schema(&tool.contract);
        let answer = with_facts(Answer::text(text), ANSWER_META, &facts);
        match &tool.deviation {
            Some(deviation) => {
                answer.and_text(format!("'{asked}' is offered, but {}.", deviation.sentence()))
            }
            None => answer,
        }
    }

    pub(crate) async fn list_callable_tools(
        self: Arc<Self>,
        _: ListCallableToolsInput,
        _: CallContext,
    ) -> Answer {
        let snapshot = self.executor.registry().snapshot();
        let servers = self.executor.registry().servers();
        let away = servers.iter().filter(|server| is_away(server));
        let facts = CallableFacts {
            tools: snapshot.names().iter().collect(),
            unavailable: away
                .map(|server| {
                    let state = server.state();
                    let server = server.name().as_str();
                    UnavailableServer { server, state: state.label(), error: state.reason() }
                })
                .collect(),
            renamed: (snapshot.renamed().iter())
                .map(|renamed| RenamedFacts {
                    name: renamed.callable.as_str(),
                    server: renamed.server.as_str(),
                    wire_name: renamed.tool.as_str(),
                })
                .collect(),
            held: snapshot.all_held().map(|(name, why)| deviating(name, why)).collect(),
            changed: (snapshot.tools().iter())
                .filter_map(|tool| Some(deviating(tool.callable.as_str(), tool.deviation.as_ref()?)))
                .collect(),
        };
        let mut answer = Answer::text(Value::from_iter(facts.tools.iter().copied()).to_string());
        for line in
            away_lines(&servers).into_iter().chain(renamed_line(&snapshot)).chain(lock_line(&snapshot))
        {
            answer = answer.and_text(line);
        }
        with_facts(answer, ANSWER_META, &facts)
    }

    pub(crate) async fn search_tools(
        self: Arc<Self>,
        input: SearchToolsInput,
        context: CallContext,
    ) -> Answer {
        let unknown = starting_and_unknown(&self.executor.registry().servers());
        context.cancellation().run_until_cancelled(settled(&unknown)).await;
        let snapshot = self.executor.registry().snapshot();
        let matching = snapshot.search(&input.query, usize::MAX);
        let shown = input.limit.min(matching.len());
        let observer = self.executor.registry().observer();
        let mut found = SearchResults::new(input.detail, snapshot.name_map(), &observer);
        for tool in &matching[..shown] {
            found.add(tool);
        }
        let (text, tools) = found.finish(matching.len() - shown);
        let text = if tools.is_empty() { format!("No tool matches `{}`.", input.query) } else { text };
        let answer = match lock_line(&snapshot) {
            Some(line) => Answer::text(text).and(Content::text(line)),
            None => Answer::text(text),
        };
        with_facts(answer, ANSWER_META, &SearchFacts { tools, total: snapshot.tools().len() })
    }
}

/// An answer with facts for programs. As text, since a value would round the numbers that a program emitted.
fn with_facts(answer: Answer, key: &str, facts: &impl Serialize) -> Answer {
    match RawJson::of(facts) {
        Ok(facts) => answer.meta_raw(key, &facts),
        Err(error) => {
            tracing::error!(%error, key, "an answer is sent without its facts");
            answer
        }
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

/// `a, b and 3 more`
fn some_of(names: &[String]) -> String {
    let shown = names.iter().take(LINE_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LINE_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Which tools have a callable name that was changed to keep it distinct.
fn renamed_line(snapshot: &ToolSnapshot) -> Option<String> {
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
fn lock_line(snapshot: &ToolSnapshot) -> Option<String> {
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

fn deviating<'a>(name: &'a str, deviation: &Deviation) -> DeviatingTool<'a> {
    DeviatingTool { name, reason: deviation.sentence() }
}
