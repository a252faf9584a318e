//! What is said about a program before it runs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mortise_contract::Mode;
use mortise_script::{FailureKind, MountedFile, ProgramError};
use mortise_server::CallContext;
pub use mortise_typecheck::{CheckMode, CheckRequest, ShapeBasis, TypecheckReport, TypecheckRule};
use mortise_typecheck::{
    CheckedTool, ObservedOutput, Outputs, TypecheckFinding, Unchecked, UnknownTool, named_tools,
};
use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::checker::CheckerPool;
use crate::limits::{OBSERVED_CHECK, OBSERVED_ENOUGH};
use crate::observed::Observer;
use crate::registry::{RegisteredTool, ToolSnapshot};
use crate::run::{Executor, RunOutcome, owner};
use crate::server_status::is_away;

/// The exception's class of a program that was refused.
const REFUSED: &str = "CheckError";

impl Executor {
    /// The processes that check programs.
    pub fn checker(&self) -> &CheckerPool {
        &self.checker
    }

    /// Checks a program over the tools as they are now, without running it. `files` are those that it could read,
    /// `context` is the request that asked for it, if a client did.
    pub async fn check_program(
        &self,
        source: &str,
        mode: CheckMode,
        files: &[MountedFile],
        context: Option<&CallContext>,
        cancel: &CancellationToken,
    ) -> TypecheckReport {
        let limit = self.limits().source;
        if source.len() > limit {
            return TypecheckReport {
                mode,
                ..TypecheckReport::unchecked(Unchecked::Length { length: source.len(), limit })
            };
        }
        self.started(source, cancel).await;
        let request = self.check_request(source, mode, &self.registry().snapshot(), files);
        self.run_check(request, &context.map(owner).unwrap_or_default(), Duration::MAX, cancel).await
    }

    /// The program with the tools that it names and the modules among its files; nothing of them if it is not checked.
    pub(crate) fn check_request(
        &self,
        source: &str,
        mode: CheckMode,
        snapshot: &ToolSnapshot,
        files: &[MountedFile],
    ) -> CheckRequest {
        if mode == CheckMode::Off {
            return CheckRequest::new("", mode);
        }
        let mut request = CheckRequest::new(source, mode);
        request.observed_within = Some(OBSERVED_CHECK);
        let module =
            |file: &MountedFile| file.path().trim_start_matches('/').strip_suffix(".py").map(str::to_owned);
        request.modules = files.iter().filter_map(module).collect();
        let away: Vec<String> = self
            .registry()
            .servers()
            .iter()
            .filter(|server| is_away(server))
            .map(|server| server.name().callable_prefix())
            .collect();
        let observer = self.registry().observer();
        for name in named_tools(source) {
            match snapshot.tool(&name) {
                Some(tool) => {
                    let observed = observed(tool, &observer).map(|observed| (name, observed));
                    request.observed.extend(observed);
                    request.tools.push(declared(tool));
                }
                // Calling it raises an error that says why.
                None if snapshot.held(&name).is_some() => {}
                // A server that is away may have it.
                None if away.iter().any(|prefix| name.starts_with(prefix)) => {}
                None => {
                    let similar = match request.unknown.len() < MOST_LIKENED {
                        true => snapshot.similar(&name).into_iter().map(str::to_owned).collect(),
                        false => Vec::new(),
                    };
                    let is_blocked = snapshot.is_blocked(&name);
                    request.unknown.push(UnknownTool { name, is_blocked, similar });
                }
            }
        }
        request
    }

    /// Checks a program of a session; it takes no longer than half of the program's own time.
    pub(crate) async fn run_check(
        &self,
        request: CheckRequest,
        session: &str,
        wall: Duration,
        cancel: &CancellationToken,
    ) -> TypecheckReport {
        let mode = request.mode;
        if mode == CheckMode::Off {
            return TypecheckReport::default();
        }
        let mut report = tokio::select! {
            report = self.checker.check_in_process(request, session, wall) => report,
            // The run beside it ends at once.
            () = cancel.cancelled() => return TypecheckReport::default(),
        };
        self.name_tools(&mut report);
        self.checks.count(&report, mode);
        report
    }

    /// Where a program calls a tool by the name that its server gives it, or as a tool of another server, says what the
    /// tool is called here. If several servers have it, all are named.
    fn name_tools(&self, report: &mut TypecheckReport) {
        let snapshot = self.registry().snapshot();
        let is_unknown = |finding: &&mut TypecheckFinding| {
            matches!(finding.rule, TypecheckRule::UnknownName | TypecheckRule::UnknownTool)
        };
        for finding in report.findings.iter_mut().filter(is_unknown).take(MOST_LIKENED) {
            let Some(ending) = meant_ending(finding) else { continue };
            let names = snapshot.tools().iter().map(|tool| tool.callable.as_str());
            let meant: Vec<&str> = names.filter(|name| name.ends_with(&ending)).collect();
            match meant.as_slice() {
                [] => {}
                [only] => finding.nearest = Some((*only).to_owned()),
                several => {
                    finding.nearest = None;
                    finding.message.push_str(&format!("; did you mean {}?", one_of(several)));
                }
            }
        }
    }
}

/// How the callable name ends that a program probably means; nothing if its server is right.
fn meant_ending(finding: &TypecheckFinding) -> Option<String> {
    let (start, length) = finding.caret;
    let mut shown = finding.excerpt.chars().skip(start);
    let written: String = shown.by_ref().take(length).collect();
    if finding.rule == TypecheckRule::UnknownName {
        return (shown.next() == Some('(')).then(|| format!("__{written}"));
    }
    let (server, tool) = finding.nearest.as_deref()?.rsplit_once("__")?;
    let is_same_server = written.rsplit_once("__").is_some_and(|(written, _)| written == server);
    (!is_same_server).then(|| format!("__{tool}"))
}

/// Names that one sentence offers.
const OFFERED: usize = 5;

/// ``a` or `b``, at most five.
fn one_of(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(OFFERED).map(|name| format!("`{name}`")).collect();
    shown.join(" or ")
}

/// Programs so far, by what came of their check.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    checked: AtomicU64,
    refused: AtomicU64,
    unchecked: AtomicU64,
}

impl Checks {
    /// Counts one, and says in the log what came of it: the rules, never a word of the program.
    fn count(&self, report: &TypecheckReport, mode: CheckMode) {
        let next = |counter: &AtomicU64| counter.fetch_add(1, Ordering::Relaxed) + 1;
        let checked_total = next(&self.checked);
        let mode = mode.as_str();
        let (refusals, warnings) = (report.refusals().count(), report.warnings().count());
        if let Some(why) = report.unchecked {
            let is_refused = report.is_refused();
            let (event, unchecked_total) = ("mortise.check.skipped", next(&self.unchecked));
            tracing::info!(event, mode, %why, is_refused, unchecked_total, checked_total, "a program was not checked");
        } else if refusals > 0 {
            let (event, refused_total) = ("mortise.check.rejected", next(&self.refused));
            let rules = rules(report);
            tracing::info!(
                event,
                mode,
                rules,
                refusals,
                warnings,
                refused_total,
                checked_total,
                "a program was refused"
            );
        } else {
            tracing::debug!(
                event = "mortise.check.passed",
                mode,
                warnings,
                checked_total,
                "a program was checked"
            );
        }
    }
}

/// The rules that refuse a program, each once.
fn rules(report: &TypecheckReport) -> String {
    let rules: BTreeSet<&str> = report.refusals().map(|finding| finding.rule.word()).collect();
    rules.into_iter().collect::<Vec<_>>().join(" ")
}

/// Unknown tools of one program that are compared with those that there are: with thousands of tools it takes time.
const MOST_LIKENED: usize = 5;

fn declared(tool: &RegisteredTool) -> CheckedTool {
    let outputs = match tool.upstream.mode(tool.contract.name.as_str()) {
        Mode::Off => Outputs::Unknown,
        _ => Outputs::Declared,
    };
    CheckedTool {
        callable: tool.callable.to_string(),
        server: tool.upstream.name().clone(),
        contract: tool.contract.clone(),
        outputs,
    }
}

/// What results of a tool were, if enough of them were seen and its server does not declare them.
fn observed(tool: &RegisteredTool, observer: &Observer) -> Option<ObservedOutput> {
    let shape = observer.observed(&tool.contract)?;
    let is_enough = shape.calls() >= OBSERVED_ENOUGH as u64;
    is_enough
        .then(|| ObservedOutput { schema: without_only_null(shape.schema().value), results: shape.calls() })
}

/// The schema in which a place that was always null may be anything: what it is otherwise was not seen yet.
fn without_only_null(schema: Value) -> Value {
    match schema {
        Value::Object(members) if members.get("type").is_some_and(|kind| kind == "null") => json!({}),
        Value::Object(members) => {
            members.into_iter().map(|(name, member)| (name, without_only_null(member))).collect()
        }
        other => other,
    }
}

/// The outcome of a program that is refused; nothing if it may run.
pub(crate) fn refused(checked: &TypecheckReport) -> Option<RunOutcome> {
    let traceback = checked.refusal()?;
    let (message, line) = match (checked.refusals().next(), checked.missing_check()) {
        (Some(first), _) => (first.message.clone(), u32::try_from(first.line).ok()),
        (None, Some(why)) => (format!("the program could not be checked: {why}"), None),
        (None, None) => return None,
    };
    let error =
        ProgramError { kind: FailureKind::Check, exception: REFUSED.to_owned(), message, traceback, line };
    Some(RunOutcome::not_run(error, checked.clone()))
}

/// A report as programs read it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckFacts<'a> {
    refusals: Vec<FindingFacts<'a>>,
    warnings: Vec<FindingFacts<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl<'a> CheckFacts<'a> {
    /// Nothing where there is nothing to say.
    pub fn of(report: &'a TypecheckReport) -> Option<Self> {
        if report.findings.is_empty() && report.unchecked.is_none() {
            return None;
        }
        Some(Self {
            refusals: report.refusals().map(FindingFacts::of).collect(),
            warnings: report.warnings().map(FindingFacts::of).collect(),
            omitted: Some(report.omitted).filter(|omitted| *omitted > 0),
            note: report.unchecked.map(not_checked),
        })
    }
}

/// A report as programs read it that asked for a check only.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedFacts<'a> {
    #[serde(flatten)]
    check: CheckFacts<'a>,
    ok: bool,
    mode: &'static str,
}

impl<'a> CheckedFacts<'a> {
    /// What a check in this mode has found.
    pub fn of(report: &'a TypecheckReport, mode: CheckMode) -> Self {
        let check = CheckFacts::of(report).unwrap_or_default();
        Self { check, ok: !report.is_refused(), mode: mode.as_str() }
    }
}

#[derive(Clone, Debug, Serialize)]
struct FindingFacts<'a> {
    rule: &'static str,
    line: usize,
    column: usize,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    declared: Option<&'a str>,
    /// In place of `declared`, where no server declares what the finding rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<&'a str>,
}

impl<'a> FindingFacts<'a> {
    fn of(finding: &'a TypecheckFinding) -> Self {
        let shape = finding.declared.as_deref();
        Self {
            rule: finding.rule.word(),
            line: finding.line,
            column: finding.column,
            message: &finding.message,
            declared: shape.filter(|_| finding.basis == ShapeBasis::Declared),
            observed: shape.filter(|_| finding.basis == ShapeBasis::Observed),
            nearest: finding.nearest.as_deref(),
        }
    }
}

/// Why the program was not checked, in a sentence; nothing if that refused it, since the refusal says so.
pub fn note(report: &TypecheckReport) -> Option<String> {
    let why = report.unchecked.filter(|_| !report.is_refused())?;
    Some(not_checked(why))
}

fn not_checked(why: Unchecked) -> String {
    format!("The program was not checked: {why}.")
}

#[cfg(test)]
mod tests;
