//! The report as JSON.

use serde_json::{Value, json};

use super::{CheckReport, MadeCall, ServerReport};
use crate::check::{CheckFinding, Coverage, FindingEvidence, FindingSeverity, ToolStanding, Verification};

/// Counted up when a member changes its meaning or goes.
const VERSION: u64 = 2;

pub(super) fn render(report: &CheckReport) -> String {
    let tally = report.tally();
    json!({
        "version": VERSION,
        "mortise": env!("CARGO_PKG_VERSION"),
        "seed": report.seed,
        "started_at": report.started_at,
        "duration_ms": report.duration_ms,
        "summary": {
            "errors": report.count(FindingSeverity::Error),
            "warnings": report.count(FindingSeverity::Warning),
            "infos": report.count(FindingSeverity::Info),
            "calls": report.servers.iter().map(|server| server.calls).sum::<u64>(),
            "verified": tally.count(Verification::Verified),
            "broken": tally.count(Verification::Broken),
            "unverified": tally.count(Verification::Unverified),
            "not_called": tally.count(Verification::NotCalled),
        },
        "servers": report.servers.iter().map(server).collect::<Vec<_>>(),
    })
    .to_string()
}

fn server(report: &ServerReport) -> Value {
    json!({
        "server": report.server,
        "about": report.about,
        "protocol_version": report.protocol_version,
        "tools": report.tools,
        "calls": report.calls,
        "made": report.made.iter().map(made).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "standings": report.standings.iter().map(standing).collect::<Vec<_>>(),
        "cases": report.cases.iter().map(|case| json!({
            "file": case.file,
            "name": case.name,
            "tool": case.tool,
            "ms": case.ms,
            "passed": case.problem.is_none(),
            "problem": case.problem,
        })).collect::<Vec<_>>(),
        "coverage": report.coverage.iter().map(|(tool, coverage)| covered(tool, coverage)).collect::<Vec<_>>(),
    })
}

fn standing(tool: &ToolStanding) -> Value {
    json!({"tool": tool.tool, "standing": tool.standing.as_str(), "reason": tool.reason})
}

pub(crate) fn finding(finding: &CheckFinding) -> Value {
    json!({
        "rule": finding.rule.code(),
        "severity": finding.severity.as_str(),
        "tool": finding.tool,
        "message": finding.message,
        "count": finding.count,
        "evidence": evidence(&finding.evidence),
        "fix": finding.fix,
    })
}

pub(super) fn evidence(evidence: &FindingEvidence) -> Value {
    json!({"request": evidence.request, "response": evidence.response, "pointer": evidence.pointer})
}

fn made(call: &MadeCall) -> Value {
    json!({
        "tool": call.tool,
        "arguments": call.arguments,
        "kind": call.kind,
        "verdict": call.verdict,
        "ms": call.ms,
    })
}

fn covered(tool: &str, coverage: &Coverage) -> Value {
    json!({
        "tool": tool,
        "results": coverage.results,
        "declared": coverage.declared.len(),
        "seen": coverage.seen(),
        "partial": coverage.is_partial,
        "never_seen": coverage.never_seen().collect::<Vec<_>>(),
        "undeclared": coverage.undeclared,
    })
}
