//! The approvals of one run: the question before it, and the questions in its middle.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::approval::{
    Admission, AllowedCalls, ApprovalAnswer, ApprovalDecision, ApprovalQuestion, AskReason, AskedTool,
    CallPlan, DecidedBy, DeclaredEffect, GrantBook, GrantId, PolicyAnswer, QuestionStage,
};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::restored::{EarlierDecisions, RepeatDecision};
use super::standing::StandingGrants;
use super::{ApprovalAsker, ApprovalRules, ApprovalStore, CallsUnderWay, NoAnswer, QuestionId, with_subject};
use crate::ledger::shown_arguments;
use crate::registry::{RegisteredTool, ToolSnapshot};
use crate::wall_clock::{milliseconds_since_1970, seconds_since_1970};

/// Holds the calls of one run to the policy and to what was granted.
pub struct RunApprovals {
    pub(super) rules: Arc<ApprovalRules>,
    pub(super) store: Arc<dyn ApprovalStore>,
    pub(super) standing: Arc<StandingGrants>,
    pub(super) run: String,
    pub(super) caller: String,
    pub(super) asker: Option<Arc<dyn ApprovalAsker>>,
    pub(super) book: GrantBook,
    pub(super) questions: AtomicU32,
    /// Calls that wait for an answer, in the order in which they came.
    pub(super) waiting: Mutex<BTreeMap<u64, WaitingCall>>,
    pub(super) next_call: AtomicU64,
    /// Held by the one call that asks for all.
    pub(super) turn: tokio::sync::Mutex<()>,
    pub(super) stopped: OnceLock<WaitingQuestion>,
    pub(super) stop: CancellationToken,
    pub(super) under_way: Arc<CallsUnderWay>,
    /// What was decided about an earlier part of the run.
    pub(super) earlier: Mutex<EarlierDecisions>,
}

/// What an answer is needed for.
pub(super) struct WaitingCall {
    tool: AskedTool,
    arguments: RawJson,
    reason: AskReason,
    answer: oneshot::Sender<Result<GrantId, ApprovalOutcome>>,
}

/// Why a call is not made.
#[derive(Clone, Debug)]
pub enum ApprovalOutcome {
    /// It is refused.
    Denied {
        /// Who: `the configuration`, `client claude-code`.
        by: String,
        /// The rule, or what was asked.
        why: String,
    },
    /// No one who could be asked has answered. The run stops, and can be started again once there is a decision.
    MustWait(WaitingQuestion),
}

/// A question without an answer.
#[derive(Clone, Debug)]
pub struct WaitingQuestion {
    /// Its name in the [`ApprovalStore`].
    pub id: QuestionId,
    pub question: Arc<ApprovalQuestion>,
    /// Why no answer was obtained, as the end of a sentence.
    pub why: String,
}

/// How long the first call that must be asked about waits for others, so that one question is about all of them.
const GATHERED: Duration = Duration::from_millis(25);
/// How often a run looks for a decision that came from elsewhere while a person is asked.
const LOOKED_AFTER: Duration = Duration::from_secs(1);
/// How long before the end of the run a question is given up, so that the run can still say so.
const BEFORE_END: Duration = Duration::from_millis(500);

impl RunApprovals {
    /// How long a question waits for its answer at most.
    pub fn longest_question(&self) -> Duration {
        self.rules.timeout
    }

    /// The grants of the run.
    pub fn book(&self) -> &GrantBook {
        &self.book
    }

    /// Ends the run; fires also when a question has no answer.
    pub fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// The question that has stopped the run.
    pub fn stopped_by(&self) -> Option<&WaitingQuestion> {
        self.stopped.get()
    }

    /// What must be asked before the program's first call; `None` if nothing.
    pub fn question_about(&self, plan: &CallPlan, snapshot: &ToolSnapshot) -> Option<ApprovalQuestion> {
        let policy = &self.rules.policy;
        let (mut asked, mut refused) = (Vec::new(), Vec::new());
        for planned in &plan.tools {
            let Some(tool) = snapshot.tool(&planned.tool) else { continue };
            let outlook = with_subject(tool, &self.caller, |subject| policy.outlook(subject));
            let is_covered = || self.book.covers(&planned.tool, planned.at_most, seconds_since_1970());
            if let Some(by) = outlook.asks() {
                if is_covered() {
                    continue;
                }
                let schema = policy.asked_arguments(by).map(|arguments| arguments.schema().clone());
                let (lines, calls) = (planned.lines.clone(), planned.at_most);
                asked.push(AskedTool { lines, calls, schema, ..asked_tool(tool) });
            } else if outlook.surely().is_some_and(|decision| decision.answer == PolicyAnswer::Deny) {
                refused.push(shown_name(tool));
            }
        }
        if asked.is_empty() {
            return None;
        }
        let question = ApprovalQuestion::new(QuestionStage::BeforeRun, asked);
        Some(ApprovalQuestion { lookups: plan.lookups.clone(), refused, ..question })
    }

    /// Asks what must be asked before the run. A refusal holds for the tools that were asked about: the run begins, and
    /// their calls fail.
    pub async fn before_run(&self, question: ApprovalQuestion) -> Result<(), WaitingQuestion> {
        let decision = self.decide(question, None).await?;
        let (question, decision) = (decision.question, decision.decision);
        match &decision.answer {
            ApprovalAnswer::Allow(allowed) => _ = self.grant(&question, allowed, 0),
            ApprovalAnswer::Deny => self.refuse(&question, &decision.who),
        }
        Ok(())
    }

    /// Decides about one call. Waits for a person where one must be asked, together with other calls that wait.
    pub async fn before_call(
        &self,
        tool: &RegisteredTool,
        arguments: &RawJson,
        run_ends: Instant,
    ) -> Result<Option<GrantId>, ApprovalOutcome> {
        if let Some(unanswered) = self.stopped.get() {
            return Err(ApprovalOutcome::MustWait(unanswered.clone()));
        }
        let policy = &self.rules.policy;
        let decision = with_subject(tool, &self.caller, |subject| policy.decide(subject, arguments));
        let reason = match decision.answer {
            PolicyAnswer::Allow => return Ok(None),
            PolicyAnswer::Deny => return Err(self.denied_by_policy(decision.by)),
            PolicyAnswer::Ask => match self.admit(tool.callable.as_str(), arguments) {
                Ok(id) => return Ok(Some(id)),
                Err(Ok(outcome)) => return Err(outcome),
                Err(Err(reason)) => reason,
            },
        };
        let schema = policy.asked_arguments(decision.by).map(|schema| schema.schema().clone());
        let asked = AskedTool { schema, ..asked_tool(tool) };
        self.wait_for_answer(asked, arguments.clone(), reason, run_ends).await.map(Some)
    }

    /// Decides whether a call is made again of which it is not known what came of it.
    pub(crate) async fn before_repeating(
        &self,
        tool: &RegisteredTool,
        call: u64,
        arguments: &RawJson,
        run_ends: Instant,
    ) -> Result<(), ApprovalOutcome> {
        let earlier = self.earlier.lock().repeats.get(&call).cloned();
        match earlier {
            Some(RepeatDecision::Allowed) => return Ok(()),
            Some(RepeatDecision::Denied { by }) => {
                let why = "it may have done its work before the run stopped".to_owned();
                return Err(ApprovalOutcome::Denied { by, why });
            }
            None => {}
        }
        let reason = AskReason::UnknownOutcome { call };
        self.wait_for_answer(asked_tool(tool), arguments.clone(), reason, run_ends).await.map(|_| ())
    }

    fn denied_by_policy(&self, by: DecidedBy) -> ApprovalOutcome {
        ApprovalOutcome::Denied { by: "the configuration".to_owned(), why: self.rules.policy.describe(by) }
    }

    /// Whether a grant covers a call; else a refusal, or why it must be asked about.
    fn admit(&self, tool: &str, arguments: &RawJson) -> Result<GrantId, Result<ApprovalOutcome, AskReason>> {
        match self.book.admit(tool, arguments, seconds_since_1970()) {
            Admission::Admitted(id) => Ok(id),
            Admission::Denied { by } => {
                let why = "calls of this tool were refused in this run".to_owned();
                Err(Ok(ApprovalOutcome::Denied { by, why }))
            }
            Admission::Ask(reason) => Err(Err(reason)),
        }
    }

    /// Joins the calls that wait. Whichever gets the turn asks for all; if its program stops waiting for it, the turn
    /// passes on and the question is put again for the others.
    async fn wait_for_answer(
        &self,
        tool: AskedTool,
        arguments: RawJson,
        reason: AskReason,
        run_ends: Instant,
    ) -> Result<GrantId, ApprovalOutcome> {
        let (answer, mut answered) = oneshot::channel();
        let number = self.next_call.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().insert(number, WaitingCall { tool, arguments, reason, answer });
        let _leaves = LeavesQueue { run: self, number };
        loop {
            tokio::select! {
                biased;
                outcome = &mut answered => match outcome {
                    Ok(outcome) => return outcome,
                    // The sender is in the queue until this call leaves it.
                    Err(_) => std::future::pending().await,
                },
                _turn = self.turn.lock() => {
                    tokio::time::sleep(GATHERED).await;
                    self.ask_for_all(run_ends).await;
                }
            }
        }
    }

    /// Asks one question about all calls that wait, and answers them.
    async fn ask_for_all(&self, run_ends: Instant) {
        self.answer_covered();
        let (numbers, question) = {
            let waiting = self.waiting.lock();
            let numbers: Vec<u64> = waiting.keys().copied().collect();
            (numbers, question_about_calls(waiting.values()))
        };
        if numbers.is_empty() {
            return;
        }
        let until = run_ends.checked_sub(BEFORE_END).unwrap_or(run_ends);
        match self.decide(question, Some(until)).await {
            Ok(Decided { question, decision }) => match &decision.answer {
                ApprovalAnswer::Allow(allowed) => self.allow_waiting(&numbers, &question, allowed),
                ApprovalAnswer::Deny => {
                    self.refuse(&question, &decision.who);
                    self.refuse_repeats(&numbers, &decision.who);
                    self.answer_covered();
                }
            },
            Err(unanswered) => {
                let _ = self.stopped.set(unanswered.clone());
                // From now on no call leaves. Those that have left may end, so that their outcome is known.
                self.under_way.settled().await;
                self.stop.cancel();
                let waiting = std::mem::take(&mut *self.waiting.lock());
                for call in waiting.into_values() {
                    // A call that its program gave up has no receiver.
                    let _ = call.answer.send(Err(ApprovalOutcome::MustWait(unanswered.clone())));
                }
            }
        }
    }

    /// Answers the calls that were asked about: those that the grant covers are made, the rest are asked about again.
    fn allow_waiting(&self, numbers: &[u64], question: &ApprovalQuestion, allowed: &AllowedCalls) {
        let is_repeat = |why: Option<&AskReason>| matches!(why, Some(AskReason::UnknownOutcome { .. }));
        let mut granted = question.clone();
        granted.tools.retain(|tool| !is_repeat(tool.why.as_ref()));
        let calls = granted.tools.len();
        if calls > 0 && self.grant(&granted, allowed, 0).is_none() {
            return self.refuse_waiting(numbers, "mortise", "the run holds as many grants as it may");
        }
        let repeats: Vec<u64> = {
            let waiting = self.waiting.lock();
            let repeats = numbers
                .iter()
                .filter(|number| waiting.get(number).is_some_and(|call| is_repeat(Some(&call.reason))));
            repeats.copied().collect()
        };
        for number in repeats {
            if let Some(call) = self.waiting.lock().remove(&number) {
                // A call that its program gave up has no receiver.
                let _ = call.answer.send(Ok(GrantId(0)));
            }
        }
        self.answer_covered();
    }

    /// Answers calls that are not made.
    fn refuse_waiting(&self, numbers: &[u64], by: &str, why: &str) {
        let mut waiting = self.waiting.lock();
        for call in numbers.iter().filter_map(|number| waiting.remove(number)) {
            let denied = ApprovalOutcome::Denied { by: by.to_owned(), why: why.to_owned() };
            let _ = call.answer.send(Err(denied));
        }
    }

    /// Answers the calls that grants and refusals of by now cover.
    fn answer_covered(&self) {
        let mut waiting = self.waiting.lock();
        let mut covered = Vec::new();
        for (number, call) in waiting.iter_mut() {
            if matches!(call.reason, AskReason::UnknownOutcome { .. }) {
                continue;
            }
            match self.admit(&call.tool.tool, &call.arguments) {
                Ok(id) => covered.push((*number, Ok(id))),
                Err(Ok(outcome)) => covered.push((*number, Err(outcome))),
                Err(Err(reason)) => call.reason = reason,
            }
        }
        for (number, outcome) in covered {
            if let Some(call) = waiting.remove(&number) {
                let _ = call.answer.send(outcome);
            }
        }
    }

    /// Grants what was asked; the last grant, or `None` if none could be added.
    pub(super) fn grant(
        &self,
        question: &ApprovalQuestion,
        allowed: &AllowedCalls,
        used: u64,
    ) -> Option<GrantId> {
        let mut last = None;
        for grant in question.grants(allowed, &self.caller) {
            match self.standing.add(&grant, used, &self.book) {
                Ok(id) => last = Some(id),
                Err(error) => tracing::warn!(%error, tool = grant.tool, "a grant could not be added"),
            }
        }
        last
    }

    /// Refuses what was asked. That one call is not made again says nothing about others of the same tool.
    pub(super) fn refuse(&self, question: &ApprovalQuestion, by: &str) {
        let is_repeat = |tool: &&AskedTool| matches!(tool.why, Some(AskReason::UnknownOutcome { .. }));
        question
            .tools
            .iter()
            .filter(|tool| !is_repeat(tool))
            .for_each(|tool| self.book.refuse(&tool.tool, by));
    }

    /// Answers the calls that are not made again.
    fn refuse_repeats(&self, numbers: &[u64], by: &str) {
        let mut waiting = self.waiting.lock();
        for number in numbers {
            let is_repeat = |call: &WaitingCall| matches!(call.reason, AskReason::UnknownOutcome { .. });
            if waiting.get(number).is_some_and(is_repeat)
                && let Some(call) = waiting.remove(number)
            {
                let why = "it may have done its work before the run stopped".to_owned();
                // A call that its program gave up has no receiver.
                let _ = call.answer.send(Err(ApprovalOutcome::Denied { by: by.to_owned(), why }));
            }
        }
    }

    /// Obtains a decision: the one that is kept already, one that comes in meanwhile, or the answer of a person.
    async fn decide(
        &self,
        question: ApprovalQuestion,
        until: Option<Instant>,
    ) -> Result<Decided, WaitingQuestion> {
        let question = Arc::new(question);
        let id = self.put(&question).await;
        if let Some(decision) = self.kept_decision(&id).await {
            return Ok(Decided { question, decision });
        }
        let latest = Instant::now() + self.rules.timeout;
        let latest = until.map_or(latest, |until| until.min(latest));
        tracing::info!(event = "mortise.approval.asked", question = %id, tools = question.tools.len(), "a person is asked");
        let answered = tokio::select! {
            biased;
            decision = self.decided_elsewhere(&id) => return Ok(Decided { question, decision }),
            answered = self.ask(&question) => answered,
            () = tokio::time::sleep_until(latest) => Err(NoAnswer("no answer came in time".to_owned())),
        };
        match answered {
            Ok((answer, who)) => {
                let decision = ApprovalDecision { answer, who, at_ms: milliseconds_since_1970() };
                if let Err(error) = self.store.record_decision(&id, &decision).await {
                    tracing::warn!(%error, question = %id, "a decision is not recorded");
                }
                let is_allowed = matches!(decision.answer, ApprovalAnswer::Allow(_));
                let who = decision.who.as_str();
                tracing::info!(event = "mortise.approval.decided", question = %id, is_allowed, who, "a person decided");
                Ok(Decided { question, decision })
            }
            Err(NoAnswer(why)) => {
                tracing::info!(event = "mortise.approval.waits", question = %id, why, "a question has no answer");
                Err(WaitingQuestion { id, question, why })
            }
        }
    }

    /// Keeps a question under a number of its own. A number whose question is another one is not used again: what a
    /// person decides must be what was shown.
    async fn put(&self, question: &ApprovalQuestion) -> QuestionId {
        loop {
            let id = QuestionId::new(&self.run, self.questions.fetch_add(1, Ordering::Relaxed) + 1);
            if let Err(error) = self.store.put_question(&id, question).await {
                tracing::warn!(%error, question = %id, "a question is asked without being recorded");
                return id;
            }
            let kept = self.store.questions_of(&self.run).await.unwrap_or_default();
            if kept.iter().find(|kept| kept.id == id).is_none_or(|kept| kept.question == *question) {
                return id;
            }
        }
    }

    async fn ask(&self, question: &ApprovalQuestion) -> Result<(ApprovalAnswer, String), NoAnswer> {
        let Some(asker) = &self.asker else {
            return Err(NoAnswer("there is no one to ask".to_owned()));
        };
        Ok((asker.ask(question).await?, asker.who()))
    }

    async fn kept_decision(&self, id: &QuestionId) -> Option<ApprovalDecision> {
        match self.store.decision_for(id).await {
            Ok(decision) => decision,
            Err(error) => {
                tracing::warn!(%error, question = %id, "a decision can't be looked up");
                None
            }
        }
    }

    /// Ends when a decision comes from elsewhere, for example from a shell.
    async fn decided_elsewhere(&self, id: &QuestionId) -> ApprovalDecision {
        loop {
            tokio::time::sleep(LOOKED_AFTER).await;
            if let Ok(Some(decision)) = self.store.decision_for(id).await {
                return decision;
            }
        }
    }
}

impl fmt::Debug for RunApprovals {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunApprovals").field("run", &self.run).finish_non_exhaustive()
    }
}

impl WaitingQuestion {
    /// `needs_approval`, what is asked and why it waits, for the one who sent the program.
    pub fn message(&self) -> String {
        format!("needs_approval: the program wants to {}, and {}", self.question.summary(), self.why)
    }
}

struct Decided {
    question: Arc<ApprovalQuestion>,
    decision: ApprovalDecision,
}

/// Takes a call out of the queue when its program stops waiting for it.
struct LeavesQueue<'a> {
    run: &'a RunApprovals,
    number: u64,
}

impl Drop for LeavesQueue<'_> {
    fn drop(&mut self) {
        self.run.waiting.lock().remove(&self.number);
    }
}

/// One question about calls that wait, with one entry for each tool.
fn question_about_calls<'a>(calls: impl Iterator<Item = &'a WaitingCall>) -> ApprovalQuestion {
    let mut tools: BTreeMap<(&str, Option<u64>), AskedTool> = BTreeMap::new();
    for call in calls {
        // Each call that may have done its work is asked about by itself.
        let repeated = match call.reason {
            AskReason::UnknownOutcome { call } => Some(call),
            _ => None,
        };
        let tool = tools.entry((&call.tool.tool, repeated)).or_insert_with(|| call.tool.clone());
        tool.calls = Some(tool.calls.unwrap_or(0) + 1);
        tool.why.get_or_insert_with(|| call.reason.clone());
        tool.arguments.push(shown_arguments(&call.arguments));
    }
    ApprovalQuestion::new(QuestionStage::DuringRun, tools.into_values().collect())
}

/// A tool as questions name it, without anything about its calls.
fn asked_tool(tool: &RegisteredTool) -> AskedTool {
    AskedTool {
        tool: tool.callable.to_string(),
        shown: shown_name(tool),
        effect: DeclaredEffect::of(tool.contract.given_hints()),
        lines: Vec::new(),
        calls: None,
        why: None,
        arguments: Vec::new(),
        schema: None,
    }
}

fn shown_name(tool: &RegisteredTool) -> String {
    format!("{}.{}", tool.upstream.name(), tool.contract.name)
}
