//! The report for a person at a terminal.

use std::fmt::Write as _;

use mortise_tester::check::{
    CheckFinding, CheckReport, FindingSeverity, ServerReport, ToolStanding, Verification,
};

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
        (report.count(FindingSeverity::Error), "error", Tint::Bad),
        (report.count(FindingSeverity::Warning), "warning", Tint::Warn),
        (report.count(FindingSeverity::Info), "remark", Tint::Dim),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(count, word, tint)| {
            let shown = format!("{count} {word}{}", if count == 1 { "" } else { "s" });
            if count > 0 { terminal.paint(tint, &shown) } else { shown }
        })
        .collect();
    let calls = counted(usize::try_from(calls).unwrap_or(usize::MAX), "call");
    _ = writeln!(text, "tools: {}", report.tally().sentence());
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
    let (remarks, others): (Vec<&CheckFinding>, Vec<&CheckFinding>) =
        server.findings.iter().partition(|finding| finding.severity == FindingSeverity::Info);
    for finding in others {
        told(text, terminal, finding);
    }
    for same in grouped(&remarks, |finding| (finding.rule, &finding.message)) {
        remark(text, terminal, &same);
    }
    for case in server.cases.iter().filter(|case| case.problem.is_none()) {
        let (mark, name) = (terminal.paint(Tint::Good, "passed").to_string(), escape::line(&case.name));
        _ = writeln!(text, "  {mark}  {name} ({} ms)", case.ms);
    }
    for standing in [Verification::Unverified, Verification::NotCalled] {
        open(text, terminal, server, standing);
    }
    text.push('\n');
}

/// Tools of which nothing is known, by the reason.
fn open(text: &mut String, terminal: &Terminal, server: &ServerReport, standing: Verification) {
    let tools: Vec<&ToolStanding> =
        server.standings.iter().filter(|tool| tool.standing == standing).collect();
    if tools.is_empty() {
        return;
    }
    let heading = format!("  {}: {}", standing.words(), tools.len());
    _ = writeln!(text, "{}", terminal.paint(Tint::Dim, &heading));
    for same in grouped(&tools, |tool| &tool.reason) {
        let tools: Vec<String> = same.iter().map(|tool| escape::line(&tool.tool)).collect();
        let line = format!("    {}: {}", escape::line(&same[0].reason), tools.join(", "));
        _ = writeln!(text, "{}", terminal.paint(Tint::Dim, &line));
    }
}

/// What has the same key together, in the order of the first of each.
fn grouped<'a, T, K: PartialEq>(all: &[&'a T], key: impl Fn(&'a T) -> K) -> Vec<Vec<&'a T>> {
    let mut groups: Vec<Vec<&'a T>> = Vec::new();
    for &one in all {
        match groups.iter_mut().find(|group| key(group[0]) == key(one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// The same remark about one tool or several.
fn remark(text: &mut String, terminal: &Terminal, same: &[&CheckFinding]) {
    let tools: Vec<String> =
        same.iter().filter_map(|finding| finding.tool.as_deref()).map(escape::line).collect();
    let tools = if tools.is_empty() { String::new() } else { format!(" {}:", tools.join(", ")) };
    let label = terminal.paint(Tint::Dim, &format!("info[{}]", same[0].rule.code()));
    _ = writeln!(text, "  {label}{tools} {}{}", escape::line(&same[0].message), times(same[0].count));
}

/// ` (3 times)`.
fn times(count: u64) -> String {
    if count > 1 { format!(" ({count} times)") } else { String::new() }
}

fn told(text: &mut String, terminal: &Terminal, finding: &CheckFinding) {
    let (word, tint) = match finding.severity {
        FindingSeverity::Error => ("error", Tint::Bad),
        FindingSeverity::Warning => ("warning", Tint::Warn),
        FindingSeverity::Info => ("info", Tint::Dim),
    };
    let tool = finding.tool.as_deref().map(|tool| format!(" {}:", escape::line(tool))).unwrap_or_default();
    let times = times(finding.count);
    let label = format!("{word}[{}]", finding.rule.code());
    _ = writeln!(text, "  {}{tool} {}{times}", terminal.paint(tint, &label), escape::line(&finding.message));
    let evidence = &finding.evidence;
    for (word, said) in [
        ("request:", evidence.request.as_str()),
        ("response:", &evidence.response),
        ("place:", &evidence.pointer),
        ("fix:", finding.fix),
    ] {
        part(text, terminal, word, said);
    }
}

/// One part of the evidence; the last lines where there are several, since they tell why a process ended.
fn part(text: &mut String, terminal: &Terminal, word: &str, part: &str) {
    let lines: Vec<&str> = part.lines().collect();
    for (number, line) in lines[lines.len().saturating_sub(LINES)..].iter().enumerate() {
        let shown: String = line.chars().take(EVIDENCE).collect();
        let more = if shown.len() < line.len() { "…" } else { "" };
        let start = if number == 0 { terminal.paint(Tint::Dim, word) } else { " ".repeat(word.len()) };
        _ = writeln!(text, "    {start} {}{more}", escape::line(&shown));
    }
}

/// `1 call`, `2 calls`.
fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
