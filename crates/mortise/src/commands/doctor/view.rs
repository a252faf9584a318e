//! The report for people.

use std::fmt::Write as _;

use crate::servers::WAYS;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Terminal, Tint, escape};

use super::report::DoctorReport;

/// Problems shown per server.
const PROBLEMS: usize = 20;

const COLUMNS: [TableColumn; 7] = [
    TableColumn { title: "SERVER", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "STATE", tint: None, fit: Fit::Fixed },
    TableColumn { title: "OVER", tint: Some(Tint::Dim), fit: Fit::Fixed },
    TableColumn { title: "PROTOCOL", tint: Some(Tint::Dim), fit: Fit::Fixed },
    TableColumn { title: "TOOLS", tint: None, fit: Fit::Fixed },
    TableColumn { title: "TYPED", tint: None, fit: Fit::Fixed },
    TableColumn { title: "PROGRAM", tint: Some(Tint::Dim), fit: Fit::Wraps },
];

/// The whole page.
pub(super) fn view(terminal: &Terminal, report: &DoctorReport) -> String {
    let mut out = String::new();
    let mut fact = |name: &str, value: &str| {
        let name = terminal.paint(Tint::Dim, &format!("{name:<14}"));
        _ = writeln!(out, "{name} {}", escape::line(value));
    };
    fact("servers from", &report.setup.source);
    for (name, path) in &report.setup.directories {
        let path = path.as_ref().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
        fact(name, &path);
    }
    fact("lock", &report.setup.lock);
    fact("python", &report.setup.python.told());
    out.push('\n');
    let mut table = TerminalTable::new(&COLUMNS, 0);
    for server in &report.servers {
        table.row([
            escape::line(&server.name),
            server.state.to_owned(),
            server.transport.to_owned(),
            server.protocol.as_deref().map(escape::line).unwrap_or_default(),
            server.tools.to_string(),
            server.typed.to_string(),
            server.program.as_deref().map(escape::line).unwrap_or_default(),
        ]);
    }
    match table.is_empty() {
        true => {
            out.push_str("no servers are configured\n");
            WAYS.iter().for_each(|way| _ = writeln!(out, "  {way}"));
        }
        false => out.push_str(&table.render(terminal)),
    }
    problems(terminal, report, &mut out);
    out
}

fn problems(terminal: &Terminal, report: &DoctorReport, out: &mut String) {
    for server in report.servers.iter().filter(|server| !server.problems.is_empty()) {
        _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, &escape::line(&server.name)));
        for problem in server.problems.iter().take(PROBLEMS) {
            _ = writeln!(out, "  {} {}", terminal.paint(Tint::Warn, "!"), escape::line(problem));
        }
        if server.problems.len() > PROBLEMS {
            _ = writeln!(out, "  and {} more; see --json", server.problems.len() - PROBLEMS);
        }
    }
}
