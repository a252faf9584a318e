//! The listing for people.

use std::fmt::Write as _;
use std::sync::Arc;

use mortise_contract::contract::IssueSeverity;
use mortise_contract::{Contract, Shape};

use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Terminal, Tint, escape};

use crate::session::Connected;

/// Characters of a type in the table.
const TYPE_WIDTH: usize = 60;
/// Characters of a description in the table.
const DESCRIPTION_WIDTH: usize = 100;
/// Columns below which the arguments are left out.
const ROOM_FOR_ARGUMENTS: usize = 120;

const COLUMNS: [TableColumn; 4] = [
    TableColumn { title: "TOOL", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "TAKES", tint: None, fit: Fit::Wraps },
    TableColumn { title: "RETURNS", tint: Some(Tint::Type), fit: Fit::Wraps },
    TableColumn { title: "DESCRIPTION", tint: None, fit: Fit::Wraps },
];

/// All servers with their tools.
pub(super) fn view(terminal: &Terminal, servers: &[Connected]) -> String {
    let mut out = String::new();
    for (index, connected) in servers.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        server(terminal, connected, &mut out);
    }
    out
}

fn server(terminal: &Terminal, connected: &Connected, out: &mut String) {
    let upstream = &connected.upstream;
    let catalog = upstream.catalog();
    let name = terminal.paint(Tint::Heading, &escape::line(upstream.name().as_str()));
    match &connected.error {
        Some(error) => {
            let state = terminal.paint(Tint::Bad, upstream.state().label());
            _ = writeln!(out, "{name}  {state}\n  {}", escape::text(&error.to_string()));
        }
        None => _ = writeln!(out, "{name}  {}", terminal.paint(Tint::Dim, &summary(&catalog.contracts))),
    }
    let mut table = TerminalTable::new(&COLUMNS, 2);
    let has_room = terminal.width().is_none_or(|width| width >= ROOM_FOR_ARGUMENTS);
    for contract in &catalog.contracts {
        let takes = if has_room { takes(contract) } else { String::new() };
        table.row([escape::line(contract.name.as_str()), takes, returns(contract), about(contract)]);
    }
    if !table.is_empty() {
        out.push_str(&table.render(terminal));
    }
    for contract in &catalog.contracts {
        for issue in contract.issues.iter().filter(|issue| issue.severity != IssueSeverity::Note) {
            let name = escape::line(contract.name.as_str());
            let issue =
                format!("{name}: {} at {}", escape::line(&issue.message), escape::line(&issue.pointer));
            _ = writeln!(out, "  {} {issue}", terminal.paint(Tint::Warn, "!"));
        }
    }
    for rejected in &catalog.rejected {
        let name =
            rejected.name.as_deref().map_or_else(|| format!("element {}", rejected.position), escape::line);
        _ = writeln!(out, "  {} {name}: {}", terminal.paint(Tint::Warn, "!"), escape::line(&rejected.reason));
    }
}

/// `3 tools, 2 with output schema`.
pub(crate) fn summary(tools: &[Arc<Contract>]) -> String {
    let typed = tools.iter().filter(|contract| contract.declares_output()).count();
    match tools.len() {
        0 => "no tools".to_owned(),
        1 => format!("1 tool, {}", if typed == 1 { "with output schema" } else { "without output schema" }),
        count => format!("{count} tools, {typed} with output schema"),
    }
}

/// `ticker, limit?`.
fn takes(contract: &Contract) -> String {
    let Some(Shape::Object { fields, .. }) = contract.input_schema().map(Shape::of) else {
        return String::new();
    };
    let names: Vec<String> = fields
        .iter()
        .map(|field| escape::line(&field.name) + if field.required { "" } else { "?" })
        .collect();
    names.join(", ")
}

fn returns(contract: &Contract) -> String {
    match contract.output_schema() {
        Some(schema) => escape::line(&Shape::of(schema).one_line(TYPE_WIDTH)),
        None if contract.declares_output() => "unreadable".to_owned(),
        None => "-".to_owned(),
    }
}

/// The first sentence of the description, cut if it is long.
fn about(contract: &Contract) -> String {
    let text = contract.description().or(contract.title()).unwrap_or_default();
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default();
    let line = escape::line(paragraph);
    let sentence = line.find(". ").map_or(line.as_str(), |end| &line[..=end]);
    match sentence.char_indices().nth(DESCRIPTION_WIDTH) {
        Some((end, _)) => format!("{}…", sentence[..end].trim_end()),
        None => sentence.to_owned(),
    }
}
