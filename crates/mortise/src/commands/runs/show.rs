//! One run: its program, calls, decisions, output and end.

use std::fmt::Write as _;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::text::cut;
use mortise_executor::journal::{ContractUse, KeptRun, RunEnd, RunEntry, RunOrigin, RunState};
use serde::Serialize;

use super::calls::{CallView, calls};
use super::mark;
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::overview::ago;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::units::{self, counted};
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Characters of arguments and decisions that are shown; `--json` has all.
const SHOWN: usize = 200;

const COLUMNS: [TableColumn; 5] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Tool", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Time", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Size", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Arguments", tint: None, fit: Fit::Wraps },
];

/// Prints the run.
pub(super) fn run(app: &App, run: &KeptRun) -> Result<Exit, Failure> {
    if app.global.json {
        let text = serde_json::to_string(&RunView::of(run))
            .map_err(|error| Failure::new(Exit::Bug, "the run can't be written as JSON").because(&error))?;
        app.print_json(&text)?;
        return Ok(Exit::Ok);
    }
    app.print_paged(&page(&app.terminal, run, journal::now_ms()))?;
    Ok(Exit::Ok)
}

fn page(terminal: &Terminal, run: &KeptRun, now: u64) -> String {
    let mut out = terminal.marked(0, mark(run.state), &heading(run, now));
    if !run.is_complete {
        let text = "the journal could not be written while it ran, so entries are missing: it can't be resumed or replayed";
        out.push_str(&terminal.marked(2, Mark::Warn, text));
    }
    part(&mut out, terminal, "Program");
    out.push_str(&numbered(terminal, &run.begun.source));
    if calls(run).is_empty() {
        part(&mut out, terminal, "No calls");
    } else {
        part(&mut out, terminal, "Calls");
        out.push_str(&call_table(run).render(terminal));
    }
    let decisions = decisions(run);
    if !decisions.is_empty() {
        part(&mut out, terminal, "Decisions");
        for (word, json) in decisions {
            let lead = format!("  {word}: ");
            let text = escape::line(&cut(json.text(), SHOWN));
            out.push_str(&terminal.hang(&[(Some(Tint::Dim), &lead)], None, &text));
        }
    }
    let output = output(run);
    if !output.is_empty() {
        part(&mut out, terminal, "Output");
        out.push_str(&escape::text(&output));
        if !output.ends_with('\n') {
            out.push('\n');
        }
    }
    if let Some(end) = run.end() {
        ending(&mut out, terminal, end);
    }
    if matches!(run.state, RunState::Interrupted | RunState::Waiting) && run.is_complete {
        part(&mut out, terminal, &format!("mortise resume {} goes on with it", run.id));
    }
    out
}

/// `7k2m9q4x0abc succeeded · 5 min ago · 1.2 s · 3 calls · report.py`.
fn heading(run: &KeptRun, now: u64) -> String {
    let begun = &run.begun;
    let mut parts = vec![format!("{} {}", run.id, run.state.as_str())];
    parts.push(ago(Duration::from_millis(now.saturating_sub(begun.at_ms))));
    if let Some(end) = run.end() {
        parts.push(units::time(Duration::from_millis(end.wall_ms)));
    }
    parts.push(counted(calls(run).len(), "call"));
    if !matches!(begun.name.as_str(), "" | "<program>") {
        parts.push(escape::line(&begun.name));
    }
    match begun.origin {
        RunOrigin::Shell => {}
        RunOrigin::Client if begun.caller.is_empty() => parts.push("for an agent".to_owned()),
        RunOrigin::Client => parts.push(format!("for {}", escape::line(&begun.caller))),
    }
    parts.join(" · ")
}

fn part(out: &mut String, terminal: &Terminal, title: &str) {
    _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, title));
}

/// The source with the number of each line.
fn numbered(terminal: &Terminal, source: &str) -> String {
    let width = source.lines().count().to_string().len();
    let line = |(index, line): (usize, &str)| {
        let number = format!("{:>width$}", index + 1);
        format!("  {}  {}\n", terminal.paint(Tint::Dim, &number), escape::line(line))
    };
    source.lines().enumerate().map(line).collect()
}

fn call_table(run: &KeptRun) -> TerminalTable {
    let mut table = TerminalTable::new(&COLUMNS, 0).right_aligned(&[2, 3]);
    for call in calls(run).values() {
        let (mark, words) = call.standing();
        let arguments = cut(call.arguments(), SHOWN);
        let words = words.map(|words| format!(" → {words}")).unwrap_or_default();
        let time = call.answer.map(|answer| units::time(Duration::from_millis(answer.elapsed_ms)));
        let size = call.answer.map(|answer| units::size(answer.bytes as u64));
        table.marked_row(
            mark,
            [
                escape::line(&call.tool()),
                time.unwrap_or_default(),
                size.unwrap_or_default(),
                escape::line(&format!("{arguments}{words}")),
            ],
        );
    }
    table
}

/// Questions and answers of people and rules, in order.
fn decisions(run: &KeptRun) -> Vec<(&'static str, &RawJson)> {
    let mut decisions = Vec::new();
    for entry in &run.entries {
        match entry {
            RunEntry::Asked(json) => decisions.push(("asked", json)),
            RunEntry::Decided(json) => decisions.push(("decided", json)),
            _ => {}
        }
    }
    decisions
}

/// What it printed: as its end has it, else as far as it came.
pub(super) fn output(run: &KeptRun) -> String {
    if let Some(end) = run.end() {
        return end.output.clone();
    }
    let printed = |entry: &RunEntry| match entry {
        RunEntry::Printed(text) => Some(text.clone()),
        _ => None,
    };
    run.entries.iter().filter_map(printed).collect()
}

fn ending(out: &mut String, terminal: &Terminal, end: &RunEnd) {
    if end.truncated {
        out.push_str(&terminal.marked(0, Mark::Warn, "it printed more, which was not kept"));
    }
    if let Some(emitted) = &end.emitted {
        part(out, terminal, "Emitted");
        out.push_str(&crate::terminal::json_view::show(terminal, emitted.text(), &[]).text);
    }
    if !end.media.is_empty() {
        part(out, terminal, &format!("{} emitted", counted(end.media.len(), "image or sound")));
    }
    if let Some(error) = &end.error {
        part(out, terminal, "Error");
        out.push_str(&terminal.marked(0, Mark::Bad, &escape::text(error.trim_end())));
    }
}

/// A run as `--json` has it.
#[derive(Serialize)]
struct RunView<'a> {
    id: &'a str,
    state: RunState,
    whole: bool,
    begun_ms: u64,
    origin: RunOrigin,
    caller: &'a str,
    name: &'a str,
    source: &'a str,
    arguments: &'a [String],
    files: Vec<&'a str>,
    contracts: &'a [ContractUse],
    calls: Vec<CallView<'a>>,
    decisions: Vec<DecisionView<'a>>,
    output: String,
    end: Option<&'a RunEnd>,
}

#[derive(Serialize)]
struct DecisionView<'a> {
    kind: &'static str,
    decision: &'a RawJson,
}

impl<'a> RunView<'a> {
    fn of(run: &'a KeptRun) -> Self {
        let kept = calls(run);
        Self {
            id: run.id.as_str(),
            state: run.state,
            whole: run.is_complete,
            begun_ms: run.begun.at_ms,
            origin: run.begun.origin,
            caller: &run.begun.caller,
            name: &run.begun.name,
            source: &run.begun.source,
            arguments: &run.begun.arguments,
            files: run.begun.files.iter().map(|file| file.path.as_str()).collect(),
            contracts: &run.begun.contracts,
            calls: kept.iter().map(|(id, call)| call.view(*id)).collect(),
            decisions: decisions(run)
                .into_iter()
                .map(|(kind, decision)| DecisionView { kind, decision })
                .collect(),
            output: output(run),
            end: run.end(),
        }
    }
}
