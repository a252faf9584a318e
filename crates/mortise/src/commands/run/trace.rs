//! `--trace`: what a program called, in a table that fits the terminal.

use std::fmt::Write as _;
use std::time::Duration;

use mortise_executor::ledger::CallRecord;
use mortise_executor::run::RunOutcome;

use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::units::{self, counted};
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Most failures that are shown in full.
const FAILURES: usize = 5;

const COLUMNS: [TableColumn; 5] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Tool", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Time", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Size", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Arguments", tint: None, fit: Fit::Wraps },
];

/// Every call, then the sum and the first failures.
pub(super) fn view(terminal: &Terminal, outcome: &RunOutcome) -> String {
    let ledger = &outcome.ledger;
    let mut table = TerminalTable::new(&COLUMNS, 0).right_aligned(&[2, 3]);
    for record in ledger.records() {
        let (mark, verdict) = verdict(record);
        let verdict = verdict.map(|verdict| format!(" → {verdict}")).unwrap_or_default();
        let tool = record.tool.strip_prefix("mcp__").unwrap_or(&record.tool).replacen("__", "/", 1);
        table.marked_row(
            mark,
            [
                escape::line(&tool),
                units::time(Duration::from_millis(record.elapsed_ms)),
                units::size(record.bytes as u64),
                escape::line(&arguments(&record.arguments)) + &verdict,
            ],
        );
    }
    let mut out = if table.is_empty() { String::new() } else { table.render(terminal) };
    let mark = if ledger.failed() > 0 { Mark::Bad } else { Mark::Good };
    let sum = format!(
        "{}, {} failed · {}",
        counted(ledger.calls(), "call"),
        ledger.failed(),
        units::time(outcome.report.stats.wall)
    );
    out.push_str(&terminal.marked(0, mark, &sum));
    let mut failures = ledger.records().iter().filter_map(|record| record.error.as_deref());
    for error in failures.by_ref().take(FAILURES) {
        out.push_str(&terminal.marked(2, Mark::Bad, &escape::line(error)));
    }
    match failures.count() {
        0 => {}
        more => _ = writeln!(out, "  and {more} more"),
    }
    out
}

/// `city: "Oslo", limit: 4`, which breaks between words; a text that was cut stays as it is.
fn arguments(json: &str) -> String {
    match serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json) {
        Ok(members) => {
            members.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
        }
        Err(_) => json.to_owned(),
    }
}

/// How a call went, with a word where the mark does not say it all.
fn verdict(record: &CallRecord) -> (Mark, Option<String>) {
    let word = record.verdict.as_deref().map(|verdict| verdict.replace('_', " "));
    match (&record.error, record.verdict.as_deref()) {
        (Some(_), Some("valid" | "tool_error") | None) => (Mark::Bad, Some("failed".to_owned())),
        (Some(_), _) => (Mark::Bad, word),
        (None, Some("valid")) => (Mark::Good, None),
        (None, Some("invalid" | "missing" | "malformed" | "unexpected")) => (Mark::Bad, word),
        (None, Some("no_schema" | "off") | None) => (Mark::Note, word),
        (None, Some(_)) => (Mark::Warn, word),
    }
}
