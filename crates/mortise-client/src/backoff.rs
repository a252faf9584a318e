//! When a server that failed is tried again, and a list that could not be read.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::Instant;

use crate::limits;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);

/// Counts failures of one server.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    failures: u32,
    recent: VecDeque<Instant>,
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Try again after this time.
    Retry(Duration),
    /// Leave it alone for this time.
    Pause(Duration),
}

impl Backoff {
    /// Counts one more failure. `lived` is how long the server was usable before it.
    pub(crate) fn failed(&mut self, lived: Duration) -> Next {
        let now = Instant::now();
        if lived >= MINUTE {
            self.failures = 0;
        }
        while self.recent.front().is_some_and(|failure| now.duration_since(*failure) >= MINUTE) {
            self.recent.pop_front();
        }
        self.recent.push_back(now);
        self.failures += 1;
        if self.recent.len() > limits::UPSTREAM_RESTARTS {
            self.recent.clear();
            return Next::Pause(limits::UPSTREAM_PAUSE);
        }
        let doubled = FIRST.saturating_mul(1 << (self.failures - 1).min(6));
        Next::Retry(jittered(doubled.min(LONGEST)))
    }
}

/// When a list that could not be read is read again: after 2 s, then after twice the time, up to a minute.
#[derive(Debug, Default)]
pub(crate) struct ListBackoff {
    failures: u32,
}

impl ListBackoff {
    /// Counts one more failure; how long to wait after it.
    pub(crate) fn failed(&mut self) -> Duration {
        let delay = limits::RELIST_PAUSE.saturating_mul(1 << self.failures.min(5));
        self.failures += 1;
        delay.min(LONGEST)
    }
}

/// Up to a quarter less, so that many servers that failed together do not come back together.
fn jittered(delay: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    let share = f64::from(u32::try_from(random % 1000).unwrap_or(0)) / 4000.0;
    delay.mul_f64(1.0 - share)
}

#[cfg(test)]
mod tests;
