//! The steady clock that a guest sees.

use std::time::{Duration, Instant};

/// Starts with the guest, never goes back, and stands still while the guest waits for its program or for the leave
/// to make calls: neither makes a difference to what the program reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct SteadyClock {
    origin: Instant,
    /// What it shows while it stands still.
    held: Option<Duration>,
}

impl SteadyClock {
    /// A clock that goes from `now` on.
    pub(super) fn start(now: Instant) -> Self {
        Self { origin: now, held: None }
    }

    pub(super) fn read(&self, now: Instant) -> Duration {
        self.held.unwrap_or_else(|| now.saturating_duration_since(self.origin))
    }

    /// Makes it stand still.
    pub(super) fn hold(&mut self, now: Instant) {
        self.held = Some(self.read(now));
    }

    /// Makes it go on from where it stands.
    pub(super) fn go_on(&mut self, now: Instant) {
        if let Some(held) = self.held.take() {
            self.origin = now.checked_sub(held).unwrap_or(now);
        }
    }
}

#[cfg(test)]
mod tests;
