//! How much memory each program holds, and which may have more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{BASE_MEMORY, Capacity, RunPlaces, Share};
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

/// What an owner may have whatever its share: a small program goes on however much others hold.
const SMALL: u64 = 2 * BASE_MEMORY;

/// The part of all memory that a further program of an owner leaves free, for those that run to grow into.
const RESERVE: u64 = 8;

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

    /// Whether one more program of an owner may start: the first wherever there is room, a further one while its
    /// owner's share leaves the reserve.
    pub(super) fn can_start(&self, capacity: &Capacity, owner: &str) -> bool {
        let (held, limit) = (self.held_by(owner), capacity.memory);
        let after = self.total.saturating_add(BASE_MEMORY);
        let wanted = held.saturating_add(BASE_MEMORY + limit / RESERVE);
        after <= limit && (held == 0 || capacity.share.allows(wanted, after, limit))
    }

    /// Whether an owner may have `bytes` more.
    pub(super) fn check(&self, capacity: &Capacity, owner: Option<&str>, bytes: u64) -> Result<(), NoMemory> {
        let limit = capacity.memory;
        let after = self.total.saturating_add(bytes);
        if after > limit {
            return Err(NoMemory::All { held: self.total, limit });
        }
        let held = owner.map_or(0, |owner| self.held_by(owner));
        let wanted = held.saturating_add(bytes);
        if wanted > SMALL && !capacity.share.allows(wanted, after, limit) {
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
pub(crate) struct MemoryAccount {
    pub(super) places: RunPlaces,
    /// `None` for a guest without a program.
    pub(super) owner: Option<Arc<str>>,
    /// Bytes that are paid for with the program's place.
    pub(super) prepaid: u64,
    /// Bytes beside the place, of every holder. Changed only while the places are locked.
    pub(super) used: Arc<AtomicU64>,
    /// The part of them that is kept outside of the program's own memory, and how much that may be.
    pub(super) kept: Arc<AtomicU64>,
    pub(super) most_kept: u64,
}

impl MemoryAccount {
    /// Counts `bytes` that are kept for the program outside of its own memory, until the charge is dropped.
    pub(crate) fn keep(&self, bytes: u64) -> Result<Charge, NoMemory> {
        let held = self.kept.load(Ordering::Relaxed);
        if held.saturating_add(bytes) > self.most_kept {
            return Err(NoMemory::Kept { held, limit: self.most_kept });
        }
        let mut charge = self.charge(ChargePurpose::Kept);
        charge.grow(bytes)?;
        self.kept.fetch_add(bytes, Ordering::Relaxed);
        Ok(charge)
    }

    /// Pays for a place that is in the books already. What it grows by is the program's own memory.
    pub(super) fn place(self) -> Charge {
        self.charge(ChargePurpose::Place)
    }

    fn charge(&self, purpose: ChargePurpose) -> Charge {
        Charge { account: self.clone(), bytes: 0, purpose }
    }

    /// What `used` bytes cost beyond what is prepaid.
    fn cost(&self, used: u64) -> u64 {
        used.saturating_sub(self.prepaid)
    }

    /// Adds to the books, whether it can be had or not.
    fn add(&self, books: &mut Books, bytes: u64) {
        let before = self.used.fetch_add(bytes, Ordering::Relaxed);
        books.add(self.owner.as_ref(), self.cost(before + bytes) - self.cost(before));
    }

    fn remove(&self, books: &mut Books, bytes: u64) {
        let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
        books.remove(self.owner.as_ref(), self.cost(before) - self.cost(before - bytes));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChargePurpose {
    /// A place, which costs [`BASE_MEMORY`], and the program's own memory.
    Place,
    /// What is kept outside of the program's own memory.
    Kept,
}

/// Memory that counts until this is dropped.
pub(crate) struct Charge {
    account: MemoryAccount,
    bytes: u64,
    purpose: ChargePurpose,
}

impl Charge {
    pub(super) fn account(&self) -> &MemoryAccount {
        &self.account
    }

    /// Counts `bytes` more, if they can be had.
    pub(super) fn grow(&mut self, bytes: u64) -> Result<(), NoMemory> {
        let account = &self.account;
        let mut occupancy = account.places.lock();
        let used = account.used.load(Ordering::Relaxed);
        let cost = account.cost(used.saturating_add(bytes)) - account.cost(used);
        if cost > 0 {
            occupancy.books.check(&occupancy.capacity, account.owner.as_deref(), cost)?;
        }
        account.add(&mut occupancy.books, bytes);
        self.bytes += bytes;
        Ok(())
    }

    /// Takes over what `other` has grown by.
    pub(super) fn take_over(&mut self, other: &mut Self) {
        let bytes = std::mem::take(&mut other.bytes);
        self.bytes += bytes;
        let mut occupancy = self.account.places.lock();
        other.account.remove(&mut occupancy.books, bytes);
        self.account.add(&mut occupancy.books, bytes);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        {
            let mut occupancy = self.account.places.lock();
            self.account.remove(&mut occupancy.books, self.bytes);
            match self.purpose {
                ChargePurpose::Place => occupancy.books.remove(self.account.owner.as_ref(), BASE_MEMORY),
                ChargePurpose::Kept => _ = self.account.kept.fetch_sub(self.bytes, Ordering::Relaxed),
            }
        }
        self.account.places.fill();
    }
}
