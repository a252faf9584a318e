//! The report as JUnit XML: one suite per server, one test per tool and per case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{CheckReport, ServerReport};
use crate::check::{Finding, Rule, Severity, Standing, ToolStanding};

/// One XML document. Errors are failures; warnings and remarks are told in the output of a test.
pub(super) fn render(report: &CheckReport) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let seconds = seconds(report.duration_ms);
    _ = writeln!(text, "<testsuites name=\"mortise check\" time=\"{seconds}\">");
    for server in &report.servers {
        suite(&mut text, server, &report.started_at);
    }
    text.push_str("</testsuites>\n");
    text
}

fn suite(text: &mut String, server: &ServerReport, started_at: &str) {
    let mut tests = String::new();
    let (mut count, mut failures, mut skips) = (0, 0, 0);
    let mut test = |name: &str,
                    class: &str,
                    time: Option<u64>,
                    skipped: Option<&str>,
                    findings: &[&Finding]| {
        count += 1;
        let time = time.map(|ms| format!(" time=\"{}\"", seconds(ms))).unwrap_or_default();
        _ = write!(tests, "    <testcase name=\"{}\" classname=\"{}\"{time}>", escape(name), escape(class));
        let (errors, others): (Vec<&Finding>, Vec<&Finding>) =
            findings.iter().partition(|finding| finding.severity == Severity::Error);
        if !errors.is_empty() {
            failures += 1;
            let body: Vec<String> = errors.iter().map(|finding| told(finding)).collect();
            let first = format!("{}: {}", errors[0].rule.code(), errors[0].message);
            _ = write!(
                tests,
                "<failure message=\"{}\">{}</failure>",
                escape(&first),
                escape(&body.join("\n"))
            );
        } else if let Some(reason) = skipped {
            skips += 1;
            _ = write!(tests, "<skipped message=\"{}\"/>", escape(reason));
        }
        if !others.is_empty() {
            let body: Vec<String> = others.iter().map(|finding| told(finding)).collect();
            _ = write!(tests, "<system-out>{}</system-out>", escape(&body.join("\n")));
        }
        tests.push_str("</testcase>\n");
    };
    let mut by_tool: BTreeMap<Option<&str>, Vec<&Finding>> = BTreeMap::new();
    let mut by_case: BTreeMap<String, Vec<&Finding>> = BTreeMap::new();
    for finding in server.findings.iter() {
        match finding.rule {
            Rule::CaseFailed => by_case.entry(finding.fingerprint()).or_default().push(finding),
            _ => by_tool.entry(finding.tool.as_deref()).or_default().push(finding),
        }
    }
    test("the server", &server.server, None, None, about(&by_tool, None));
    // An element of the list that is no tool may have a name all the same.
    let tools: BTreeSet<&str> = server.tools.iter().map(String::as_str).collect();
    for name in by_tool.keys().copied().flatten().filter(|name| !tools.contains(name)) {
        test(name, &format!("{}.rejected", server.server), None, None, about(&by_tool, Some(name)));
    }
    let is_open = |tool: &&ToolStanding| matches!(tool.standing, Standing::Unverified | Standing::NotCalled);
    let open: BTreeMap<&str, String> = server
        .standings
        .iter()
        .filter(is_open)
        .map(|tool| (tool.tool.as_str(), format!("{}: {}", tool.standing.words(), tool.reason)))
        .collect();
    for tool in &server.tools {
        let class = format!("{}.tools", server.server);
        let skipped = open.get(tool.as_str()).map(String::as_str);
        test(tool, &class, None, skipped, about(&by_tool, Some(tool)));
    }
    for case in &server.cases {
        let findings = case.finding.as_ref().and_then(|finding| by_case.get(finding));
        let class = format!("{}.{}", server.server, case.file);
        test(&case.name, &class, Some(case.ms), None, findings.map_or(&[], Vec::as_slice));
    }
    _ = writeln!(
        text,
        "  <testsuite name=\"{}\" tests=\"{count}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skips}\" timestamp=\"{started_at}\">",
        escape(&server.server)
    );
    text.push_str("    <properties>");
    for standing in Standing::ALL {
        let count = server.tally().count(standing);
        _ = write!(text, "<property name=\"{}\" value=\"{count}\"/>", standing.as_str());
    }
    text.push_str("</properties>\n");
    text.push_str(&tests);
    text.push_str("  </testsuite>\n");
}

fn about<'a, 'f>(
    by_tool: &'a BTreeMap<Option<&'f str>, Vec<&'f Finding>>,
    tool: Option<&'f str>,
) -> &'a [&'f Finding] {
    by_tool.get(&tool).map_or(&[], Vec::as_slice)
}

fn told(finding: &Finding) -> String {
    let evidence = &finding.evidence;
    let mut text = format!("{}: {}", finding.rule.code(), finding.message);
    for (word, part) in
        [("request", &evidence.request), ("response", &evidence.response), ("at", &evidence.pointer)]
    {
        if !part.is_empty() {
            _ = write!(text, "\n  {word}: {part}");
        }
    }
    _ = write!(text, "\n  fix: {}", finding.fix);
    text
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// XML 1.0 has no way to write most control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push('\t'),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('\u{fffd}');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
