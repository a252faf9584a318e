//! The result of a check, and the forms in which it is reported.

mod html;
mod json;
mod junit;
mod sarif;

use std::borrow::Cow;

use mortise_client::Upstream;
use mortise_client::secret::Secrets;
use serde::Serialize;
use serde_json::Value;

use super::{Coverage, FindingSeverity, Findings, ToolStanding, VerificationTally};
use crate::moment::Moment;

pub(crate) use json::FindingRow;

/// The report on all servers of a check.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// The seed of the run; with it, the run can be repeated.
    pub seed: u64,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// How long it took.
    pub duration_ms: u64,
    /// The servers, in the order in which they were given.
    pub servers: Vec<ServerReport>,
}

/// The report on one server.
#[derive(Clone, Debug)]
pub struct ServerReport {
    /// The name it is configured under.
    pub server: String,
    /// What it calls itself, with its version.
    pub about: Option<String>,
    /// The protocol version spoken.
    pub protocol_version: Option<String>,
    /// The names of its tools.
    pub tools: Vec<String>,
    /// Calls made.
    pub calls: u64,
    /// Each of them, in order.
    pub made: Vec<MadeCall>,
    pub findings: Findings,
    /// How far each tool was verified, in the order of the list.
    pub standings: Vec<ToolStanding>,
    /// For each verified tool, arguments of a call that succeeded.
    pub working: Vec<(String, Value)>,
    /// Cases that were run.
    pub cases: Vec<CaseOutcome>,
    /// How much of each tool's output schema was seen.
    pub coverage: Vec<(String, Coverage)>,
}

/// A call that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MadeCall {
    pub tool: String,
    /// Its arguments, without secrets and cut.
    pub arguments: String,
    /// `valid`, `boundary`, `invalid`, `case`, or `recorded`.
    pub kind: &'static str,
    /// The verdict on the result; `refused`, `json_rpc_error`, `timed_out`, `connection_lost` or `failed` without one.
    pub verdict: &'static str,
    /// How long it took.
    pub ms: u64,
}

impl MadeCall {
    /// Longest arguments, in bytes.
    pub const ARGUMENTS: usize = 256;
    /// The verdict of a call whose result the server held back, since it breaks the contract.
    pub const WITHHELD: &'static str = "withheld";

    /// Whether there was a result.
    pub fn is_answered(&self) -> bool {
        !matches!(self.verdict, "refused" | "json_rpc_error" | "timed_out" | "connection_lost" | "failed")
    }
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseOutcome {
    pub file: String,
    /// Its title in the file; several may have the same.
    pub title: String,
    /// What it is called here, unlike any other of its file.
    pub name: String,
    /// The tool it calls.
    pub tool: String,
    /// How long it took.
    pub ms: u64,
    /// What is not as expected; `None` if it passed.
    pub problem: Option<String>,
    /// The fingerprint of the finding that reports it.
    pub finding: Option<String>,
}

/// A form of the report for programs, or for a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, with everything.
    Json,
    /// JUnit XML, for build servers.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// One page without anything from elsewhere.
    Html,
}

impl Format {
    /// The format of that word.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "json" => Self::Json,
            "junit" => Self::Junit,
            "sarif" => Self::Sarif,
            "html" => Self::Html,
            _ => return None,
        })
    }
}

impl CheckReport {
    /// A report that begins now.
    pub fn begin(seed: u64) -> RunningCheck {
        RunningCheck { seed, started: Moment::now() }
    }

    /// How many findings of a severity there are.
    pub fn count(&self, severity: FindingSeverity) -> usize {
        self.servers.iter().map(|server| server.findings.count(severity)).sum()
    }

    /// How many tools of all servers have each standing.
    pub fn tally(&self) -> VerificationTally {
        VerificationTally::of(self.servers.iter().flat_map(|server| &server.standings))
    }

    /// The report in a form.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Json => json::render(self),
            Format::Junit => junit::render(self),
            Format::Sarif => sarif::render(self),
            Format::Html => html::render(self),
        }
    }
}

/// A check that is under way.
#[derive(Clone, Copy, Debug)]
pub struct RunningCheck {
    seed: u64,
    started: Moment,
}

impl RunningCheck {
    /// The report, once all servers are checked.
    pub fn finish(self, servers: Vec<ServerReport>) -> CheckReport {
        CheckReport {
            seed: self.seed,
            started_at: self.started.stamp(),
            duration_ms: self.started.elapsed_ms(),
            servers,
        }
    }
}

impl ServerReport {
    pub(super) fn new(upstream: &Upstream) -> Self {
        let facts = upstream.facts();
        let about = facts.as_ref().and_then(|facts| {
            let version = facts.version().map(|version| format!(" {version}")).unwrap_or_default();
            Some(format!("{}{version}", facts.name()?))
        });
        let catalog = upstream.catalog();
        Self {
            server: upstream.name().as_str().to_owned(),
            about,
            protocol_version: facts.map(|facts| facts.protocol_version.clone()),
            tools: catalog.contracts.iter().map(|contract| contract.name.as_str().to_owned()).collect(),
            calls: 0,
            made: Vec::new(),
            findings: Findings::default(),
            standings: Vec::new(),
            working: Vec::new(),
            cases: Vec::new(),
            coverage: Vec::new(),
        }
    }

    /// How many of its tools have each standing.
    pub fn tally(&self) -> VerificationTally {
        VerificationTally::of(&self.standings)
    }

    /// The report as it can be shown to anybody: names that the server chose may hold secrets that it was given.
    pub(super) fn shown(mut self, secrets: &Secrets) -> Self {
        let name = |name: &mut String| {
            if let Cow::Owned(hidden) = secrets.hide_certain_in_name(name) {
                *name = hidden;
            }
        };
        self.about.iter_mut().for_each(name);
        self.tools.iter_mut().for_each(name);
        self.made.iter_mut().for_each(|call| name(&mut call.tool));
        // A case with another word in place of a secret would be another call.
        self.working.retain(|(tool, arguments)| {
            let text = format!("{tool} {arguments}");
            secrets.hide(&text) == text && secrets.hide_certain_in_name(tool) == tool.as_str()
        });
        self.standings.iter_mut().for_each(|standing| name(&mut standing.tool));
        self.cases.iter_mut().for_each(|case| name(&mut case.tool));
        let places =
            |coverage: Coverage| coverage.renamed(|place| secrets.hide_certain_in_name(&place).into_owned());
        self.coverage.iter_mut().for_each(|(tool, coverage)| {
            name(tool);
            *coverage = places(std::mem::take(coverage));
        });
        self
    }
}

#[cfg(test)]
pub(super) mod tests;
