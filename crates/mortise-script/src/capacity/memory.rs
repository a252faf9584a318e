//! Who holds how much memory, and who may have more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Capacity, Places, Share};
use crate::limits::size;

/// Why a program gets no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoMemory {
    /// The program's own limit.
    #[error("the program needs more than its {} of memory (max_memory_bytes={limit})", size(*.limit))]
    Own { limit: u64 },
    /// The limit on what is kept for the program outside of its own memory.
    #[error(
        "its arguments and results that wait hold {}; the limit is {} (max_memory_bytes={limit})",
        size(*.held), size(*.limit)
    )]
    Kept { held: u64, limit: u64 },
    /// The share of its owner.
    #[error(
        "the programs of this session hold {}; a session may hold half of what the other sessions leave, now {}",
        size(*.held), size(*.limit)
    )]
    Session { held: u64, limit: u64 },
    /// The limit on all programs together.
    #[error("all programs together hold {} of {} (max_total_memory_bytes={limit})", size(*.held), size(*.limit))]
    All { held: u64, limit: u64 },
}

/// The memory of all programs, by owner.
#[derive(Debug, Default)]
pub(super) struct Books {
    total: u64,
    owners: HashMap<Arc<str>, u64>,
}

impl Books {
    #[cfg(test)]
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    fn held_by(&self, owner: &str) -> u64 {
        self.owners.get(owner).copied().unwrap_or_default()
    }

    /// Whether an owner may have `bytes` more. One that has nothing gets what there is: a first program always starts.
    pub(super) fn check(&self, capacity: &Capacity, owner: Option<&str>, bytes: u64) -> Result<(), NoMemory> {
        let limit = capacity.memory;
        let after = self.total.saturating_add(bytes);
        if after > limit {
            return Err(NoMemory::All { held: self.total, limit });
        }
        let held = owner.map_or(0, |owner| self.held_by(owner));
        if held > 0 && !capacity.share.allows(held.saturating_add(bytes), after, limit) {
            return Err(NoMemory::Session { held, limit: (limit - (self.total - held)) / 2 });
        }
        Ok(())
    }

    pub(super) fn add(&mut self, owner: Option<&Arc<str>>, bytes: u64) {
        self.total += bytes;
        if let (Some(owner), true) = (owner, bytes > 0) {
            *self.owners.entry(Arc::clone(owner)).or_default() += bytes;
        }
    }

    pub(super) fn remove(&mut self, owner: Option<&Arc<str>>, bytes: u64) {
        self.total -= bytes;
        let Some(owner) = owner else { return };
        if let Some(held) = self.owners.get_mut(owner) {
            *held -= bytes;
            if *held == 0 {
                self.owners.remove(owner);
            }
        }
    }
}

impl Share {
    /// Whether an owner may have `own` where all owners together have `all` of `limit`.
    pub(super) fn allows(self, own: u64, all: u64, limit: u64) -> bool {
        match self {
            Self::Whole => true,
            Self::Half => own <= limit.saturating_sub(all),
        }
    }
}

/// Pays for the memory of one program.
#[derive(Clone)]
pub(crate) struct Account {
    pub(super) places: Places,
    /// `None` for a guest without a program.
    pub(super) owner: Option<Arc<str>>,
    /// What is kept for the program outside of its own memory, and how much that may be.
    pub(super) kept: Arc<AtomicU64>,
    pub(super) most_kept: u64,
}

impl Account {
    /// Counts `bytes` that are kept for the program outside of its own memory, until the charge is dropped.
    pub(crate) fn keep(&self, bytes: u64) -> Result<Charge, NoMemory> {
        let held = self.kept.load(Ordering::Relaxed);
        if held.saturating_add(bytes) > self.most_kept {
            return Err(NoMemory::Kept { held, limit: self.most_kept });
        }
        let mut charge = Charge { account: self.clone(), bytes: 0, is_kept: true };
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Counts nothing yet. What it grows by is the program's own memory.
    pub(super) fn own(&self) -> Charge {
        Charge { account: self.clone(), bytes: 0, is_kept: false }
    }
}

/// Memory that counts until this is dropped.
pub(crate) struct Charge {
    account: Account,
    bytes: u64,
    is_kept: bool,
}

impl Charge {
    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    /// Counts `bytes` more, if they can be had.
    pub(super) fn grow(&mut self, bytes: u64) -> Result<(), NoMemory> {
        {
            let mut occupancy = self.account.places.lock();
            occupancy.books.check(&occupancy.capacity, self.account.owner.as_deref(), bytes)?;
            occupancy.books.add(self.account.owner.as_ref(), bytes);
        }
        self.count(bytes);
        Ok(())
    }

    /// Counts `bytes` that were checked and added to the books already.
    pub(super) fn count(&mut self, bytes: u64) {
        self.bytes += bytes;
        if self.is_kept {
            self.account.kept.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Takes over what `other` counts beyond `rest`.
    pub(super) fn take_over(&mut self, other: &mut Self, rest: u64) {
        let bytes = other.bytes.saturating_sub(rest);
        other.bytes -= bytes;
        self.bytes += bytes;
        let mut occupancy = self.account.places.lock();
        occupancy.books.remove(other.account.owner.as_ref(), bytes);
        occupancy.books.add(self.account.owner.as_ref(), bytes);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        if self.is_kept {
            self.account.kept.fetch_sub(self.bytes, Ordering::Relaxed);
        }
        self.account.places.lock().books.remove(self.account.owner.as_ref(), self.bytes);
        self.account.places.fill();
    }
}
