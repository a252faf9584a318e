//! What fits beside what is kept already, and what makes room.

use super::{KeptEntry, KeptError, KeptName, KeptReason, NewKeptValue};
use crate::limits::{
    KEPT_BYTES, KEPT_DAYS, KEPT_IN_MEMORY, KEPT_OUTPUTS, KEPT_OUTPUTS_BYTES, KEPT_TOTAL, KEPT_VALUES,
};

const DAY_MS: u64 = 24 * 3600 * 1000;

/// How much is kept, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBounds {
    /// Values that one caller asked to keep.
    pub values: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Outputs that were too long to show, of one caller.
    pub outputs: usize,
    /// Their bytes.
    pub outputs_bytes: u64,
    /// Bytes of everything.
    pub total: u64,
    /// Time after its last use at which a value is removed.
    pub age_ms: u64,
}

impl KeptBounds {
    /// For a store on disk.
    pub const ON_DISK: Self = Self {
        values: KEPT_VALUES,
        bytes: KEPT_BYTES as u64,
        outputs: KEPT_OUTPUTS,
        outputs_bytes: KEPT_OUTPUTS_BYTES as u64,
        total: KEPT_TOTAL as u64,
        age_ms: KEPT_DAYS * DAY_MS,
    };

    /// For a store in this process.
    pub const IN_MEMORY: Self =
        Self { total: KEPT_IN_MEMORY as u64, outputs_bytes: KEPT_IN_MEMORY as u64 / 2, ..Self::ON_DISK };

    /// Whether a value was not used for so long that it is removed.
    pub fn is_expired(&self, used_ms: u64, now_ms: u64) -> bool {
        now_ms.saturating_sub(used_ms) > self.age_ms
    }

    /// Which outputs go to make room for a value; they are the caller's own, the longest unused first.
    ///
    /// `kept` is what all callers keep, without what is expired. A value of the same caller and name is replaced.
    ///
    /// # Errors
    ///
    /// When the value does not fit.
    pub fn make_room(&self, kept: &[KeptEntry], new: &NewKeptValue) -> Result<Vec<KeptName>, KeptError> {
        let is_replaced = |entry: &&KeptEntry| entry.caller == new.caller && entry.name == new.name;
        let bytes = new.value.text().len() as u64;
        let others: Vec<&KeptEntry> = kept.iter().filter(|entry| !is_replaced(entry)).collect();
        let own = |reason: KeptReason| {
            let own = others.iter().filter(move |entry| entry.caller == new.caller && entry.reason == reason);
            own.copied().collect::<Vec<&KeptEntry>>()
        };
        let mut outputs = own(KeptReason::CutOutput);
        outputs.sort_by_key(|entry| std::cmp::Reverse(entry.used_ms));
        let mut removed = Vec::new();
        let mut total = sum(&others) + bytes;
        let mut give_up = |outputs: &mut Vec<&KeptEntry>, total: &mut u64| match outputs.pop() {
            Some(oldest) => {
                *total -= oldest.bytes;
                removed.push(oldest.name.clone());
                true
            }
            None => false,
        };
        let full = |reason: String| KeptError::Full { name: new.name.to_string(), reason };
        match new.reason {
            KeptReason::CutOutput => {
                while outputs.len() >= self.outputs || sum(&outputs) + bytes > self.outputs_bytes {
                    if !give_up(&mut outputs, &mut total) {
                        let limit = self.outputs_bytes;
                        return Err(full(format!("it has {bytes} bytes, and the limit is {limit}")));
                    }
                }
            }
            KeptReason::Asked => {
                let asked = own(KeptReason::Asked);
                if asked.len() >= self.values {
                    return Err(full(format!("{} values are kept already, which is the limit", asked.len())));
                }
                let (before, limit) = (sum(&asked), self.bytes);
                if before + bytes > limit {
                    let reason =
                        format!("it has {bytes} bytes, {before} are kept already, and the limit is {limit}");
                    return Err(full(reason));
                }
            }
        }
        while total > self.total {
            if !give_up(&mut outputs, &mut total) {
                return Err(full(format!("all callers together may keep {} bytes", self.total)));
            }
        }
        Ok(removed)
    }
}

fn sum(entries: &[&KeptEntry]) -> u64 {
    entries.iter().map(|entry| entry.bytes).sum()
}
