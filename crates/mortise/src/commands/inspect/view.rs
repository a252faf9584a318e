//! One tool's contract for people.

use std::fmt::Write as _;

use mortise_contract::contract::{Hints, IssueSeverity};
use mortise_contract::observed::ObservedShape;
use mortise_contract::schema::SchemaError;
use mortise_contract::shape::ShapeRow;
use mortise_contract::text::counted;
use mortise_contract::{Contract, Mode, Shape};

use crate::terminal::table::{Fit, TableColumn, TerminalTable, wrap};
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Characters of the output type beside its heading.
const TYPE_WIDTH: usize = 90;

/// What is shown beside the contract itself.
pub(super) struct Context<'a> {
    pub(super) server: &'a str,
    pub(super) callable: &'a str,
    pub(super) mode: Mode,
    /// The dialect of the output schema, or why it can't be used.
    pub(super) schema: &'a Option<Result<&'static str, SchemaError>>,
    /// What results were, where nothing is declared.
    pub(super) observed: Option<&'a ObservedShape>,
}

/// The whole page.
pub(super) fn view(terminal: &Terminal, contract: &Contract, context: &Context<'_>) -> String {
    let mut out = String::new();
    heading(terminal, contract, context, &mut out);
    if let Some(description) = contract.description() {
        out.push('\n');
        for line in escape::text(description.trim()).lines() {
            for part in wrap(line, terminal.width().unwrap_or(usize::MAX)) {
                _ = writeln!(out, "{}", part.trim_end());
            }
        }
    }
    out.push('\n');
    takes(terminal, contract, &mut out);
    out.push('\n');
    returns(terminal, contract, &mut out);
    out.push('\n');
    if let Some(shape) = context.observed {
        observed(terminal, shape, &mut out);
        out.push('\n');
    }
    checked(terminal, context, &mut out);
    issues(terminal, contract, &mut out);
    out
}

fn heading(terminal: &Terminal, contract: &Contract, context: &Context<'_>, out: &mut String) {
    let title = terminal.paint(Tint::Heading, &escape::line(contract.name.as_str()));
    _ = writeln!(out, "{title}");
    let mut fact = |name: &str, value: &str| {
        let lead = format!("  {name:<9} ");
        out.push_str(&terminal.hang(&[(Some(Tint::Dim), &lead)], None, &escape::line(value)));
    };
    fact("server", context.server);
    fact("callable", context.callable);
    if let Some(title) = contract.title() {
        fact("title", title);
    }
    fact("hints", &hints(contract.hints()));
}

fn hints(hints: Hints) -> String {
    let mut words = vec![match (hints.read_only, hints.destructive) {
        (true, _) => "read-only",
        (false, true) => "may destroy",
        (false, false) => "writes, does not destroy",
    }];
    if hints.idempotent {
        words.push("idempotent");
    }
    words.push(if hints.open_world { "reaches outside" } else { "stays inside" });
    words.join(", ")
}

fn takes(terminal: &Terminal, contract: &Contract, out: &mut String) {
    let title = terminal.paint(Tint::Heading, "Takes");
    let shape = contract.input_schema().map_or(Shape::Any, Shape::of);
    let rows = shape.rows();
    match (&shape, rows.is_empty()) {
        (Shape::Object { .. }, true) => _ = writeln!(out, "{title}  no arguments"),
        (_, true) => _ = writeln!(out, "{title}  {}", escape::line(&shape.one_line(TYPE_WIDTH))),
        (_, false) => {
            _ = writeln!(out, "{title}");
            out.push_str(&tree(terminal, "Argument", &rows, &DECLARED));
        }
    }
}

fn returns(terminal: &Terminal, contract: &Contract, out: &mut String) {
    let title = terminal.paint(Tint::Heading, "Returns");
    let Some(schema) = contract.output_schema() else {
        let why = match contract.unreadable_output() {
            Some(_) => "the server declares an output schema that can't be read",
            None => "the server declares no output schema",
        };
        _ = writeln!(out, "{title}  unknown: {why}");
        return;
    };
    typed(terminal, "Returns", &Shape::of(schema), &DECLARED, out);
}

/// What results were so far, in a section of its own: no server declares it.
fn observed(terminal: &Terminal, observed: &ObservedShape, out: &mut String) {
    typed(terminal, "Observed", &Shape::of(&observed.schema().value), &SEEN, out);
    let days = match (observed.first_day(), observed.last_day()) {
        (Some(first), Some(last)) if first == last => format!(" on {first}"),
        (Some(first), Some(last)) => format!(" from {first} to {last}"),
        _ => String::new(),
    };
    let part = if observed.is_sampled() { "; of large results a part" } else { "" };
    let results = counted(observed.calls(), "result");
    let note = format!("seen in {results}{days}{part}; the server does not declare it");
    out.push_str(&terminal.hang(&[(None, "  ")], Some(Tint::Dim), &note));
}

/// Whether a field is there, in a word for each answer.
struct PresenceWords {
    always: &'static str,
    at_times: &'static str,
}

const DECLARED: PresenceWords = PresenceWords { always: "required", at_times: "optional" };
const SEEN: PresenceWords = PresenceWords { always: "always", at_times: "at times" };

/// A type beside its heading, and its fields below.
fn typed(terminal: &Terminal, title: &str, shape: &Shape, presence: &PresenceWords, out: &mut String) {
    let width = terminal.width().unwrap_or(TYPE_WIDTH).saturating_sub(title.len() + 2).min(TYPE_WIDTH);
    let kind = terminal.paint(Tint::Type, &escape::line(&shape.one_line(width)));
    _ = writeln!(out, "{}  {kind}", terminal.paint(Tint::Heading, title));
    let rows = shape.rows();
    if !rows.is_empty() {
        out.push_str(&tree(terminal, "Field", &rows, presence));
    }
}

fn tree(terminal: &Terminal, first: &'static str, rows: &[ShapeRow], presence: &PresenceWords) -> String {
    let columns = [
        TableColumn { title: first, tint: Some(Tint::Name), fit: Fit::Fixed },
        TableColumn { title: "Type", tint: Some(Tint::Type), fit: Fit::Wraps },
        TableColumn { title: "", tint: Some(Tint::Dim), fit: Fit::Fixed },
        TableColumn { title: "Description", tint: None, fit: Fit::Wraps },
    ];
    let mut table = TerminalTable::new(&columns, 2);
    for row in rows {
        let needed = match row.required {
            Some(true) => presence.always,
            Some(false) => presence.at_times,
            None => "",
        };
        let description = [row.description.as_deref(), row.notes.as_deref()]
            .into_iter()
            .flatten()
            .map(escape::line)
            .collect::<Vec<_>>()
            .join(" · ");
        table.row([
            "  ".repeat(row.depth) + &escape::line(&row.name),
            escape::line(&row.kind),
            needed.to_owned(),
            description,
        ]);
    }
    table.render(terminal)
}

fn checked(terminal: &Terminal, context: &Context<'_>, out: &mut String) {
    let text = match (context.schema, context.mode) {
        (None, _) => "no: there is nothing to check results against".to_owned(),
        (Some(Err(reason)), _) => {
            format!("no: the output schema can't be used: {}", escape::line(&reason.to_string()))
        }
        (Some(Ok(_)), Mode::Off) => "no: switched off".to_owned(),
        (Some(Ok(dialect)), Mode::Warn) => {
            format!("every result, by JSON Schema {dialect}; a mismatch is reported and nothing is withheld")
        }
        (Some(Ok(dialect)), Mode::Strict) => {
            format!("every result, by JSON Schema {dialect}; a mismatch is an error")
        }
    };
    let lead = [(Some(Tint::Heading), "Checked"), (None, "  ")];
    out.push_str(&terminal.hang(&lead, None, &text));
}

fn issues(terminal: &Terminal, contract: &Contract, out: &mut String) {
    if contract.issues.is_empty() {
        return;
    }
    _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, "Issues"));
    for issue in &contract.issues {
        let mark = match issue.severity {
            IssueSeverity::Note => Mark::Note,
            IssueSeverity::Degraded => Mark::Warn,
            IssueSeverity::Unusable => Mark::Bad,
        };
        let word = severity(issue.severity);
        let text = format!("{}: {} ({word})", escape::line(&issue.pointer), escape::line(&issue.message));
        out.push_str(&terminal.marked(2, mark, &text));
    }
}

/// A word for how far an issue reaches.
pub(super) fn severity(severity: IssueSeverity) -> &'static str {
    match severity {
        IssueSeverity::Note => "note",
        IssueSeverity::Degraded => "degraded",
        IssueSeverity::Unusable => "unusable",
    }
}
