//! How many bytes the tables of one run may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that the tables of one run may take together.
#[derive(Debug)]
pub(crate) struct OutputBudget {
    limit: u64,
    spent: AtomicU64,
}

impl OutputBudget {
    /// At most `limit` bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, spent: AtomicU64::new(0) }
    }
}

/// A table would take more than is left.
#[derive(Debug, thiserror::Error)]
#[error(
    "the tables of this run take more than {limit} bytes; name fewer files, or set `wizards.max_output_bytes`"
)]
pub(super) struct Overspent {
    limit: u64,
}

/// What one table takes of a budget. A table that is not kept gives it back.
#[derive(Debug)]
pub(super) struct Spent {
    budget: Arc<OutputBudget>,
    bytes: u64,
}

impl Spent {
    pub(super) fn new(budget: &Arc<OutputBudget>) -> Self {
        Self { budget: Arc::clone(budget), bytes: 0 }
    }

    /// The table has become this large.
    pub(super) fn grow_to(&mut self, bytes: u64) -> Result<(), Overspent> {
        let more = bytes.saturating_sub(self.bytes);
        self.bytes += more;
        let spent = self.budget.spent.fetch_add(more, Ordering::Relaxed) + more;
        let limit = self.budget.limit;
        if spent > limit { Err(Overspent { limit }) } else { Ok(()) }
    }

    pub(super) fn keep(&mut self) {
        self.bytes = 0;
    }
}

impl Drop for Spent {
    fn drop(&mut self) {
        self.budget.spent.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
