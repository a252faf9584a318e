//! The report as JSON.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CaseOutcome, CheckReport, MadeCall, ServerReport};
use crate::check::{CheckFinding, Coverage, FindingEvidence, FindingSeverity, ToolStanding, Verification};

/// Counted up when a member changes its meaning or goes.
const VERSION: u64 = 2;

pub(super) fn render(report: &CheckReport) -> String {
    serde_json::to_string(&ReportRow::of(report)).unwrap_or_default()
}

#[derive(Serialize)]
struct ReportRow<'a> {
    version: u64,
    mortise: &'static str,
    seed: u64,
    started_at: &'a str,
    duration_ms: u64,
    summary: SummaryRow,
    servers: Vec<ServerRow<'a>>,
}

#[derive(Serialize)]
struct SummaryRow {
    errors: usize,
    warnings: usize,
    infos: usize,
    calls: u64,
    verified: usize,
    broken: usize,
    unverified: usize,
    not_called: usize,
}

#[derive(Serialize)]
struct ServerRow<'a> {
    server: &'a str,
    about: Option<&'a str>,
    protocol_version: Option<&'a str>,
    tools: &'a [String],
    calls: u64,
    made: &'a [MadeCall],
    findings: Vec<FindingRow>,
    standings: &'a [ToolStanding],
    cases: Vec<CaseRow<'a>>,
    coverage: Vec<CoverageRow<'a>>,
}

/// A finding, as the report and the tool `test_server` write it.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct FindingRow {
    rule: &'static str,
    severity: &'static str,
    tool: Option<String>,
    message: String,
    count: u64,
    evidence: EvidenceRow,
    fix: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct EvidenceRow {
    request: String,
    response: String,
    pointer: String,
}

#[derive(Serialize)]
struct CaseRow<'a> {
    file: &'a str,
    name: &'a str,
    tool: &'a str,
    ms: u64,
    passed: bool,
    problem: Option<&'a str>,
}

#[derive(Serialize)]
struct CoverageRow<'a> {
    tool: &'a str,
    results: usize,
    declared: usize,
    seen: usize,
    partial: bool,
    never_seen: Vec<&'a str>,
    undeclared: &'a BTreeSet<String>,
}

impl<'a> ReportRow<'a> {
    fn of(report: &'a CheckReport) -> Self {
        let tally = report.tally();
        Self {
            version: VERSION,
            mortise: env!("CARGO_PKG_VERSION"),
            seed: report.seed,
            started_at: &report.started_at,
            duration_ms: report.duration_ms,
            summary: SummaryRow {
                errors: report.count(FindingSeverity::Error),
                warnings: report.count(FindingSeverity::Warning),
                infos: report.count(FindingSeverity::Info),
                calls: report.servers.iter().map(|server| server.calls).sum(),
                verified: tally.count(Verification::Verified),
                broken: tally.count(Verification::Broken),
                unverified: tally.count(Verification::Unverified),
                not_called: tally.count(Verification::NotCalled),
            },
            servers: report.servers.iter().map(ServerRow::of).collect(),
        }
    }
}

impl<'a> ServerRow<'a> {
    fn of(report: &'a ServerReport) -> Self {
        let coverage = report.coverage.iter();
        Self {
            server: &report.server,
            about: report.about.as_deref(),
            protocol_version: report.protocol_version.as_deref(),
            tools: &report.tools,
            calls: report.calls,
            made: &report.made,
            findings: report.findings.iter().map(FindingRow::of).collect(),
            standings: &report.standings,
            cases: report.cases.iter().map(CaseRow::of).collect(),
            coverage: coverage.map(|(tool, coverage)| CoverageRow::of(tool, coverage)).collect(),
        }
    }
}

impl FindingRow {
    pub(crate) fn of(finding: &CheckFinding) -> Self {
        Self {
            rule: finding.rule.code(),
            severity: finding.severity.as_str(),
            tool: finding.tool.clone(),
            message: finding.message.clone(),
            count: finding.count,
            evidence: EvidenceRow::of(&finding.evidence),
            fix: finding.fix,
        }
    }
}

impl EvidenceRow {
    pub(super) fn of(evidence: &FindingEvidence) -> Self {
        let FindingEvidence { request, response, pointer } = evidence.clone();
        Self { request, response, pointer }
    }
}

impl<'a> CaseRow<'a> {
    fn of(case: &'a CaseOutcome) -> Self {
        Self {
            file: &case.file,
            name: &case.name,
            tool: &case.tool,
            ms: case.ms,
            passed: case.problem.is_none(),
            problem: case.problem.as_deref(),
        }
    }
}

impl<'a> CoverageRow<'a> {
    fn of(tool: &'a str, coverage: &'a Coverage) -> Self {
        Self {
            tool,
            results: coverage.results,
            declared: coverage.declared.len(),
            seen: coverage.seen(),
            partial: coverage.is_partial,
            never_seen: coverage.never_seen().collect(),
            undeclared: &coverage.undeclared,
        }
    }
}
