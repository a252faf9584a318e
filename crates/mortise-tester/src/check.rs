//! Do servers keep their contracts: declarations looked at, tools called, results judged.
//!
//! [`check_server`] checks one connected server. It calls only tools that say they change
//! nothing, unless the [`Plan`] allows more, and says what it did not call and why. It looks for
//! arguments that work in the declarations, in refusals and in other tools' results, then varies
//! them. The same seed and the same answers give the same calls.

mod against;
mod arguments;
mod calls;
mod cases;
mod class;
mod coverage;
mod declared;
mod draft;
mod drift;
mod evidence;
mod finding;
mod judge;
mod knowledge;
mod prose;
mod readable;
mod report;
mod seen;
mod standing;
mod step;
mod withheld;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mortise_client::server_config::Transport;
use mortise_client::{ConnectError, FaultKind, Upstream};
use mortise_contract::schema::SchemaOptions;
use mortise_contract::text::counted;
use mortise_contract::{Contract, SchemaCache, ToolResult};

pub use against::{AnswerComparison, RecordedServerRun, check_against};
pub use arguments::{ArgumentsKind, Generated, generate};
pub(crate) use calls::revive;
pub use cases::{CaseFile, CaseFileError};
pub use class::Class;
pub use coverage::Coverage;
pub use evidence::FindingEvidence;
pub use finding::{CheckFinding, CheckRule, FindingSeverity, Findings};
pub(crate) use report::FindingRow;
pub use report::{CaseOutcome, CheckReport, Format, MadeCall, ServerReport};
pub use standing::{ToolStanding, Verification, VerificationTally};

/// Receives progress messages.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Receives the results of calls with valid arguments, as they come.
pub type ResultListener = Arc<dyn Fn(&Contract, &ToolResult) + Send + Sync>;

/// What is to be checked, and how.
#[derive(Clone)]
pub struct Plan {
    /// Where generated arguments come from.
    pub seed: u64,
    /// Calls made up for one tool, and at most eight more where the first does not succeed. With 0 and no
    /// case, that nothing was called is a finding.
    pub calls_per_tool: usize,
    /// Which tools are called.
    pub calling: Calling,
    /// Tools to look at and to call; all if empty.
    pub only: Vec<String>,
    /// Answers that take longer are a finding.
    pub slow: Duration,
    /// How long one call may take.
    pub timeout: Duration,
    /// Receives progress messages.
    pub progress: Option<Progress>,
    /// Receives results.
    pub results: Option<ResultListener>,
}

/// Which tools are called with arguments that were made up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Calling {
    /// None: only the declarations are asked about.
    None,
    /// Those that say they change nothing.
    #[default]
    ReadOnly,
    /// Those, and these by name.
    ReadOnlyAnd(Vec<String>),
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
            results: None,
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

    /// Whether the user named a tool as one to call.
    fn names(&self, tool: &str) -> bool {
        matches!(&self.calling, Calling::ReadOnlyAnd(named) if named.iter().any(|name| name == tool))
    }

    /// Why a tool is not called; `None` if it is.
    fn reason_not_to_call(&self, contract: &Contract) -> Option<String> {
        let allowed = match &self.calling {
            Calling::All => true,
            Calling::None => false,
            Calling::ReadOnly | Calling::ReadOnlyAnd(_) => {
                contract.hints().read_only || self.names(contract.name.as_str())
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
    /// What calls showed so far, by tool.
    seen: BTreeMap<String, seen::Seen>,
    /// Why tools are not called.
    skipped: BTreeMap<String, String>,
    /// Values from results, for the arguments of other tools.
    knowledge: knowledge::Knowledge,
    /// Paths that the server was started with.
    paths: Vec<String>,
}

impl<'a> Check<'a> {
    fn new(upstream: &'a Upstream, plan: &'a Plan) -> Self {
        Self {
            upstream,
            plan,
            schemas: SchemaCache::default(),
            options: SchemaOptions::default(),
            report: ServerReport::new(upstream),
            seen: BTreeMap::new(),
            skipped: BTreeMap::new(),
            knowledge: knowledge::Knowledge::default(),
            paths: calls::started_with(upstream),
        }
    }

    /// Takes a finding in as it can be shown.
    fn found(&mut self, finding: CheckFinding) {
        self.report.findings.add(finding.shown(self.upstream.secrets()));
    }

    /// Notes why a tool is not called.
    fn skip(&mut self, tool: &str, reason: impl Into<String>) {
        self.skipped.insert(tool.to_owned(), reason.into());
    }
}

/// Checks one server that is connected: its declarations, made-up calls, and cases.
pub async fn check_server(upstream: &Upstream, plan: &Plan, cases: &[CaseFile]) -> ServerReport {
    let mut check = Check::new(upstream, plan);
    declared::look(&mut check);
    let contracts = upstream.catalog().contracts.clone();
    let makes_calls = plan.calls_per_tool > 0 && plan.calling != Calling::None;
    if makes_calls {
        calls::call_tools(&mut check, &contracts, cases).await;
    }
    let mut has_cases = false;
    for file in cases.iter().filter(|file| file.is_for(upstream.name().as_str())) {
        has_cases = true;
        step::run_file(&mut check, file).await;
    }
    seen::finish(&mut check);
    faults(&mut check);
    if plan.calling != Calling::None {
        nothing_known(&mut check, makes_calls || has_cases);
    }
    check.report.shown(upstream.secrets())
}

/// Says that no call was made, or that none succeeded; a mistake where calls were wanted.
fn nothing_known(check: &mut Check<'_>, wanted: bool) {
    let tally = check.report.tally();
    let tools = counted(tally.total(), "tool");
    let has_passed = check.report.cases.iter().any(|case| case.problem.is_none());
    let is_known = tally.count(Verification::Verified) + tally.count(Verification::Broken) > 0 || has_passed;
    let (rule, message) = match (check.report.calls, wanted) {
        (0, _) if tally.total() == 0 => (CheckRule::NothingChecked, "the server lists no tool".to_owned()),
        (0, true) => (CheckRule::NothingChecked, format!("of {tools} none was called")),
        (0, false) => (
            CheckRule::NothingChecked,
            "no tool was called, as asked: nothing is known about results".to_owned(),
        ),
        _ if is_known => return,
        _ => (CheckRule::NothingVerified, format!("of {tools} none is verified: {}", tally.sentence())),
    };
    let reasons = check.report.standings.iter().map(|tool| format!("{}: {}", tool.tool, tool.reason));
    let response = reasons.collect::<Vec<_>>().join("; ");
    let evidence =
        FindingEvidence { request: "tools/list".to_owned(), response, ..FindingEvidence::default() };
    let severity = if wanted { FindingSeverity::Error } else { FindingSeverity::Warning };
    check.found(CheckFinding::new(rule, None, message).severity(severity).evidence(evidence));
}

/// The report on a server that can't be reached.
pub fn unreachable_server(upstream: &Upstream, error: &ConnectError) -> ServerReport {
    let mut report = ServerReport::new(upstream);
    let rule = match error {
        ConnectError::AuthRequired { .. } => CheckRule::AuthorizationRequired,
        _ => CheckRule::Unreachable,
    };
    let response = match error {
        ConnectError::Closed { stderr, .. }
        | ConnectError::Lost { stderr, .. }
        | ConnectError::Timeout { stderr, .. } => stderr.clone(),
        ConnectError::Http { body, .. } => body.clone(),
        ConnectError::AuthRequired { challenge, .. } => challenge.clone().unwrap_or_default(),
        _ => String::new(),
    };
    let request = match &upstream.config().transport {
        // Arguments may be secrets.
        Transport::Stdio(config) => format!("start {}", config.command),
        Transport::Http(config) => format!("connect to {}", config.origin()),
        Transport::InProcess(_) => "connect".to_owned(),
        Transport::Unusable(_) => "read its configuration".to_owned(),
    };
    let evidence = FindingEvidence { request, response, ..FindingEvidence::default() };
    let finding =
        CheckFinding::new(rule, None, mortise_contract::text::error_chain(error)).evidence(evidence);
    report.findings.add(finding.shown(upstream.secrets()));
    report
}

/// Where the server broke the protocol on the way.
fn faults(check: &mut Check<'_>) {
    let kept = check.upstream.faults();
    let mut counts: Vec<(FaultKind, u64)> = check.upstream.fault_counts().into_iter().collect();
    counts.sort_by_key(|(kind, _)| kind.label());
    for (kind, count) in counts {
        let rule = match kind {
            FaultKind::NotJson | FaultKind::NotUtf8 => CheckRule::StdoutNoise,
            // Ours: a call was given up first.
            FaultKind::LateResponse => continue,
            _ => CheckRule::ProtocolFault,
        };
        let response = kept.iter().find(|fault| fault.kind == kind).map(|fault| fault.excerpt.clone());
        let evidence =
            FindingEvidence { response: response.unwrap_or_default(), ..FindingEvidence::default() };
        let message = format!("{}, {}", kind.label(), counted(count, "time"));
        check.found(CheckFinding::new(rule, None, message).key(kind.label()).evidence(evidence));
    }
}

/// Places named in one finding.
const PLACES_SHOWN: usize = 20;

/// `a, b and 3 more`.
fn listed<T: AsRef<str>>(places: &[T]) -> String {
    let shown = places.iter().take(PLACES_SHOWN).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match places.len().saturating_sub(PLACES_SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
