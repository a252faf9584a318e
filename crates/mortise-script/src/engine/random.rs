//! The randomness that a guest sees: one seed makes all of it, so that a run can be repeated.

use hmac_sha256::Hash;

/// A stream of bytes by SHA-256 in counter mode.
#[derive(Clone)]
pub(super) struct GuestRandom {
    seed: [u8; 32],
    blocks: u64,
    rest: Vec<u8>,
}

impl GuestRandom {
    /// The stream before a guest has its program. It is the same for all guests, so that all start alike and hash
    /// strings alike.
    pub(super) fn of_boot() -> Self {
        Self::new([0; 32])
    }

    pub(super) fn new(seed: [u8; 32]) -> Self {
        Self { seed, blocks: 0, rest: Vec::new() }
    }

    pub(super) fn fill(&mut self, mut to: &mut [u8]) {
        while !to.is_empty() {
            if self.rest.is_empty() {
                let mut hash = Hash::new();
                hash.update(self.seed);
                hash.update(self.blocks.to_le_bytes());
                self.blocks += 1;
                self.rest = hash.finalize().to_vec();
            }
            let count = self.rest.len().min(to.len());
            let (now, later) = to.split_at_mut(count);
            now.copy_from_slice(&self.rest[..count]);
            self.rest.drain(..count);
            to = later;
        }
    }
}

#[cfg(test)]
mod tests;
