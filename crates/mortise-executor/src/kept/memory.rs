//! Values that are kept as long as this process lives, where runs are not recorded.

use std::sync::Arc;

use mortise_contract::RawJson;
use parking_lot::Mutex;

use super::{KeptBounds, KeptEntry, KeptError, KeptFuture, KeptName, KeptOwner, KeptValues, NewKeptValue};
use crate::wall_clock::milliseconds_since_1970;

/// Keeps values in this process.
#[derive(Debug)]
pub struct MemoryKeptValues {
    values: Mutex<Vec<MemoryKeptValue>>,
    bounds: KeptBounds,
}

struct MemoryKeptValue {
    entry: KeptEntry,
    value: Arc<RawJson>,
}

impl std::fmt::Debug for MemoryKeptValue {
    /// Leaves the value out.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MemoryKeptValue").field("name", &self.entry.name).finish_non_exhaustive()
    }
}

impl MemoryKeptValue {
    fn is(&self, caller: &str, name: &KeptName) -> bool {
        self.entry.caller == caller && self.entry.name == *name
    }
}

impl Default for MemoryKeptValues {
    fn default() -> Self {
        Self::with_bounds(KeptBounds::IN_MEMORY)
    }
}

impl MemoryKeptValues {
    pub fn with_bounds(bounds: KeptBounds) -> Self {
        Self { values: Mutex::default(), bounds }
    }

    pub(super) fn keep_now(&self, new: NewKeptValue, now: u64) -> Result<KeptEntry, KeptError> {
        let entry = KeptEntry::of(&new, now);
        let mut values = self.values.lock();
        values.retain(|kept| !self.bounds.is_expired(kept.entry.used_ms, now));
        let kept: Vec<KeptEntry> = values.iter().map(|kept| kept.entry.clone()).collect();
        let removed = self.bounds.make_room(&kept, &new)?;
        values.retain(|kept| {
            let is_removed = removed.iter().any(|name| kept.is(&new.caller, name));
            !is_removed && !kept.is(&new.caller, &new.name)
        });
        values.push(MemoryKeptValue { entry: entry.clone(), value: Arc::new(new.value) });
        Ok(entry)
    }

    pub(super) fn load_now(&self, caller: &str, name: &KeptName, now: u64) -> Result<RawJson, KeptError> {
        let mut values = self.values.lock();
        values.retain(|kept| !self.bounds.is_expired(kept.entry.used_ms, now));
        if let Some(kept) = values.iter_mut().find(|kept| kept.is(caller, name)) {
            kept.entry.used_ms = now;
            return Ok(RawJson::clone(&kept.value));
        }
        let own = values.iter().filter(|kept| kept.entry.caller == caller);
        Err(KeptError::no_value(name, own.map(|kept| kept.entry.name.as_str())))
    }
}

impl KeptValues for MemoryKeptValues {
    fn keep(&self, value: NewKeptValue) -> KeptFuture<KeptEntry> {
        Box::pin(std::future::ready(self.keep_now(value, milliseconds_since_1970())))
    }

    fn load(&self, caller: &str, name: &KeptName) -> KeptFuture<RawJson> {
        Box::pin(std::future::ready(self.load_now(caller, name, milliseconds_since_1970())))
    }

    fn list(&self, whose: KeptOwner) -> KeptFuture<Vec<KeptEntry>> {
        let now = milliseconds_since_1970();
        let values = self.values.lock();
        let is_listed =
            |entry: &&KeptEntry| whose.includes(&entry.caller) && !self.bounds.is_expired(entry.used_ms, now);
        let mut listed: Vec<KeptEntry> =
            values.iter().map(|kept| &kept.entry).filter(is_listed).cloned().collect();
        listed.sort_by(|one, other| other.used_ms.cmp(&one.used_ms).then_with(|| one.name.cmp(&other.name)));
        Box::pin(std::future::ready(Ok(listed)))
    }

    fn remove(&self, caller: &str, name: &KeptName) -> KeptFuture<bool> {
        let mut values = self.values.lock();
        let before = values.len();
        values.retain(|kept| !kept.is(caller, name));
        Box::pin(std::future::ready(Ok(values.len() < before)))
    }
}
