//! Where questions and decisions are kept.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;

use mortise_contract::approval::{ApprovalDecision, ApprovalQuestion};
use parking_lot::Mutex;

use crate::limits::QUESTIONS_KEPT;

/// The name of a question: `<run>/<number>`, the first question of a run being number 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId(String);

impl QuestionId {
    /// The question of that number in a run.
    pub fn new(run: &str, number: u32) -> Self {
        Self(format!("{run}/{number}"))
    }

    /// Reads one, as people write it: `7k2m9q4x0abc/1`.
    pub fn parse(text: &str) -> Option<Self> {
        let (run, number) = text.rsplit_once('/')?;
        Some(Self::new(run, number.parse().ok()?))
    }

    /// The number of the question in its run.
    pub fn number(&self) -> u32 {
        self.0.rsplit_once('/').and_then(|(_, number)| number.parse().ok()).unwrap_or_default()
    }

    /// The name of the run.
    pub fn run(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(run, _)| run)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What a store gives in its own time.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ApprovalStoreError>> + Send + 'a>>;

/// Why a store does not do what it is asked.
#[derive(Debug, thiserror::Error)]
#[error("questions for approval can't be kept: {reason}")]
pub struct ApprovalStoreError {
    /// The reason, as the end of a sentence, without arguments of calls.
    pub reason: String,
}

/// Keeps questions and the decisions about them. Owned by this crate, implemented by whatever keeps runs.
///
/// A run asks for the decision about a question before it asks a person, and about once a second while it waits for
/// one: a decision that comes from elsewhere counts. A store that fails stops no run that a person answers.
pub trait ApprovalStore: Send + Sync + 'static {
    /// Keeps a question, unless there is one under this id already.
    fn put_question<'a>(&'a self, id: &'a QuestionId, question: &'a ApprovalQuestion) -> StoreFuture<'a, ()>;

    /// The questions of a run, the first one first.
    fn questions_of<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<AskedQuestion>>;

    /// What was decided about a question, if anything was.
    fn decision_for<'a>(&'a self, id: &'a QuestionId) -> StoreFuture<'a, Option<ApprovalDecision>>;

    /// Keeps what was decided: who, when and what.
    fn record_decision<'a>(
        &'a self,
        id: &'a QuestionId,
        decision: &'a ApprovalDecision,
    ) -> StoreFuture<'a, ()>;
}

/// A question, and what was decided about it.
#[derive(Clone, Debug)]
pub struct AskedQuestion {
    pub id: QuestionId,
    pub question: ApprovalQuestion,
    pub decision: Option<ApprovalDecision>,
}

/// Keeps the newest questions of this process, for runs that are not recorded, and for tests.
#[derive(Debug, Default)]
pub struct MemoryApprovalStore(Mutex<VecDeque<AskedQuestion>>);

impl MemoryApprovalStore {
    /// The questions without a decision, the oldest first.
    pub fn open_questions(&self) -> Vec<(QuestionId, ApprovalQuestion)> {
        let kept = self.0.lock();
        let open = kept.iter().filter(|kept| kept.decision.is_none());
        open.map(|kept| (kept.id.clone(), kept.question.clone())).collect()
    }

    /// All decisions, the oldest question first.
    pub fn decisions(&self) -> Vec<(QuestionId, ApprovalDecision)> {
        let kept = self.0.lock();
        kept.iter().filter_map(|kept| Some((kept.id.clone(), kept.decision.clone()?))).collect()
    }
}

impl ApprovalStore for MemoryApprovalStore {
    fn put_question<'a>(&'a self, id: &'a QuestionId, question: &'a ApprovalQuestion) -> StoreFuture<'a, ()> {
        let mut kept = self.0.lock();
        match kept.iter().find(|kept| kept.id == *id) {
            Some(_) => {}
            None => {
                if kept.len() >= QUESTIONS_KEPT {
                    kept.pop_front();
                }
                kept.push_back(AskedQuestion { id: id.clone(), question: question.clone(), decision: None });
            }
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn questions_of<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<AskedQuestion>> {
        let kept = self.0.lock();
        let of_run = kept.iter().filter(|kept| kept.id.run() == run).cloned().collect();
        Box::pin(std::future::ready(Ok(of_run)))
    }

    fn decision_for<'a>(&'a self, id: &'a QuestionId) -> StoreFuture<'a, Option<ApprovalDecision>> {
        let kept = self.0.lock();
        let decision = kept.iter().find(|kept| kept.id == *id).and_then(|kept| kept.decision.clone());
        Box::pin(std::future::ready(Ok(decision)))
    }

    fn record_decision<'a>(
        &'a self,
        id: &'a QuestionId,
        decision: &'a ApprovalDecision,
    ) -> StoreFuture<'a, ()> {
        let mut kept = self.0.lock();
        if let Some(kept) = kept.iter_mut().find(|kept| kept.id == *id) {
            kept.decision.get_or_insert_with(|| decision.clone());
        }
        Box::pin(std::future::ready(Ok(())))
    }
}
