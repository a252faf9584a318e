//! The report as JUnit XML: one suite per server, one test per tool and per case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use chrono::DateTime;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{CheckReport, ServerReport};
use crate::check::{CheckFinding, CheckRule, FindingSeverity, ToolStanding, Verification};

/// One XML document. Errors are failures; warnings and remarks are in the output of a test.
pub(super) fn render(report: &CheckReport) -> String {
    let mut xml = Report::new("mortise check");
    xml.set_time(Duration::from_millis(report.duration_ms));
    xml.add_test_suites(report.servers.iter().map(|server| suite(server, &report.started_at)));
    // Writing to memory does not fail.
    xml.to_string().unwrap_or_default()
}

fn suite(server: &ServerReport, started_at: &str) -> TestSuite {
    let mut suite = TestSuite::new(server.server.as_str());
    if let Ok(started_at) = DateTime::parse_from_rfc3339(started_at) {
        suite.set_timestamp(started_at);
    }
    for standing in Verification::ALL {
        suite.add_property((standing.as_str(), server.tally().count(standing).to_string().as_str()));
    }
    let mut by_tool: BTreeMap<Option<&str>, Vec<&CheckFinding>> = BTreeMap::new();
    let mut by_case: BTreeMap<String, Vec<&CheckFinding>> = BTreeMap::new();
    let of_cases: BTreeSet<&str> = server.cases.iter().filter_map(|case| case.finding.as_deref()).collect();
    for finding in server.findings.iter() {
        match of_cases.contains(finding.fingerprint().as_str()) || finding.rule == CheckRule::CaseFailed {
            true => by_case.entry(finding.fingerprint()).or_default().push(finding),
            false => by_tool.entry(finding.tool.as_deref()).or_default().push(finding),
        }
    }
    suite.add_test_case(test("the server", &server.server, None, about(&by_tool, None)));
    // An element of the list that is not a tool may have a name all the same.
    let tools: BTreeSet<&str> = server.tools.iter().map(String::as_str).collect();
    let rejected = format!("{}.rejected", server.server);
    for name in by_tool.keys().copied().flatten().filter(|name| !tools.contains(name)) {
        suite.add_test_case(test(name, &rejected, None, about(&by_tool, Some(name))));
    }
    let is_open =
        |tool: &&ToolStanding| matches!(tool.standing, Verification::Unverified | Verification::NotCalled);
    let open: BTreeMap<&str, String> = server
        .standings
        .iter()
        .filter(is_open)
        .map(|tool| (tool.tool.as_str(), format!("{}: {}", tool.standing.words(), tool.reason)))
        .collect();
    let class = format!("{}.tools", server.server);
    for tool in &server.tools {
        let skipped = open.get(tool.as_str()).map(String::as_str);
        suite.add_test_case(test(tool, &class, skipped, about(&by_tool, Some(tool))));
    }
    for case in &server.cases {
        let findings = case.finding.as_ref().and_then(|finding| by_case.get(finding));
        let class = format!("{}.{}", server.server, case.file);
        let mut test = test(&case.name, &class, None, findings.map_or(&[], Vec::as_slice));
        test.set_time(Duration::from_millis(case.ms));
        suite.add_test_case(test);
    }
    suite
}

/// One test. It fails by the errors among its findings; without any it may be skipped.
fn test(name: &str, class: &str, skipped: Option<&str>, findings: &[&CheckFinding]) -> TestCase {
    let (errors, others): (Vec<&CheckFinding>, Vec<&CheckFinding>) =
        findings.iter().partition(|finding| finding.severity == FindingSeverity::Error);
    let described = |findings: &[&CheckFinding]| {
        findings.iter().map(|finding| described(finding)).collect::<Vec<_>>().join("\n")
    };
    let mut status = match (errors.is_empty(), skipped) {
        (false, _) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (true, Some(_)) => TestCaseStatus::skipped(),
        (true, None) => TestCaseStatus::success(),
    };
    match (errors.first(), skipped) {
        (Some(first), _) => {
            status.set_message(format!("{}: {}", first.rule.code(), first.message));
            status.set_description(described(&errors));
        }
        (None, Some(reason)) => drop(status.set_message(reason)),
        (None, None) => {}
    }
    let mut test = TestCase::new(name, status);
    test.set_classname(class);
    if !others.is_empty() {
        test.set_system_out(described(&others));
    }
    test
}

fn about<'a, 'f>(
    by_tool: &'a BTreeMap<Option<&'f str>, Vec<&'f CheckFinding>>,
    tool: Option<&'f str>,
) -> &'a [&'f CheckFinding] {
    by_tool.get(&tool).map_or(&[], Vec::as_slice)
}

fn described(finding: &CheckFinding) -> String {
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
