//! What `mortise run` shows: output as it comes, then the result, the error and the ledger.

use std::time::Duration;

use mortise_contract::RawJson;
use mortise_executor::RunProgress;
use mortise_executor::check::{self, CheckFacts, CheckMode, CheckedFacts, TypecheckReport};
use mortise_executor::journal::RunId;
use mortise_executor::ledger::{CallFacts, LedgerSummary};
use mortise_executor::report::{cuts, effects, overwritten};
use mortise_executor::run::RunOutcome;
use mortise_script::Stream;
use serde::Serialize;

use crate::app::App;
use crate::failure::Failure;
use crate::terminal::spinner::Footer;
use crate::terminal::{Mark, StdoutReader, escape, json_view, pretty};

use super::explained::{self, ShownProgram};
use super::trace;

/// Prints a piece of output, unless it is collected for `--json`.
pub(super) fn live(
    app: &App,
    footer: &mut Footer<'_>,
    stream: Stream,
    text: &str,
) -> Result<StdoutReader, Failure> {
    if app.global.json {
        return Ok(StdoutReader::There);
    }
    match stream {
        Stream::Stdout => {
            if app.terminal.stdout_is_terminal() {
                footer.make_room(text);
            }
            app.print_live(&app.terminal.verbatim(text))
        }
        Stream::Stderr => {
            footer.make_room(text);
            app.terminal.stderr(&app.terminal.verbatim(text));
            Ok(StdoutReader::There)
        }
    }
}

/// The line that is shown while a program runs.
pub(super) fn progress(progress: &RunProgress, elapsed: Duration) -> String {
    let calls = if progress.done == 1 { "call" } else { "calls" };
    let mut line = format!("{} s, {} {calls} done", elapsed.as_secs(), progress.done);
    let in_flight: usize = progress.running.values().sum();
    if in_flight > 0 {
        let running: Vec<String> = progress
            .running
            .iter()
            .take(3)
            .map(|(tool, count)| if *count == 1 { tool.clone() } else { format!("{tool} ×{count}") })
            .collect();
        line.push_str(&format!(", {in_flight} in flight: {}", running.join(", ")));
        if progress.running.len() > running.len() {
            line.push_str(" …");
        }
    }
    line
}

/// Prints what there is to say once the program has ended.
pub(super) fn finish(
    app: &App,
    program: ShownProgram<'_>,
    trace: bool,
    outcome: &RunOutcome,
) -> Result<(), Failure> {
    if app.global.json {
        return app.print_json(&as_json(outcome));
    }
    let report = &outcome.report;
    if report.truncated {
        app.terminal.warn("the program printed more than is kept for a client; all of it is above");
    }
    if let Some(note) = overwritten(report) {
        app.terminal.warn(&note);
    }
    if let Some(emitted) = &report.emitted {
        app.print(&match app.terminal.stdout_is_terminal() {
            true => json_view::show(&app.terminal, emitted.text(), &[]).text,
            false => format!("{}\n", pretty::indent(emitted.text())),
        })?;
    }
    if !report.media.is_empty() {
        let media: Vec<String> = report.media.iter().map(medium).collect();
        app.terminal.note(&format!("the program emitted {}; --json shows it", media.join(", ")));
    }
    let terminal = app.terminal.for_stderr();
    app.terminal.stderr(&explained::warnings(&terminal, program, &outcome.checked));
    for said in [check::note(&outcome.checked), outcome.ledger.left_behind()].into_iter().flatten() {
        app.terminal.stderr(&terminal.marked(0, Mark::Note, &escape::text(&said)));
    }
    if let Some(error) = &report.error {
        app.terminal.stderr(&explained::failure(&terminal, program, error, &outcome.checked));
        for line in effects(&outcome.ledger) {
            app.terminal.stderr(&terminal.marked(0, Mark::Warn, &escape::text(&line)));
        }
    }
    if let Some(unrecorded) = &outcome.unrecorded {
        app.terminal.warn(&format!("the run is not recorded as a whole: {unrecorded}"));
    }
    if let (Some(waits_for), Some(run)) = (&outcome.waits_for, &outcome.run) {
        let id = &waits_for.id;
        app.terminal
            .note(&format!("to answer: mortise approvals allow {id} (or deny), then mortise resume {run}"));
    }
    if trace {
        app.terminal.stderr(&trace::view(&terminal, outcome));
    }
    Ok(())
}

/// `image/png (1,200 characters of Base64)`.
fn medium(block: &RawJson) -> String {
    let member = |name: &str| block.member(name).and_then(|value| value.value().ok());
    let text =
        |name: &str| member(name).and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
    format!("{} ({} characters of Base64)", escape::text(&text("mimeType")), text("data").len())
}

/// Prints what a check has found.
pub(super) fn checked(
    app: &App,
    program: ShownProgram<'_>,
    mode: CheckMode,
    report: &TypecheckReport,
) -> Result<(), Failure> {
    if app.global.json {
        return app.print_json(&written(&CheckedFacts::of(report, mode)));
    }
    let terminal = &app.terminal;
    let mut text = match report.is_refused() {
        true => explained::refusal(terminal, program, report),
        false => String::new(),
    };
    text.push_str(&explained::warnings(terminal, program, report));
    if let Some(note) = check::note(report) {
        text.push_str(&terminal.marked(0, Mark::Note, &escape::text(&note)));
    }
    app.print(&match (text.is_empty(), mode) {
        (true, CheckMode::Off) => terminal.marked(0, Mark::Note, "Nothing is checked: the check is off"),
        (true, _) => terminal.marked(0, Mark::Good, "No problems found"),
        (false, _) => text,
    })
}

// What `--json` prints of a run.
#[derive(Serialize)]
struct RunFacts<'a> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a RunId>,
    output: &'a str,
    truncated: bool,
    result: Option<&'a RawJson>,
    media: &'a [RawJson],
    error: Option<RunErrorFacts<'a>>,
    ledger: LedgerSummary<'a>,
    calls: Vec<CallFacts<'a>>,
    calls_omitted: usize,
    wall_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<CheckFacts<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cuts: Vec<String>,
}

#[derive(Serialize)]
struct RunErrorFacts<'a> {
    r#type: &'a str,
    message: &'a str,
    line: Option<u32>,
    traceback: &'a str,
}

fn as_json(outcome: &RunOutcome) -> String {
    let report = &outcome.report;
    let calls = outcome.ledger.every_call();
    written(&RunFacts {
        ok: report.is_ok(),
        run: outcome.run.as_ref(),
        output: &report.output,
        truncated: report.truncated,
        result: report.emitted.as_ref(),
        media: &report.media,
        error: report.error.as_ref().map(|error| RunErrorFacts {
            r#type: &error.exception,
            message: &error.message,
            line: error.line,
            traceback: &error.traceback,
        }),
        ledger: outcome.ledger.summary(report.output.len()),
        // Refused calls beyond the first hundred are only counted.
        calls_omitted: outcome.ledger.calls() - calls.len(),
        calls,
        wall_ms: u64::try_from(report.stats.wall.as_millis()).unwrap_or(u64::MAX),
        check: CheckFacts::of(&outcome.checked),
        cuts: cuts(outcome),
    })
}

fn written(facts: &impl Serialize) -> String {
    // Only a map whose keys are not strings has no JSON form.
    serde_json::to_string(facts).unwrap_or_default()
}
