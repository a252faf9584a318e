//! What was decided about an earlier part of a run, when the run goes on.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use mortise_contract::RawJson;
use mortise_contract::approval::{ApprovalAnswer, AskReason, PolicyAnswer, QuestionStage};

use super::run::RunApprovals;
use super::{AskedQuestion, with_subject};
use crate::journal::{KeptRun, RunEntry};
use crate::registry::ToolSnapshot;
use crate::wall_clock::seconds_since_1970;

/// What earlier questions of a run came to, beside grants and refusals.
#[derive(Debug, Default)]
pub(super) struct EarlierDecisions {
    /// Whether the question about the whole plan has been answered.
    pub(super) is_planned: bool,
    /// Whether calls may be made again whose outcome is not known, by their numbers.
    pub(super) repeats: HashMap<u64, RepeatDecision>,
}

#[derive(Clone, Debug)]
pub(super) enum RepeatDecision {
    Allowed,
    Denied { by: String },
}

impl AskedQuestion {
    /// Whether it was decided that this call, whose outcome was not known, is made again.
    fn allows_repeat(&self, call: u64) -> bool {
        let is_allowed =
            self.decision.as_ref().is_some_and(|it| matches!(it.answer, ApprovalAnswer::Allow(_)));
        let asks = |why: &Option<AskReason>| *why == Some(AskReason::UnknownOutcome { call });
        is_allowed && self.question.tools.iter().any(|tool| asks(&tool.why))
    }
}

impl RunApprovals {
    /// Takes over what was decided while an earlier process ran this run, or while none did. Calls that were made
    /// count against what was granted.
    pub(crate) async fn restore(&self, kept: &KeptRun, snapshot: &ToolSnapshot) {
        let asked = match self.store.questions_of(&self.run).await {
            Ok(asked) => asked,
            Err(error) => {
                tracing::warn!(%error, run = self.run, "what was decided before is asked again");
                return;
            }
        };
        let decided = asked.iter().take_while(|asked| asked.decision.is_some()).count();
        // A question without a decision is put again under its name.
        self.questions.store(u32::try_from(decided).unwrap_or(u32::MAX), Ordering::Relaxed);
        asked.iter().for_each(|asked| self.take_over(asked));
        let mut made: HashMap<u64, usize> = HashMap::new();
        for entry in &kept.entries {
            if let RunEntry::Call(call) = entry {
                *made.entry(call.id).or_default() += 1;
                self.count(&call.tool, &call.arguments, snapshot);
            }
        }
        // A call that was made again, and whose outcome is not known again, needs another answer.
        let allowed = |call: &u64| asked.iter().filter(|asked| asked.allows_repeat(*call)).count();
        self.earlier.lock().repeats.retain(|call, decided| match decided {
            RepeatDecision::Allowed => made.get(call).copied().unwrap_or_default() <= allowed(call),
            RepeatDecision::Denied { .. } => true,
        });
    }

    /// Whether the question before the run has been answered by an earlier part of it.
    pub(crate) fn is_planned(&self) -> bool {
        self.earlier.lock().is_planned
    }

    fn take_over(&self, asked: &AskedQuestion) {
        let Some(decision) = &asked.decision else { return };
        let mut question = asked.question.clone();
        let is_repeat = |why: &Option<AskReason>| matches!(why, Some(AskReason::UnknownOutcome { .. }));
        {
            let mut earlier = self.earlier.lock();
            earlier.is_planned |= question.stage == QuestionStage::BeforeRun;
            for tool in question.tools.iter().filter(|tool| is_repeat(&tool.why)) {
                if let Some(AskReason::UnknownOutcome { call }) = &tool.why {
                    let decided = match &decision.answer {
                        ApprovalAnswer::Allow(_) => RepeatDecision::Allowed,
                        ApprovalAnswer::Deny => RepeatDecision::Denied { by: decision.who.clone() },
                    };
                    earlier.repeats.insert(*call, decided);
                }
            }
        }
        question.tools.retain(|tool| !is_repeat(&tool.why));
        match &decision.answer {
            // A grant for the caller was given to the book with the run, if this process knows it.
            ApprovalAnswer::Allow(allowed)
                if allowed.until.is_some() && self.standing.knows(&self.caller) => {}
            ApprovalAnswer::Allow(allowed) => _ = self.grant(&question, allowed, 0),
            ApprovalAnswer::Deny => self.refuse(&question, &decision.who),
        }
    }

    /// Counts a call of an earlier part of the run against the grant that covered it.
    fn count(&self, tool: &str, arguments: &RawJson, snapshot: &ToolSnapshot) {
        let Some(tool) = snapshot.tool(tool) else { return };
        let policy = &self.rules.policy;
        let decision = with_subject(tool, &self.caller, |subject| policy.decide(subject, arguments));
        if decision.answer == PolicyAnswer::Ask {
            self.book.admit(tool.callable.as_str(), arguments, seconds_since_1970());
        }
    }
}
