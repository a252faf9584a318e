//! The time of day of an observation, which people read as a date.

use std::time::{SystemTime, UNIX_EPOCH};

pub(super) fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
