//! Grants that outlive their run: for one caller, until a time.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use mortise_contract::approval::{ApprovalGrant, GrantBook, GrantError, GrantId, GrantScope};
use mortise_contract::limits::APPROVAL_GRANTS;
use parking_lot::Mutex;

/// The grants of this process that hold for later runs of their caller. Their calls are counted across runs.
#[derive(Debug, Default)]
pub(super) struct StandingGrants(Mutex<Vec<StandingGrant>>);

#[derive(Clone, Debug)]
struct StandingGrant {
    grant: ApprovalGrant,
    used: Arc<AtomicU64>,
}

impl StandingGrants {
    /// Gives a new run the grants of its caller, and forgets those whose time is over.
    pub(super) fn give(&self, caller: &str, now: u64, book: &GrantBook) {
        let mut standing = self.0.lock();
        standing.retain(|standing| match &standing.grant.scope {
            GrantScope::Run => false,
            GrantScope::Caller { until, .. } => now < *until,
        });
        let is_theirs = |standing: &&StandingGrant| match &standing.grant.scope {
            GrantScope::Run => false,
            GrantScope::Caller { caller: theirs, .. } => theirs == caller,
        };
        for standing in standing.iter().filter(is_theirs) {
            if let Err(error) = book.add_shared(&standing.grant, standing.used.clone()) {
                tracing::warn!(%error, tool = standing.grant.tool, "a grant could not be added");
            }
        }
    }

    /// Whether it has a grant of this caller.
    pub(super) fn knows(&self, caller: &str) -> bool {
        let is_theirs = |standing: &StandingGrant| match &standing.grant.scope {
            GrantScope::Run => false,
            GrantScope::Caller { caller: theirs, .. } => theirs == caller,
        };
        self.0.lock().iter().any(is_theirs)
    }

    /// Adds a grant to the book of a run, and keeps it for later runs if it is for those too.
    pub(super) fn add(
        &self,
        grant: &ApprovalGrant,
        used: u64,
        book: &GrantBook,
    ) -> Result<GrantId, GrantError> {
        let used = Arc::new(AtomicU64::new(used));
        let id = book.add_shared(grant, used.clone())?;
        let mut standing = self.0.lock();
        if grant.scope != GrantScope::Run && standing.len() < APPROVAL_GRANTS {
            standing.push(StandingGrant { grant: grant.clone(), used });
        }
        Ok(id)
    }
}
