//! The report for a person at a terminal.

use std::fmt::Write as _;

use mortise_tester::check::{CheckReport, Finding, ServerReport, Severity};

use crate::terminal::{Terminal, Tint, escape};

/// Longest part of evidence shown; the reports have more of it.
const EVIDENCE: usize = 300;
/// Lines shown of what a process said last.
const LINES: usize = 10;

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
    let calls = counted(usize::try_from(calls).unwrap_or(usize::MAX), "call");
    _ = writeln!(text, "{}; {calls}, seed {}", counts.join(", "), report.seed);
    text
}

fn section(text: &mut String, terminal: &Terminal, server: &ServerReport) {
    let about =
        server.about.as_deref().map(|about| format!(" ({})", escape::line(about))).unwrap_or_default();
    let name = escape::line(&server.server);
    _ = writeln!(
        text,
        "{}{about}: {}, {}",
        terminal.paint(Tint::Name, &name),
        counted(server.tools.len(), "tool"),
        counted(server.made.len(), "call")
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
    let (word, tint) = match finding.severity {
        Severity::Error => ("error", Tint::Bad),
        Severity::Warning => ("warning", Tint::Warn),
        Severity::Info => ("info", Tint::Dim),
    };
    let tool = finding.tool.as_deref().map(|tool| format!(" {}:", escape::line(tool))).unwrap_or_default();
    let times = if finding.count > 1 { format!(" ({} times)", finding.count) } else { String::new() };
    let label = format!("{word}[{}]", finding.rule.code());
    _ = writeln!(text, "  {}{tool} {}{times}", terminal.paint(tint, &label), escape::line(&finding.message));
    if finding.severity > Severity::Info {
        let evidence = &finding.evidence;
        part(text, "request", &evidence.request);
        part(text, "response", &evidence.response);
        part(text, "place", &evidence.pointer);
        _ = writeln!(text, "    fix: {}", finding.fix);
    }
}

/// One part of the evidence; the last lines where there are several, since they tell why a process ended.
fn part(text: &mut String, word: &str, part: &str) {
    let lines: Vec<&str> = part.lines().collect();
    for (number, line) in lines[lines.len().saturating_sub(LINES)..].iter().enumerate() {
        let shown: String = line.chars().take(EVIDENCE).collect();
        let more = if shown.len() < line.len() { "…" } else { "" };
        let start = if number == 0 { format!("{word}:") } else { " ".repeat(word.len() + 1) };
        _ = writeln!(text, "    {start} {}{more}", escape::line(&shown));
    }
}

/// `1 call`, `2 calls`.
fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
