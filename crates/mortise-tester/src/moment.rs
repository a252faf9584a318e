//! When something happened, and how long ago.

use chrono::{DateTime, SecondsFormat, Utc};
use tokio::time::Instant;

/// A point in time: the wall clock for the stamp, the steady clock for durations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    wall: DateTime<Utc>,
    steady: Instant,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Self { wall: Utc::now(), steady: Instant::now() }
    }

    /// RFC 3339 with its zone, to the millisecond.
    pub(crate) fn stamp(&self) -> String {
        self.wall.to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// Milliseconds since then, whatever happened to the wall clock.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.steady.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
