//! The report for people: servers first, then what to do next, then the rest for those who ask.

use std::fmt::Write as _;

use crate::servers::{SameServers, WAYS};
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::{Mark, Terminal, Tint, escape};

use super::report::{DoctorReport, ServerHealth};

/// Tools shown per rule for approvals.
const NEEDING_TOOLS: usize = 5;
/// Problems shown per server.
const PROBLEMS: usize = 20;

const COLUMNS: [TableColumn; 5] = [
    TableColumn { title: "", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Server", tint: Some(Tint::Name), fit: Fit::Fixed },
    TableColumn { title: "Tools", tint: None, fit: Fit::Fixed },
    TableColumn { title: "Typed", tint: None, fit: Fit::Fixed },
    TableColumn { title: "State", tint: None, fit: Fit::Wraps },
];

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DoctorDetail {
    /// One row per server.
    Usual,
    /// Every problem, and where our own files lie.
    All,
}

/// The whole page.
pub(super) fn view(
    terminal: &Terminal,
    report: &DoctorReport,
    same: &SameServers,
    detail: DoctorDetail,
) -> String {
    let mut out = String::new();
    let mut table = TerminalTable::new(&COLUMNS, 0).right_aligned(&[2, 3]);
    for server in &report.servers {
        let count = |count: usize| if server.is_usable { count.to_string() } else { String::new() };
        table.marked_row(
            mark(server),
            [escape::line(&server.name), count(server.tools), count(server.typed), state(server, detail)],
        );
    }
    match table.is_empty() {
        true => out.push_str("No servers are configured.\n"),
        false => out.push_str(&table.render(terminal)),
    }
    needs(terminal, report, detail, &mut out);
    next(terminal, report, same, &mut out);
    match detail {
        DoctorDetail::Usual => {
            let more = "`mortise doctor -v` shows every problem, paths, the lock file and the interpreter";
            out.push('\n');
            out.push_str(&terminal.hang(&[], Some(Tint::Dim), more));
        }
        DoctorDetail::All => {
            problems(terminal, report, &mut out);
            setup(terminal, report, &mut out);
        }
    }
    out
}

/// What the calls of tools need, one line for each rule that decides.
fn needs(terminal: &Terminal, report: &DoctorReport, detail: DoctorDetail, out: &mut String) {
    if report.needs.is_empty() {
        return;
    }
    _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, "What calls in programs need"));
    let shown = if detail == DoctorDetail::All { usize::MAX } else { NEEDING_TOOLS };
    for need in &report.needs {
        let names: Vec<String> = need.tools.iter().take(shown).map(|tool| escape::line(tool)).collect();
        let more = need.tools.len().saturating_sub(shown);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let lead = format!("  {:<12} ", need.answer);
        let text = format!("{}{more}: {}", names.join(", "), escape::line(&need.by));
        out.push_str(&terminal.hang(&[(Some(Tint::Name), &lead)], None, &text));
    }
}

fn mark(server: &ServerHealth) -> Mark {
    match (server.is_usable, server.problems.is_empty()) {
        (false, _) => Mark::Bad,
        (true, false) => Mark::Warn,
        (true, true) => Mark::Good,
    }
}

/// The first problem, or how the server is reached.
fn state(server: &ServerHealth, detail: DoctorDetail) -> String {
    match server.problems.split_first() {
        Some((first, [])) => escape::line(first),
        Some((first, more)) if detail == DoctorDetail::Usual => {
            format!("{}; and {} more", escape::line(first), more.len())
        }
        Some((first, _)) => escape::line(first),
        None => {
            let protocol = server.protocol.as_deref().map(|version| format!("protocol {version}"));
            let parts = [Some(server.transport.to_owned()), protocol, server.program.clone()];
            let parts: Vec<String> = parts.into_iter().flatten().map(|part| escape::line(&part)).collect();
            format!("{}: {}", server.state, parts.join(", "))
        }
    }
}

/// Exact commands where there are any.
fn next(terminal: &Terminal, report: &DoctorReport, same: &SameServers, out: &mut String) {
    _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, "What to do next"));
    if report.servers.is_empty() {
        for way in WAYS {
            out.push_str(&terminal.marked(2, Mark::Note, way));
        }
        return;
    }
    for server in &report.servers {
        for advice in &server.advice {
            let advice = format!("{}: {}", escape::line(&server.name), escape::line(advice));
            out.push_str(&terminal.marked(2, Mark::Bad, &advice));
        }
    }
    if report.servers.iter().any(|server| server.is_usable) {
        for (word, why) in [("tools", "See what they offer"), ("check", "Do they keep their contracts?")] {
            out.push_str(&terminal.marked(2, Mark::Note, why));
            out.push_str(&terminal.command(4, &same.command(&[word])));
        }
    }
}

fn problems(terminal: &Terminal, report: &DoctorReport, out: &mut String) {
    for server in report.servers.iter().filter(|server| !server.problems.is_empty()) {
        _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, &escape::line(&server.name)));
        for problem in server.problems.iter().take(PROBLEMS) {
            let mark = if server.is_usable { Mark::Warn } else { Mark::Bad };
            out.push_str(&terminal.marked(2, mark, &escape::line(problem)));
        }
        if server.problems.len() > PROBLEMS {
            _ = writeln!(out, "  and {} more; see --json", server.problems.len() - PROBLEMS);
        }
    }
}

fn setup(terminal: &Terminal, report: &DoctorReport, out: &mut String) {
    _ = writeln!(out, "\n{}", terminal.paint(Tint::Heading, "Setup"));
    let mut fact = |name: &str, value: &str| {
        let lead = format!("  {name:<14} ");
        out.push_str(&terminal.hang(&[(Some(Tint::Dim), &lead)], None, &escape::line(value)));
    };
    fact("servers from", &report.setup.source);
    for (name, path) in &report.setup.directories {
        let path = path.as_ref().map_or_else(|| "none".to_owned(), |path| path.display().to_string());
        fact(name, &path);
    }
    fact("lock", &report.setup.lock);
    fact("python", &report.setup.python.told());
}
