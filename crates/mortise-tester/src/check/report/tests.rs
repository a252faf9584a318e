use mortise_client::secret::{Secret, Secrets};
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_contract::ServerName;

use super::{CaseOutcome, CheckReport, Format, MadeCall, ServerReport};
use crate::check::{
    CheckFinding, CheckRule, Coverage, FindingEvidence, FindingSeverity, Findings, ToolStanding, Verification,
};

/// A report with text that no format may take for its own syntax.
pub(crate) fn report() -> CheckReport {
    let mut findings = Findings::default();
    let nasty = "<script>alert('1')</script> & \u{1b}[31m \u{202e}\u{200b}\u{e0041}\"";
    for _ in 0..2 {
        let evidence = FindingEvidence {
            request: nasty.to_owned(),
            response: nasty.to_owned(),
            pointer: "/a".to_owned(),
        };
        findings.add(
            CheckFinding::new(CheckRule::ContractViolation, Some("echo"), nasty).key("/a").evidence(evidence),
        );
    }
    findings.add(CheckFinding::new(CheckRule::ContractViolation, Some("echo"), "another place").key("/b"));
    findings
        .add(CheckFinding::new(CheckRule::CaseFailed, Some("echo"), "one: 1 was expected").key("c.yaml#one"));
    findings.add(
        CheckFinding::new(CheckRule::CaseFailed, Some("echo"), "one (2): 2 was expected")
            .key("c.yaml#one (2)"),
    );
    findings.add(CheckFinding::new(CheckRule::Slow, Some("echo"), "slow"));
    findings.add(CheckFinding::new(CheckRule::NoOutputSchema, Some("plain"), "none"));
    CheckReport {
        seed: 7,
        started_at: "2026-01-02T03:04:05.678Z".to_owned(),
        duration_ms: 1_234,
        servers: vec![ServerReport {
            server: "a<b".to_owned(),
            about: Some("mock 1".to_owned()),
            protocol_version: Some("2025-11-25".to_owned()),
            tools: vec!["echo".to_owned(), "plain".to_owned(), "write".to_owned()],
            calls: 1,
            made: vec![MadeCall {
                tool: "echo".to_owned(),
                arguments: "{\"text\":\"<b>\"}".to_owned(),
                kind: "valid",
                verdict: "invalid",
                ms: 5,
            }],
            findings,
            standings: [
                ("echo", Verification::Broken, ""),
                ("plain", Verification::Unverified, "none of 3 calls succeeded"),
                ("write", Verification::NotCalled, "it writes"),
            ]
            .map(|(tool, standing, reason)| ToolStanding {
                tool: tool.to_owned(),
                standing,
                reason: reason.to_owned(),
            })
            .into(),
            working: Vec::new(),
            cases: [("one", "1 was expected"), ("one (2)", "2 was expected")]
                .map(|(name, problem)| CaseOutcome {
                    file: "c.yaml".to_owned(),
                    title: "one".to_owned(),
                    name: name.to_owned(),
                    tool: "echo".to_owned(),
                    ms: 12,
                    problem: Some(problem.to_owned()),
                    finding: Some(format!("echo#case_failed#c.yaml#{name}")),
                })
                .into(),
            coverage: Vec::new(),
        }],
    }
}

#[test]
fn json_has_everything_once() {
    let json: serde_json::Value = serde_json::from_str(&report().render(Format::Json)).unwrap();
    assert_eq!(json["summary"]["errors"], 4);
    assert_eq!(json["servers"][0]["findings"][0]["evidence"]["pointer"], "/a");
    assert_eq!(json["servers"][0]["made"][0]["verdict"], "invalid");
    assert_eq!(json["servers"][0]["findings"][0]["count"], 2);
    assert_eq!(json["servers"][0]["findings"][0]["rule"], "contract_violation");
    assert_eq!(json["servers"][0]["standings"][2]["tool"], "write");
}

#[test]
fn junit_is_well_formed_and_counts() {
    let xml = report().render(Format::Junit);
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.failures, suite.errors, suite.skipped), (6, 3, 0, 2), "{xml}");
    assert_eq!((suite.test_cases.len(), suite.name.as_str()), (6, "a<b"));
    assert_eq!(
        suite.timestamp.map(|at| at.to_utc().to_rfc3339()).as_deref(),
        Some("2026-01-02T03:04:05.678+00:00"),
        "{xml}"
    );
    assert!(xml.contains("<skipped message=\"not called: it writes\"/>"), "{xml}");
    assert!(xml.contains("a&lt;b"), "{xml}");
    assert!(!xml.contains("<script>") && !xml.contains('\u{1b}'), "{xml}");
    assert!(xml.contains("2 was expected") && xml.contains("name=\"one (2)\""), "{xml}");
}

#[test]
fn junit_tells_what_is_broken_about_an_element_that_is_no_tool() {
    let mut report = report();
    report.servers[0].findings.add(CheckFinding::new(
        CheckRule::RejectedTool,
        Some("half a tool"),
        "it has no schema",
    ));
    let xml = report.render(Format::Junit);
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let suite = &read.test_suites[0];
    assert_eq!((suite.tests, suite.failures), (7, 4), "{xml}");
    let test = suite.test_cases.iter().find(|test| test.name.as_str() == "half a tool").unwrap();
    assert_eq!(test.classname.as_ref().map(|class| class.as_str()), Some("a<b.rejected"));
    assert!(matches!(test.status, quick_junit::TestCaseStatus::NonSuccess { .. }), "{xml}");
}

#[test]
fn sarif_names_rules_and_places() {
    let sarif: serde_json::Value = serde_json::from_str(&report().render(Format::Sarif)).unwrap();
    let run = &sarif["runs"][0];
    assert_eq!(run["results"][0]["ruleId"], "contract_violation");
    assert_eq!(run["results"][0]["level"], "error");
    let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "mcp/a%3Cb/echo");
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(CheckRule::ALL.len()));
}

#[test]
fn sarif_tells_every_result_from_every_other() {
    let sarif: serde_json::Value = serde_json::from_str(&report().render(Format::Sarif)).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let prints = results.iter().map(|result| result["partialFingerprints"]["mortise/v1"].as_str().unwrap());
    let mut prints: Vec<&str> = prints.collect();
    assert_eq!(prints[0], "a<b/echo#contract_violation#/a");
    prints.sort_unstable();
    prints.dedup();
    assert_eq!(prints.len(), results.len());
}

#[test]
fn a_page_says_what_it_comes_to() {
    let of = |rules: &[(CheckRule, FindingSeverity)], calls: u64| {
        let mut report = report();
        let server = &mut report.servers[0];
        server.calls = calls;
        server.standings.truncate(1);
        server.standings[0].standing = Verification::Verified;
        server.findings = Findings::default();
        for (rule, severity) in rules {
            server.findings.add(CheckFinding::new(*rule, None, "x").severity(*severity));
        }
        let page = report.render(Format::Html);
        let (_, rest) = page.split_once("<h1>").unwrap();
        rest.split_once("</h1>").unwrap().0.to_owned()
    };
    let error = |rule: CheckRule| (rule, rule.severity());
    assert_eq!(of(&[], 3), "Contracts kept");
    assert_eq!(of(&[error(CheckRule::Slow)], 3), "Contracts kept, with warnings");
    assert_eq!(of(&[(CheckRule::NothingChecked, FindingSeverity::Warning)], 0), "Nothing was called");
    assert_eq!(of(&[error(CheckRule::NothingChecked)], 0), "Nothing was checked");
    assert_eq!(of(&[error(CheckRule::NothingVerified)], 3), "Nothing was verified");
    assert_eq!(of(&[error(CheckRule::CaseFailed)], 1), "Cases failed");
    assert_eq!(of(&[error(CheckRule::CaseFailed), error(CheckRule::Crashed)], 1), "Servers misbehave");
    assert_eq!(of(&[error(CheckRule::Unreachable)], 0), "A server can't be reached");
    assert_eq!(of(&[error(CheckRule::TimedOut)], 1), "Answers did not come in time");
    assert_eq!(of(&[error(CheckRule::ContractViolation), error(CheckRule::TimedOut)], 1), "Contracts broken");
}

#[test]
fn a_page_about_open_tools_does_not_say_that_contracts_are_kept() {
    let mut report = report();
    report.servers[0].findings = Findings::default();
    report.servers[0].standings[0].standing = Verification::Verified;
    let page = report.render(Format::Html);
    assert!(page.contains("<h1>Contracts kept by the tools that are verified</h1>"), "{page}");
    assert!(page.contains("<header class=\"warning\">"), "{page}");
}

#[test]
fn all_forms_agree_about_how_far_tools_were_verified() {
    let report = report();
    assert_eq!(report.tally().sentence(), "0 verified, 1 broken, 1 unverified, 1 not called");
    let json: serde_json::Value = serde_json::from_str(&report.render(Format::Json)).unwrap();
    let sarif: serde_json::Value = serde_json::from_str(&report.render(Format::Sarif)).unwrap();
    let junit = report.render(Format::Junit);
    for standing in Verification::ALL {
        let (word, count) = (standing.as_str(), report.tally().count(standing));
        assert_eq!(json["summary"][word], count, "{word}");
        assert_eq!(sarif["runs"][0]["properties"][word], count, "{word}");
        assert!(junit.contains(&format!("<property name=\"{word}\" value=\"{count}\"/>")), "{junit}");
    }
    assert!(report.render(Format::Html).contains("<p>0 verified, 1 broken, 1 unverified, 1 not called</p>"));
}

#[test]
fn a_page_shows_foreign_text_as_text() {
    let page = report().render(Format::Html);
    assert!(page.contains("&lt;script&gt;"), "{page}");
    for forbidden in ["<script", "\u{1b}", "\u{202e}", "\u{200b}", "\u{e0041}", "http://", "https://", "src="]
    {
        assert!(!page.replace("default-src", "").replace("style-src", "").contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("Contracts broken"));
}

#[test]
fn every_rule_has_a_word_of_its_own_and_says_what_to_do() {
    let mut codes: Vec<&str> = CheckRule::ALL.iter().map(|rule| rule.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), CheckRule::ALL.len());
    assert!(CheckRule::ALL.iter().all(|rule| !rule.fix().is_empty() && rule.about().ends_with('.')));
}

#[test]
fn the_page_leads_to_each_of_several_servers() {
    let mut report = report();
    assert!(!report.render(Format::Html).contains("href="));
    let second = ServerReport {
        server: "second".to_owned(),
        findings: Findings::default(),
        ..report.servers[0].clone()
    };
    report.servers.push(second);
    let page = report.render(Format::Html);
    assert!(
        page.contains("<a href=\"#server-0\">a&lt;b</a>") && page.contains("<section id=\"server-1\">"),
        "{page}"
    );
    assert!(page.contains("<span class=\"mark error\">4</span>"), "{page}");
}

fn with_coverage() -> CheckReport {
    let mut report = report();
    let schema = serde_json::json!({"properties": {"as_json": {"type": "string"}}});
    report.servers[0].coverage = vec![("echo".to_owned(), Coverage::new(&schema))];
    report
}

#[test]
fn what_is_not_known_of_a_large_result_is_not_told() {
    let mut report = with_coverage();
    let covered = |report: &CheckReport| {
        let json: serde_json::Value = serde_json::from_str(&report.render(Format::Json)).unwrap();
        json["servers"][0]["coverage"][0].clone()
    };
    assert_eq!(covered(&report)["never_seen"], serde_json::json!(["/as_json"]));
    assert!(report.render(Format::Html).contains("<td>/as_json</td>"));
    report.servers[0].coverage[0].1.is_partial = true;
    assert_eq!(covered(&report)["never_seen"], serde_json::json!([]));
    assert_eq!(covered(&report)["partial"], true);
    assert!(report.render(Format::Html).contains("<td>not known: "));
}

#[test]
fn a_word_that_a_server_is_set_up_with_stays_in_places() {
    let mut config = StdioConfig::new("server", Vec::new());
    for (name, value) in [("FORMAT", "json"), ("TOKEN", "t0ken-value")] {
        config.env.insert(name.to_owned(), Secret::new(value));
    }
    let config = ServerConfig::new(ServerName::parse("s").unwrap(), Transport::Stdio(config));
    let mut report = with_coverage();
    report.servers[0].coverage[0].1.undeclared.insert("/t0ken-value".to_owned());
    let shown = report.servers.remove(0).shown(&Secrets::of(&config));
    let coverage = &shown.coverage[0].1;
    assert_eq!(coverage.never_seen().collect::<Vec<_>>(), ["/as_json"]);
    assert_eq!(coverage.undeclared.iter().collect::<Vec<_>>(), ["/[redacted]"]);
}
