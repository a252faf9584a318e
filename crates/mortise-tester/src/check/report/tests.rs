use super::{CaseOutcome, CheckReport, Format, ServerReport, Skipped};
use crate::check::{Finding, Findings, Rule};

/// A report with text that no format may take for its own syntax.
fn report() -> CheckReport {
    let mut findings = Findings::default();
    let nasty = "<script>alert('1')</script> & \u{1b}[31m \u{202e}\"";
    for _ in 0..2 {
        findings.add(Finding::new(Rule::ContractViolation, Some("echo"), nasty).evidence(nasty));
    }
    findings.add(Finding::new(Rule::Slow, Some("echo"), "slow"));
    findings.add(Finding::new(Rule::NoOutputSchema, Some("plain"), "none"));
    CheckReport {
        seed: 7,
        started_at: "2026-01-02T03:04:05.678Z".to_owned(),
        duration_ms: 1_234,
        servers: vec![ServerReport {
            server: "a<b".to_owned(),
            about: Some("mock 1".to_owned()),
            protocol_version: Some("2025-11-25".to_owned()),
            tools: vec!["echo".to_owned(), "plain".to_owned(), "write".to_owned()],
            calls: 3,
            findings,
            skipped: vec![Skipped { tool: "write".to_owned(), reason: "it writes".to_owned() }],
            cases: vec![CaseOutcome {
                file: "c.yaml".to_owned(),
                name: "one".to_owned(),
                tool: "echo".to_owned(),
                ms: 12,
                problem: Some("1 was expected".to_owned()),
            }],
            coverage: Vec::new(),
        }],
    }
}

#[test]
fn json_has_everything_once() {
    let json: serde_json::Value = serde_json::from_str(&report().render(Format::Json)).unwrap();
    assert_eq!(json["summary"]["errors"], 1);
    assert_eq!(json["servers"][0]["findings"][0]["count"], 2);
    assert_eq!(json["servers"][0]["findings"][0]["rule"], "contract_violation");
    assert_eq!(json["servers"][0]["skipped"][0]["tool"], "write");
}

#[test]
fn junit_is_well_formed_and_counts() {
    let xml = report().render(Format::Junit);
    assert!(xml.contains("tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"1\""), "{xml}");
    assert!(xml.contains("<skipped message=\"it writes\"/>"), "{xml}");
    assert!(xml.contains("a&lt;b"), "{xml}");
    assert!(!xml.contains("<script>") && !xml.contains('\u{1b}'), "{xml}");
    assert_eq!(xml.matches("<testcase").count(), xml.matches("</testcase>").count());
}

#[test]
fn sarif_names_rules_and_places() {
    let sarif: serde_json::Value = serde_json::from_str(&report().render(Format::Sarif)).unwrap();
    let run = &sarif["runs"][0];
    assert_eq!(run["results"][0]["ruleId"], "contract_violation");
    assert_eq!(run["results"][0]["level"], "error");
    let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(place, "mcp/a%3Cb/echo");
    assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(Rule::ALL.len()));
}

#[test]
fn a_page_shows_foreign_text_as_text() {
    let page = report().render(Format::Html);
    assert!(page.contains("&lt;script&gt;"), "{page}");
    for forbidden in ["<script", "\u{1b}", "\u{202e}", "http://", "https://", "src="] {
        assert!(!page.replace("default-src", "").replace("style-src", "").contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("Contracts broken"));
}

#[test]
fn every_rule_has_a_word_of_its_own_and_says_what_to_do() {
    let mut codes: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), Rule::ALL.len());
    assert!(Rule::ALL.iter().all(|rule| !rule.fix().is_empty() && rule.about().ends_with('.')));
}
