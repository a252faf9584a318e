//! The report for a person at a terminal.

use std::fmt::Write as _;

use mortise_tester::check::{CheckReport, Finding, ServerReport, Severity};

use crate::terminal::{Terminal, Tint, escape};

/// Longest evidence shown; the reports have all of it.
const EVIDENCE: usize = 300;

/// The whole report.
pub(super) fn view(terminal: &Terminal, report: &CheckReport) -> String {
    let mut text = String::new();
    for server in &report.servers {
        section(&mut text, terminal, server);
    }
    let calls: u64 = report.servers.iter().map(|server| server.calls).sum();
    let counts = [
        (report.count(Severity::Error), "error", Tint::Bad),
        (report.count(Severity::Warning), "warning", Tint::Warn),
        (report.count(Severity::Info), "remark", Tint::Dim),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(count, word, tint)| {
            let shown = format!("{count} {word}{}", if count == 1 { "" } else { "s" });
            if count > 0 { terminal.paint(tint, &shown) } else { shown }
        })
        .collect();
    _ = writeln!(text, "{}; {calls} calls, seed {}", counts.join(", "), report.seed);
    text
}

fn section(text: &mut String, terminal: &Terminal, server: &ServerReport) {
    let about =
        server.about.as_deref().map(|about| format!(" ({})", escape::line(about))).unwrap_or_default();
    let name = escape::line(&server.server);
    _ = writeln!(
        text,
        "{}{about}: {} tools, {} calls",
        terminal.paint(Tint::Name, &name),
        server.tools.len(),
        server.calls
    );
    for finding in server.findings.iter() {
        told(text, terminal, finding);
    }
    for case in server.cases.iter().filter(|case| case.problem.is_none()) {
        let (mark, name) = (terminal.paint(Tint::Good, "passed").to_string(), escape::line(&case.name));
        _ = writeln!(text, "  {mark}  {name} ({} ms)", case.ms);
    }
    if !server.skipped.is_empty() {
        let heading = format!("  not called: {}", server.skipped.len());
        _ = writeln!(text, "{}", terminal.paint(Tint::Dim, &heading));
        for skipped in &server.skipped {
            let line = format!("    {}: {}", escape::line(&skipped.tool), escape::line(&skipped.reason));
            _ = writeln!(text, "{}", terminal.paint(Tint::Dim, &line));
        }
    }
    text.push('\n');
}

fn told(text: &mut String, terminal: &Terminal, finding: &Finding) {
    let (word, tint) = match finding.rule.severity() {
        Severity::Error => ("error", Tint::Bad),
        Severity::Warning => ("warning", Tint::Warn),
        Severity::Info => ("info", Tint::Dim),
    };
    let tool = finding.tool.as_deref().map(|tool| format!(" {}:", escape::line(tool))).unwrap_or_default();
    let times = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
    let label = format!("{word}[{}]", finding.rule.code());
    _ = writeln!(text, "  {}{tool} {}{times}", terminal.paint(tint, &label), escape::line(&finding.message));
    if finding.rule.severity() > Severity::Info {
        if !finding.evidence.is_empty() {
            let shown: String = finding.evidence.chars().take(EVIDENCE).collect();
            let more = if shown.len() < finding.evidence.len() { "…" } else { "" };
            _ = writeln!(text, "    evidence: {}{more}", escape::line(&shown));
        }
        _ = writeln!(text, "    fix: {}", finding.rule.fix());
    }
}
