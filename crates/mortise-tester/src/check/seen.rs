//! What all calls of one tool showed, and the standing that it has from them.

use mortise_contract::verdict::Status;
use mortise_contract::{Contract, SchemaCache, ToolOutcome};
use serde_json::Value;

use super::arguments::ArgumentsKind;
use super::judge::Judged;
use super::{
    Check, CheckFinding, CheckRule, Coverage, FindingEvidence, FindingSeverity, ToolStanding, Verification,
    counted, listed,
};

/// What the calls of one tool showed so far.
#[derive(Default)]
pub(super) struct Seen {
    coverage: Option<Coverage>,
    pub(super) calls: usize,
    /// Whether a result kept the contract.
    is_verified: bool,
    is_broken: bool,
    /// The arguments of the first call whose result kept the contract.
    pub(super) working: Option<Value>,
    /// Valid arguments that were answered with an error that does not say what failed.
    silent: Option<FindingEvidence>,
    /// The last call with valid arguments.
    last: FindingEvidence,
}

impl Seen {
    pub(super) fn of(contract: &Contract) -> Self {
        let schema = contract.output_schema().filter(|schema| schema.is_object());
        Self { coverage: schema.map(Coverage::new), ..Self::default() }
    }

    /// Takes a result in; only one that conforms says what of the schema occurs.
    pub(super) fn see(&mut self, contract: &Contract, outcome: &ToolOutcome, schemas: &SchemaCache) {
        let conforms = outcome.verdict.status == Status::Valid;
        if let (Some(coverage), true, Some(schema), Some(Ok(reading))) =
            (&mut self.coverage, conforms, contract.output_schema(), outcome.result.structured_reading())
        {
            coverage.see(schema, &reading.value, schemas);
        }
    }

    /// Takes in what an answer says about the contract.
    pub(super) fn judged(
        &mut self,
        judged: Judged,
        kind: Option<ArgumentsKind>,
        arguments: &Value,
        evidence: &FindingEvidence,
    ) {
        match judged {
            Judged::Kept => {
                self.is_verified = true;
                if kind != Some(ArgumentsKind::Invalid) && self.working.is_none() {
                    self.working = Some(arguments.clone());
                }
            }
            Judged::Broken => self.is_broken = true,
            Judged::SilentError if kind != Some(ArgumentsKind::Invalid) => {
                self.silent = Some(evidence.clone())
            }
            Judged::SilentError | Judged::ToolError | Judged::Unknown => {}
        }
        self.keep(kind, evidence);
    }

    /// Notes that the server held back a result.
    pub(super) fn broke(&mut self) {
        self.is_broken = true;
    }

    pub(super) fn keep(&mut self, kind: Option<ArgumentsKind>, evidence: &FindingEvidence) {
        if kind != Some(ArgumentsKind::Invalid) || self.last.is_empty() {
            self.last = evidence.clone();
        }
    }

    /// Whether further attempts would show nothing new about the contract.
    pub(super) fn is_settled(&self) -> bool {
        self.is_verified || self.is_broken
    }

    fn standing(&self) -> Verification {
        match (self.is_broken, self.is_verified) {
            (true, _) => Verification::Broken,
            (false, true) => Verification::Verified,
            (false, false) => Verification::Unverified,
        }
    }
}

/// What all calls together showed of each tool, in the order of the list.
pub(super) fn finish(check: &mut Check<'_>) {
    let mut all = std::mem::take(&mut check.seen);
    let mut skipped = std::mem::take(&mut check.skipped);
    for name in check.report.tools.clone() {
        let seen = all.remove(&name).filter(|seen| seen.calls > 0);
        let Some(seen) = seen else {
            if check.plan.includes(&name) {
                let reason = skipped.remove(&name).unwrap_or_else(|| "no call was asked for".to_owned());
                let standing = Verification::NotCalled;
                check.report.standings.push(ToolStanding { tool: name, standing, reason });
            }
            continue;
        };
        let standing = seen.standing();
        let reason = match standing {
            Verification::Unverified => unverified(check, &name, &seen),
            _ => String::new(),
        };
        check.report.standings.push(ToolStanding { tool: name.clone(), standing, reason });
        if let Some(arguments) = seen.working.clone().filter(|_| standing == Verification::Verified) {
            check.report.working.push((name.clone(), arguments));
        }
        finish_coverage(check, &name, seen);
    }
}

/// Why a tool is not verified. That is a finding unless a graver one says the same.
fn unverified(check: &mut Check<'_>, name: &str, seen: &Seen) -> String {
    let calls = counted(seen.calls, "call");
    if let Some(evidence) = &seen.silent {
        let message = format!(
            "none of {calls} succeeded, and the server hides why: the tool failed, or its result breaks the contract"
        );
        check.found(
            CheckFinding::new(CheckRule::InternalError, Some(name), &*message).evidence(evidence.clone()),
        );
        return message;
    }
    let message = format!("none of {calls} succeeded");
    let shown = check.upstream.secrets().hide_certain_in_name(name).into_owned();
    let is_told =
        check.report.findings.iter().any(|finding| {
            finding.tool.as_ref() == Some(&shown) && finding.severity == FindingSeverity::Error
        });
    if !is_told {
        check.found(
            CheckFinding::new(CheckRule::NeverSucceeded, Some(name), &*message).evidence(seen.last.clone()),
        );
    }
    message
}

fn finish_coverage(check: &mut Check<'_>, name: &str, seen: Seen) {
    let Some(coverage) = seen.coverage else { return };
    if coverage.results > 0 {
        let mut add = |rule: CheckRule, start: String, places: &[&str]| {
            let evidence = seen.last.at(places.first().copied().unwrap_or_default());
            let message = format!("{start}: {}", listed(places));
            check.found(CheckFinding::new(rule, Some(name), message).evidence(evidence));
        };
        let never: Vec<&str> = coverage.never_seen().collect();
        if !never.is_empty() {
            add(
                CheckRule::NeverSeen,
                format!("in {} never seen", counted(coverage.results, "result")),
                &never,
            );
        }
        if !coverage.undeclared.is_empty() {
            let places: Vec<&str> = coverage.undeclared.iter().map(String::as_str).collect();
            add(CheckRule::Undeclared, "seen and not declared".to_owned(), &places);
        }
    }
    check.report.coverage.push((name.to_owned(), coverage));
}
