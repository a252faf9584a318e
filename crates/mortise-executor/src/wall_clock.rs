//! The time of day, for what is kept beyond this process. Limits use clocks that never jump.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

pub(crate) fn seconds_since_1970() -> u64 {
    since_1970().as_secs()
}

pub(crate) fn milliseconds_since_1970() -> u64 {
    u64::try_from(since_1970().as_millis()).unwrap_or(u64::MAX)
}
