//! The time of day, for what must be compared across processes. Limits use clocks that never jump.

use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
