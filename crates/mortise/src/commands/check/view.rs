//! The report for a person at a terminal: one line per tool, and the proof of what is wrong.

mod finding;

use std::time::Duration;

use mortise_tester::check::{
    CheckFinding, CheckReport, FindingSeverity, ServerReport, ToolStanding, Verification,
};
use unicode_width::UnicodeWidthStr as _;

use crate::servers::SameServers;
use crate::terminal::layout::fit;
use crate::terminal::units::{self, counted};
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Columns of a tool's name.
const NAME: usize = 36;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckDetail {
    /// What is wrong; remarks are counted.
    Usual,
    /// Remarks too.
    All,
}

/// What the views of servers and findings work with.
struct CheckView<'a> {
    terminal: &'a Terminal,
    same: &'a SameServers,
    detail: CheckDetail,
    /// Whether a tool's name needs its server's.
    is_alone: bool,
}

/// The whole report.
pub(super) fn view(
    terminal: &Terminal,
    report: &CheckReport,
    same: &SameServers,
    detail: CheckDetail,
) -> String {
    let view = CheckView { terminal, same, detail, is_alone: report.servers.len() == 1 };
    let mut text = String::new();
    for server in &report.servers {
        view.server(&mut text, server);
        text.push('\n');
    }
    view.sum(&mut text, report);
    text
}

impl CheckView<'_> {
    fn sum(&self, text: &mut String, report: &CheckReport) {
        let count = |severity| report.count(severity);
        let (errors, warnings) = (count(FindingSeverity::Error), count(FindingSeverity::Warning));
        let mark = match (errors, warnings) {
            (0, 0) => Mark::Good,
            (0, _) => Mark::Warn,
            _ => Mark::Bad,
        };
        let remarks = counted(count(FindingSeverity::Info), "remark");
        let hidden = match (self.detail, count(FindingSeverity::Info)) {
            (CheckDetail::Usual, 1..) => " (-v shows them)",
            _ => "",
        };
        let calls: u64 = report.servers.iter().map(|server| server.calls).sum();
        let calls = counted(usize::try_from(calls).unwrap_or(usize::MAX), "call");
        let sum = format!(
            "{}, {}, {remarks}{hidden} · {calls}, seed {}",
            counted(errors, "error"),
            counted(warnings, "warning"),
            report.seed
        );
        text.push_str(&self.terminal.hang(&[(None, "Tools: ")], None, &report.tally().sentence()));
        text.push_str(&self.terminal.marked(0, mark, &sum));
    }

    fn server(&self, text: &mut String, server: &ServerReport) {
        let name = escape::line(&server.server);
        let about = server.about.as_deref().map(|about| format!("{} · ", escape::line(about)));
        let about = format!(
            "{}{}, {}",
            about.unwrap_or_default(),
            counted(server.tools.len(), "tool"),
            counted(server.made.len(), "call")
        );
        let lead = [(Some(Tint::Heading), name.as_str()), (None, "  ")];
        text.push_str(&self.terminal.hang(&lead, Some(Tint::Dim), &about));
        let graver = |finding: &&CheckFinding| finding.severity != FindingSeverity::Info;
        let of_tool = |text: &mut String, tool: Option<&str>| {
            let own = server.findings.iter().filter(graver).filter(|finding| finding.tool.as_deref() == tool);
            own.for_each(|finding| self.finding(text, server, finding));
        };
        of_tool(text, None);
        let width = server.standings.iter().map(|tool| escape::line(&tool.tool).width()).max().unwrap_or(0);
        for standing in &server.standings {
            self.tool(text, server, standing, width.min(NAME));
            of_tool(text, Some(&standing.tool));
        }
        let is_listed = |finding: &&CheckFinding| {
            finding.tool.as_ref().is_none_or(|tool| server.standings.iter().any(|known| known.tool == *tool))
        };
        for finding in server.findings.iter().filter(graver).filter(|finding| !is_listed(finding)) {
            self.finding(text, server, finding);
        }
        for case in server.cases.iter().filter(|case| case.problem.is_none()) {
            let time = units::time(Duration::from_millis(case.ms));
            let passed = format!("Case passed: {} · {time}", escape::line(&case.name));
            text.push_str(&self.terminal.marked(2, Mark::Good, &passed));
        }
        self.reasons(text, server);
        if self.detail == CheckDetail::All {
            self.remarks(text, server);
        }
    }

    /// `✓ get_weather  verified, 14 calls`.
    fn tool(&self, text: &mut String, server: &ServerReport, tool: &ToolStanding, width: usize) {
        let gravest = server
            .findings
            .iter()
            .filter(|finding| finding.tool.as_ref() == Some(&tool.tool))
            .map(|finding| finding.severity)
            .max();
        let mark = match (tool.standing, gravest) {
            (Verification::Broken, _) | (_, Some(FindingSeverity::Error)) => Mark::Bad,
            (Verification::Unverified, _) | (_, Some(FindingSeverity::Warning)) => Mark::Warn,
            (Verification::Verified, _) => Mark::Good,
            (Verification::NotCalled, _) => Mark::Note,
        };
        let calls = server.made.iter().filter(|call| call.tool == tool.tool).count();
        let calls = if calls > 0 { format!(", {}", counted(calls, "call")) } else { String::new() };
        let name = fit(&escape::line(&tool.tool), width);
        let padding = " ".repeat(width - name.width() + 2);
        let lead = [
            (None, "  "),
            (Some(mark.tint()), mark.sign()),
            (None, " "),
            (Some(Tint::Name), &name),
            (None, &padding),
        ];
        let standing = format!("{}{calls}", tool.standing.words());
        text.push_str(&self.terminal.hang(&lead, None, &standing));
    }

    /// Why nothing is known about tools, each reason once.
    fn reasons(&self, text: &mut String, server: &ServerReport) {
        for standing in [Verification::Unverified, Verification::NotCalled] {
            let tools: Vec<&ToolStanding> =
                server.standings.iter().filter(|tool| tool.standing == standing).collect();
            for same in grouped(&tools, |tool| &tool.reason) {
                let reason =
                    format!("{} {}: {}", same.len(), standing.words(), escape::line(&same[0].reason));
                text.push_str(&self.terminal.hang(&[(None, "    ")], Some(Tint::Dim), &reason));
            }
        }
    }

    fn remarks(&self, text: &mut String, server: &ServerReport) {
        let remarks: Vec<&CheckFinding> =
            server.findings.iter().filter(|finding| finding.severity == FindingSeverity::Info).collect();
        for same in grouped(&remarks, |finding| (finding.rule, &finding.message)) {
            let tools: Vec<String> =
                same.iter().filter_map(|finding| finding.tool.as_deref()).map(escape::line).collect();
            let tools = if tools.is_empty() { String::new() } else { format!("{}: ", tools.join(", ")) };
            let remark = format!(
                "{tools}{}{} [{}]",
                escape::line(&same[0].message),
                finding::times(same[0].count),
                same[0].rule.code()
            );
            text.push_str(&self.terminal.marked(2, Mark::Note, &remark));
        }
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
