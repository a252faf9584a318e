//! One finding: what is wrong, its proof, what to do, and the command that shows it again.

use mortise_contract::text::cut;
use mortise_tester::check::{CheckFinding, FindingSeverity, ServerReport};
use serde_json::Value;

use super::{CheckDetail, CheckView};
use crate::servers::ArgumentChecks;
use crate::terminal::{Mark, Tint, escape};

/// Longest part of evidence shown; the reports have more of it.
const EVIDENCE: usize = 300;
/// Lines shown of what a process said last.
const LINES: usize = 10;
/// What stands in a report in place of a secret.
const HIDDEN: &str = "[redacted]";
/// Before a finding.
const INDENT: usize = 4;

impl CheckView<'_> {
    /// The finding below the line of its tool.
    pub(super) fn finding(&self, text: &mut String, server: &ServerReport, finding: &CheckFinding) {
        let mark = match finding.severity {
            FindingSeverity::Error => Mark::Bad,
            FindingSeverity::Warning => Mark::Warn,
            FindingSeverity::Info => Mark::Note,
        };
        let message =
            format!("{}{} [{}]", escape::line(&finding.message), times(finding.count), finding.rule.code());
        // What concerns no tool stands where tools stand.
        let indent = if finding.tool.is_some() { INDENT } else { 2 };
        text.push_str(&self.terminal.marked(indent, mark, &message));
        let evidence = &finding.evidence;
        // What is broken is proven at once, the rest on demand.
        if finding.severity == FindingSeverity::Error || self.detail == CheckDetail::All {
            self.part(text, "Request", &evidence.request);
            self.part(text, "Response", &evidence.response);
            self.part(text, "Place", &evidence.pointer);
        }
        self.part(text, "Fix", finding.fix);
        if let Some(command) = self.again(server, finding) {
            let lead = format!("{:1$}Try", "", INDENT + 2);
            let command = self.terminal.command(INDENT + 12, &command);
            let lead = self.terminal.pieces(&[(Some(Tint::Dim), &lead)]);
            let rest = &command[INDENT + 5..];
            text.push_str(&format!("{lead}{rest}"));
        }
    }

    /// One part of the evidence; the last lines where there are several, since they say why a process ended.
    fn part(&self, text: &mut String, word: &str, part: &str) {
        let lines: Vec<&str> = part.lines().collect();
        for (number, line) in lines[lines.len().saturating_sub(LINES)..].iter().enumerate() {
            let word = if number == 0 { word } else { "" };
            let lead = format!("{:1$}{word:<10}", "", INDENT + 2);
            let line = escape::line(&cut(line, EVIDENCE));
            text.push_str(&self.terminal.hang(&[(Some(Tint::Dim), &lead)], None, &line));
        }
    }

    /// The call that a finding is about; `None` if it was not a call, or if the report does not have all of it.
    fn again(&self, server: &ServerReport, finding: &CheckFinding) -> Option<Vec<String>> {
        let tool = finding.tool.as_deref()?;
        let request = finding.evidence.request.strip_prefix("tools/call ")?;
        let arguments = request.strip_prefix(tool)?.trim_start();
        if request.contains(HIDDEN) {
            return None;
        }
        let value: Value = serde_json::from_str(arguments).ok()?;
        let is_wrong = server.made.iter().any(|call| {
            let start = call.arguments.trim_end_matches('…');
            call.tool == tool && call.kind == "invalid" && arguments.starts_with(start)
        });
        let checks = if is_wrong { ArgumentChecks::Off } else { ArgumentChecks::On };
        let named = if self.is_alone { tool.to_owned() } else { format!("{}/{tool}", server.server) };
        Some(self.same.call(&named, &value, checks))
    }
}

/// ` (3 times)`.
pub(super) fn times(count: u64) -> String {
    if count > 1 { format!(" ({count} times)") } else { String::new() }
}
