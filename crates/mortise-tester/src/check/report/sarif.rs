//! The report as SARIF 2.1.0, for code scanning.

use serde_json::{Map, Value, json};

use super::{CheckReport, ServerReport};
use crate::check::{CheckFinding, CheckRule, FindingSeverity, Verification};

/// One SARIF log. Servers have no source here, so places are names below `mcp/`.
pub(super) fn render(report: &CheckReport) -> String {
    let results: Vec<Value> = report
        .servers
        .iter()
        .flat_map(|server| server.findings.iter().map(|finding| result(server, finding)))
        .collect();
    let tally = report.tally();
    let standings = Verification::ALL
        .into_iter()
        .map(|standing| (standing.as_str().to_owned(), Value::from(tally.count(standing))));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "mortise check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": CheckRule::ALL.iter().map(|rule| described(*rule)).collect::<Vec<_>>(),
            }},
            "results": results,
            "properties": standings.collect::<Map<_, _>>(),
        }],
    })
    .to_string()
}

fn described(rule: CheckRule) -> Value {
    json!({
        "id": rule.code(),
        "shortDescription": {"text": rule.about()},
        "help": {"text": rule.fix()},
        "defaultConfiguration": {"level": level(rule.severity())},
    })
}

fn level(severity: FindingSeverity) -> &'static str {
    match severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        FindingSeverity::Info => "note",
    }
}

fn result(server: &ServerReport, finding: &CheckFinding) -> Value {
    let place = match &finding.tool {
        Some(tool) => format!("{}/{tool}", server.server),
        None => server.server.clone(),
    };
    json!({
        "ruleId": finding.rule.code(),
        "level": level(finding.severity),
        "message": {"text": finding.message},
        "occurrenceCount": finding.count,
        "locations": [{
            "physicalLocation": {"artifactLocation": {"uri": format!("mcp/{}", encoded(&place))}, "region": {"startLine": 1}},
            "logicalLocations": [{"fullyQualifiedName": place, "kind": "function"}],
        }],
        "partialFingerprints": {"mortise/v1": format!("{}/{}", server.server, finding.fingerprint())},
        "properties": {"evidence": super::json::EvidenceRow::of(&finding.evidence), "fix": finding.fix},
    })
}

/// A name as a part of a URI.
fn encoded(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
