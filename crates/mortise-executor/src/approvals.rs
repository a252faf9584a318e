//! Approvals: which calls of programs need the agreement of a person, and how it is obtained.
//!
//! The [`ApprovalDesk`] belongs to the executor. For each run it opens a [`RunApprovals`], which asks one question
//! about the program's plan before the first call, and holds every call to what was granted. How a person is reached is
//! an [`ApprovalAsker`]; where questions and decisions are kept is an [`ApprovalStore`].

mod asker;
mod bridge;
mod restored;
mod run;
mod standing;
mod store;
mod under_way;

use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use mortise_contract::NameMap;
use mortise_contract::approval::{ApprovalPolicy, GrantBook, PolicySubject};
use mortise_contract::limits::APPROVAL_TIME;
use mortise_server::CallContext;
use parking_lot::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;

use crate::registry::RegisteredTool;
use crate::wall_clock::seconds_since_1970;
use standing::StandingGrants;

pub use asker::{ApprovalAsker, ApprovalFuture, ClientAsker, NoAnswer};
pub(crate) use bridge::HintsApproved;
pub use run::{ApprovalOutcome, RunApprovals, WaitingQuestion};
pub use store::{
    ApprovalStore, ApprovalStoreError, AskedQuestion, MemoryApprovalStore, QuestionId, StoreFuture,
};
pub(crate) use under_way::CallsUnderWay;

/// What holds for runs that start from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRules {
    /// What each call needs.
    pub policy: ApprovalPolicy,
    /// How long a question waits for its answer.
    pub timeout: Duration,
}

impl Default for ApprovalRules {
    fn default() -> Self {
        Self { policy: ApprovalPolicy::default(), timeout: APPROVAL_TIME }
    }
}

/// Decides about the calls of all programs of an executor.
pub struct ApprovalDesk {
    rules: ArcSwap<ApprovalRules>,
    store: RwLock<Arc<dyn ApprovalStore>>,
    standing: Arc<StandingGrants>,
}

impl Default for ApprovalDesk {
    /// One that allows everything and keeps its questions in memory.
    fn default() -> Self {
        let store: Arc<dyn ApprovalStore> = Arc::new(MemoryApprovalStore::default());
        Self { rules: ArcSwap::default(), store: RwLock::new(store), standing: Arc::default() }
    }
}

impl ApprovalDesk {
    /// What holds for runs that start now.
    pub fn rules(&self) -> Arc<ApprovalRules> {
        self.rules.load_full()
    }

    /// Sets what holds for runs that start from now on.
    pub fn set_rules(&self, rules: ApprovalRules) {
        self.rules.store(Arc::new(rules));
    }

    /// Keeps the questions of runs that start from now on in this store.
    pub fn set_store(&self, store: Arc<dyn ApprovalStore>) {
        *self.store.write() = store;
    }

    /// The approvals of a run; `None` if everything is allowed and the run is new. `asker` reaches a person, if anything
    /// does. `stop` ends the run and nothing else; before that, `under_way` may end.
    pub(crate) fn open(
        &self,
        run: String,
        caller: String,
        asker: Option<Arc<dyn ApprovalAsker>>,
        stop: CancellationToken,
        course: RunCourseKind,
        under_way: Arc<CallsUnderWay>,
    ) -> Option<Arc<RunApprovals>> {
        let rules = self.rules();
        if rules.policy.allows_all() && course == RunCourseKind::New {
            return None;
        }
        let store = self.store.read().clone();
        let approvals = RunApprovals {
            rules,
            store,
            standing: self.standing.clone(),
            run,
            caller,
            asker,
            book: GrantBook::default(),
            questions: AtomicU32::new(0),
            waiting: Mutex::default(),
            next_call: AtomicU64::new(0),
            turn: tokio::sync::Mutex::default(),
            stopped: OnceLock::new(),
            stop,
            under_way,
            earlier: Mutex::default(),
        };
        self.standing.give(&approvals.caller, seconds_since_1970(), &approvals.book);
        Some(Arc::new(approvals))
    }
}

/// Whether a run is new or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunCourseKind {
    New,
    /// Calls whose outcome is not known are asked about, whatever the policy says.
    Resumed,
}

impl fmt::Debug for ApprovalDesk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ApprovalDesk").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// The caller's name for rules about callers: what the client calls itself.
pub(crate) fn caller_name(context: Option<&CallContext>) -> String {
    match context {
        Some(context) => context.client().name().unwrap_or_default().to_owned(),
        None => SHELL_CALLER.to_owned(),
    }
}

/// The caller of a run that no client asked for.
const SHELL_CALLER: &str = "mortise run";

/// What a policy needs to know about a tool that `caller` calls; `decide` gets it.
pub fn with_subject<T>(
    tool: &RegisteredTool,
    caller: &str,
    decide: impl FnOnce(&PolicySubject<'_>) -> T,
) -> T {
    let spellings = NameMap::spellings(tool.upstream.name(), &tool.contract.name);
    let subject = PolicySubject {
        callable: tool.callable.as_str(),
        spellings: &spellings,
        hints: tool.contract.given_hints(),
        caller,
    };
    decide(&subject)
}
