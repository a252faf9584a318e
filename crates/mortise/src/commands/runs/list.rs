//! The list of runs.

use std::time::Duration;

use mortise_contract::text::cut;
use mortise_executor::journal::RunState;
use mortise_journal::{RunPage, RunQuery, RunSummary};
use serde_json::{Value, json};

use super::{ListRunsArgs, mark};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::overview::ago;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Tint, escape, units};

/// Characters of a program's first line and of an error.
const TITLE: usize = 80;
/// Runs that are read at once.
const PAGE: usize = 500;

const COLUMNS: [TableColumn; 7] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Run", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "When", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Caller", tint: None, fit: Fit::Wraps },
    TableColumn { title: "Calls", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Time", tint: None, fit: Fit::Fixed },
    TableColumn { title: "What", tint: None, fit: Fit::Wraps },
];

/// Prints the runs.
pub(super) fn run(app: &App, args: &ListRunsArgs) -> Result<Exit, Failure> {
    let (now, reader) = (journal::now_ms(), journal::reader(app)?);
    let mut query = RunQuery {
        state: args.state,
        caller: args.caller.clone(),
        since_ms: args.since.map(|since| since.ms(now)),
        tool: args.tool.clone(),
        ..RunQuery::default()
    };
    let mut runs: Vec<RunSummary> = Vec::new();
    let mut is_more = true;
    while is_more && runs.len() < args.limit {
        query.limit = (args.limit - runs.len()).min(PAGE);
        let RunPage { runs: found, next } = reader.list(&query).map_err(|error| journal::failed(&error))?;
        runs.extend(found);
        (query.after, is_more) = (next, next.is_some());
    }
    if app.global.json {
        let runs: Vec<Value> = runs.iter().map(entry).collect();
        app.print_json(&json!({ "runs": runs, "more": is_more }).to_string())?;
        return Ok(Exit::Ok);
    }
    if runs.is_empty() {
        app.terminal.note(match is_filtered(args) {
            true => "no run fits: `mortise runs` lists all",
            false => "no run is recorded yet: `mortise run` and `mortise serve` record what programs do",
        });
        return Ok(Exit::Ok);
    }
    let mut text = table(&runs, now).render(&app.terminal);
    if is_more {
        let more = format!("and older ones: --limit {}", args.limit.saturating_mul(5));
        text.push_str(&format!("{}\n", app.terminal.paint(Tint::Dim, &more)));
    }
    app.print_paged(&text)?;
    Ok(Exit::Ok)
}

fn is_filtered(args: &ListRunsArgs) -> bool {
    args.state.is_some() || args.caller.is_some() || args.since.is_some() || args.tool.is_some()
}

fn table(runs: &[RunSummary], now: u64) -> TerminalTable {
    let mut table = TerminalTable::new(&COLUMNS, 0).right_aligned(&[4, 5]);
    for run in runs {
        let calls = match run.failed_calls {
            0 => run.calls.to_string(),
            failed => format!("{} ({failed} failed)", run.calls),
        };
        let time = run.wall_ms.map(|wall| units::time(Duration::from_millis(wall))).unwrap_or_default();
        table.marked_row(
            mark(run.state),
            [
                run.id.to_string(),
                ago(Duration::from_millis(now.saturating_sub(run.begun_ms))),
                escape::line(&run.caller),
                calls,
                time,
                escape::line(&what(run)),
            ],
        );
    }
    table
}

/// `report.py: page = await … · interrupted`.
fn what(run: &RunSummary) -> String {
    let title = cut(&run.title, TITLE);
    let mut text = match run.name.as_str() {
        "" | "<program>" => title,
        name => format!("{name}: {title}"),
    };
    let state = run.state.as_str();
    match (&run.error, run.state) {
        (Some(error), RunState::Failed | RunState::Refused) => {
            text.push_str(&format!(" · {}", cut(error, TITLE)))
        }
        (_, RunState::Succeeded) => {}
        _ => text.push_str(&format!(" · {state}")),
    }
    if !run.is_complete {
        text.push_str(" · entries are missing");
    }
    text
}

fn entry(run: &RunSummary) -> Value {
    json!({
        "id": run.id,
        "begun_ms": run.begun_ms,
        "state": run.state,
        "whole": run.is_complete,
        "process": run.process,
        "origin": run.origin,
        "caller": run.caller,
        "name": run.name,
        "title": run.title,
        "calls": run.calls,
        "failed_calls": run.failed_calls,
        "wall_ms": run.wall_ms,
        "ended_ms": run.ended_ms,
        "error": run.error,
        "bytes": run.bytes,
    })
}
