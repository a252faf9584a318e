//! A server beside a recording of it: what it declares now, and what it answers now.

mod declared;
mod replay;

use std::collections::HashSet;

use mortise_client::Upstream;
use mortise_contract::Contract;
use mortise_contract::recording::{RecordedRequest, Recording};
use mortise_contract::text::{counted, cut};

use super::{
    CaseOutcome, Check, CheckFinding, CheckRule, FindingEvidence, Plan, ServerReport, faults, nothing_known,
    seen,
};
use crate::moment::Moment;

/// Characters of a request that stand for its name.
const NAME: usize = 120;

/// What a server is compared with.
#[derive(Clone, Debug)]
pub struct RecordedServerRun {
    /// The file, as the user named it.
    pub path: String,
    /// What was recorded.
    pub recording: Recording,
    /// What of an answer must be the same.
    pub comparison: AnswerComparison,
}

/// What of an answer must be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerComparison {
    /// Its shape: keys and kinds, or what the recorded output schema accepts.
    #[default]
    Shape,
    /// Every value.
    Exact,
}

/// What came of sending a request again.
struct Replayed {
    evidence: FindingEvidence,
    /// What differs; the first of them is the finding.
    problems: Vec<(CheckRule, String)>,
    /// What differs and harms none.
    remarks: Vec<String>,
}

/// Compares a server that is connected with a recording of it.
///
/// Each request of the recording is sent again once, in order, however often it was recorded. A tool that does not say
/// that it only reads is called only if the plan allows it.
pub async fn check_against(upstream: &Upstream, plan: &Plan, recorded: &RecordedServerRun) -> ServerReport {
    let mut check = Check::new(upstream, plan);
    let requests = recorded.recording.requests();
    let contracts = declared::recorded_tools(&requests);
    declared::compare(&mut check, contracts.as_deref(), &requests).await;
    let mut sent = HashSet::new();
    let mut replays = 0;
    for request in requests.iter().filter(|request| request.answer.is_some()) {
        if sent.insert(request.key()) && replay(&mut check, recorded, contracts.as_deref(), request).await {
            replays += 1;
        }
    }
    let uncalled: Vec<String> = check.report.tools.clone();
    for tool in uncalled {
        if !check.seen.contains_key(&tool) && !check.skipped.contains_key(&tool) {
            check.skip(&tool, "the recording has no call of it");
        }
    }
    seen::finish(&mut check);
    faults(&mut check);
    if replays == 0 {
        nothing_known(&mut check, true);
    }
    check.report.shown(upstream.secrets())
}

/// Sends one request again and reports what differs; whether it was sent.
async fn replay(
    check: &mut Check<'_>,
    recorded: &RecordedServerRun,
    contracts: Option<&[Contract]>,
    request: &RecordedRequest,
) -> bool {
    let started = Moment::now();
    check.plan.say(&format!("line {}: {}", request.line, request.method));
    let Some(replayed) = replay::send_again(check, recorded, contracts, request).await else { return false };
    let tool = request.tool();
    let name = format!("line {}: {}", request.line, cut(&request.key(), NAME));
    let key = format!("{}#{}", recorded.path, request.line);
    let remarks = replayed.remarks;
    if !remarks.is_empty() {
        let message = format!("{}, line {}: {}", recorded.path, request.line, listed_briefly(&remarks));
        let finding =
            CheckFinding::new(CheckRule::ResultDrift, tool.as_deref(), message).key(format!("{key}#new"));
        check.found(finding.severity(super::FindingSeverity::Info).evidence(replayed.evidence.clone()));
    }
    let problem = (!replayed.problems.is_empty()).then(|| {
        let words: Vec<&str> = replayed.problems.iter().map(|(_, words)| words.as_str()).collect();
        listed_briefly(&words)
    });
    let secrets = check.upstream.secrets().clone();
    let finding = replayed.problems.first().zip(problem.as_ref()).map(|((rule, _), problem)| {
        let message = format!("{}, line {}: {problem}", recorded.path, request.line);
        CheckFinding::new(*rule, tool.as_deref(), message)
            .key(key)
            .evidence(replayed.evidence)
            .shown(&secrets)
    });
    check.report.cases.push(CaseOutcome {
        file: recorded.path.clone(),
        title: secrets.hide(&name).into_owned(),
        name: secrets.hide(&name).into_owned(),
        tool: tool.unwrap_or_else(|| request.method.clone()),
        ms: started.elapsed_ms(),
        problem: problem.map(|problem| secrets.hide(&problem).into_owned()),
        finding: finding.as_ref().map(CheckFinding::fingerprint),
    });
    if let Some(finding) = finding {
        check.report.findings.add(finding);
    }
    true
}

/// Differences named in one finding.
const SHOWN: usize = 5;

fn listed_briefly<T: AsRef<str>>(words: &[T]) -> String {
    let shown = words.iter().take(SHOWN).map(AsRef::as_ref).collect::<Vec<&str>>().join("; ");
    match words.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {}", counted(more, "other difference")),
    }
}
