//! Do servers keep their contracts: declarations looked at, tools called, results judged.
//!
//! [`check_server`] looks at one connected server. It calls only tools that say they change
//! nothing, unless the [`Plan`] allows more, and says what it did not call and why. The arguments
//! follow from the input schemas and one seed, so that a run can be repeated.

mod arguments;
mod calls;
mod cases;
mod class;
mod coverage;
mod declared;
mod finding;
mod report;
mod step;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::schema::SchemaOptions;
use mortise_contract::{Contract, SchemaCache};
use mortise_upstream::{ConnectError, FaultKind, Upstream};

pub use arguments::{Generated, Kind, generate};
pub use cases::{CaseFile, CaseFileError};
pub use class::Class;
pub use coverage::Coverage;
pub use finding::{Finding, Findings, Rule, Severity};
pub use report::{CaseOutcome, CheckReport, Format, ServerReport, Skipped};

/// Told what is being done.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// What is to be checked, and how.
#[derive(Clone)]
pub struct Plan {
    /// Where generated arguments come from.
    pub seed: u64,
    /// Calls made up for one tool at most; 0 makes none.
    pub calls_per_tool: usize,
    /// Which tools are called.
    pub calling: Calling,
    /// Tools to look at and to call; all if empty.
    pub only: Vec<String>,
    /// Answers that take longer are a finding.
    pub slow: Duration,
    /// How long one call may take.
    pub timeout: Duration,
    /// Who is told what is being done.
    pub progress: Option<Progress>,
}

/// Which tools are called with arguments that were made up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Calling {
    /// Those that say they change nothing.
    #[default]
    ReadOnly,
    /// Those, and these by name.
    ReadOnlyAnd(Vec<String>),
    /// All of them.
    All,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            seed: 0,
            calls_per_tool: 12,
            calling: Calling::ReadOnly,
            only: Vec::new(),
            slow: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            progress: None,
        }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Plan")
            .field("seed", &self.seed)
            .field("calls_per_tool", &self.calls_per_tool)
            .field("calling", &self.calling)
            .finish_non_exhaustive()
    }
}

impl Plan {
    fn say(&self, what: &str) {
        if let Some(progress) = &self.progress {
            progress(what);
        }
    }

    fn includes(&self, tool: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == tool)
    }

    /// Why a tool is not called; `None` if it is.
    fn reason_not_to_call(&self, contract: &Contract) -> Option<String> {
        let name = contract.name.as_str();
        let allowed = match &self.calling {
            Calling::All => true,
            Calling::ReadOnly => contract.hints().read_only,
            Calling::ReadOnlyAnd(named) => {
                contract.hints().read_only || named.iter().any(|allowed| allowed == name)
            }
        };
        match allowed {
            _ if !contract.is_callable() => Some("its declaration forbids a plain call".to_owned()),
            true => None,
            false => Some("it does not say that it only reads (readOnlyHint)".to_owned()),
        }
    }
}

/// What the parts of one check share.
struct Check<'a> {
    upstream: &'a Upstream,
    plan: &'a Plan,
    schemas: SchemaCache,
    options: SchemaOptions,
    report: ServerReport,
}

/// Checks one server that is connected: its declarations, made-up calls, and cases.
pub async fn check_server(upstream: &Upstream, plan: &Plan, cases: &[CaseFile]) -> ServerReport {
    let mut check = Check {
        upstream,
        plan,
        schemas: SchemaCache::default(),
        options: SchemaOptions::default(),
        report: ServerReport::new(upstream),
    };
    declared::look(&mut check);
    let contracts = upstream.catalog().contracts.clone();
    if plan.calls_per_tool > 0 {
        for contract in contracts.iter().filter(|contract| plan.includes(contract.name.as_str())) {
            calls::call_tool(&mut check, contract).await;
        }
    }
    for file in cases {
        step::run_file(&mut check, file).await;
    }
    faults(&mut check);
    let wanted_calls = plan.calls_per_tool > 0 || !cases.is_empty();
    if check.report.calls == 0 && wanted_calls {
        let why = match contracts.is_empty() {
            true => "the server lists no tool".to_owned(),
            false => format!("of {} tools none was called", contracts.len()),
        };
        check.report.findings.add(Finding::new(Rule::NothingChecked, None, why));
    }
    check.report
}

/// The report on a server that can't be reached.
pub fn unreachable_server(upstream: &Upstream, error: &ConnectError) -> ServerReport {
    let mut report = ServerReport::new(upstream);
    let rule = match error {
        ConnectError::AuthRequired { .. } => Rule::AuthorizationRequired,
        _ => Rule::Unreachable,
    };
    report.findings.add(Finding::new(rule, None, crate::failure::in_full(error)));
    report
}

/// Where the server broke the protocol on the way.
fn faults(check: &mut Check<'_>) {
    let kept = check.upstream.faults();
    let mut counts: Vec<(FaultKind, u64)> = check.upstream.fault_counts().into_iter().collect();
    counts.sort_by_key(|(kind, _)| kind.label());
    for (kind, count) in counts {
        let rule = match kind {
            FaultKind::NotJson | FaultKind::NotUtf8 => Rule::StdoutNoise,
            // Ours: a call was given up first.
            FaultKind::LateResponse => continue,
            _ => Rule::ProtocolFault,
        };
        let excerpt = kept.iter().find(|fault| fault.kind == kind).map(|fault| fault.excerpt.clone());
        let message = format!("{}, {count} times", kind.label());
        let finding = Finding::new(rule, None, message).key(kind.label());
        check.report.findings.add(finding.evidence(excerpt.unwrap_or_default()));
    }
}
