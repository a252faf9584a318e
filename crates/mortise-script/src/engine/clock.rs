//! The clocks that a guest sees.
//!
//! A guest reads its clocks far more often than anything happens outside. So a reading is computed from what the
//! guest has computed since the host last set the clock, and only the settings are recorded.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Units of fuel that count as a nanosecond: more than a guest burns in one, so that its clock falls behind and never
/// runs ahead.
const FUEL_PER_NANOSECOND: u64 = 16;

/// How far the clock may fall behind before a reading sets it.
const MOST_BEHIND: Duration = Duration::from_millis(20);

/// Starts with the guest and never goes back. It stands still while the guest waits for its program or for the leave to
/// make calls: neither makes a difference to what the program reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GuestClock {
    /// What it showed when it was set.
    shown: u64,
    /// How much the guest had computed then.
    fuel: u64,
    /// When it would have shown zero; `None` while it stands still or follows a recording.
    origin: Option<Instant>,
    /// The time of day in nanoseconds since 1970 when it showed zero.
    day: u64,
}

impl GuestClock {
    /// Nanoseconds of the steady clock, when the guest has computed `fuel` units in all.
    pub(super) fn steady(&self, fuel: u64) -> u64 {
        self.shown.saturating_add(fuel.saturating_sub(self.fuel) / FUEL_PER_NANOSECOND)
    }

    /// The time of day in nanoseconds since 1970.
    pub(super) fn day(&self, fuel: u64) -> u64 {
        self.day.saturating_add(self.steady(fuel))
    }

    /// Lets it go with real time from what it shows now.
    pub(super) fn follow(&mut self, fuel: u64, now: Instant) {
        self.origin = now.checked_sub(Duration::from_nanos(self.steady(fuel)));
    }

    /// Makes it stand still, but for what the guest computes.
    pub(super) fn hold(&mut self) {
        self.origin = None;
    }

    /// Sets the time of day.
    pub(super) fn set_day(&mut self, fuel: u64, since_1970: u64) {
        self.day = since_1970.saturating_sub(self.steady(fuel));
    }

    /// Sets the time of day by what it was when the clock showed zero.
    pub(super) fn set_day_origin(&mut self, since_1970: u64) {
        self.day = since_1970;
    }

    pub(super) fn day_origin(&self) -> u64 {
        self.day
    }

    /// Sets it to real time, and to `at_least` if that is more.
    pub(super) fn catch_up(&mut self, fuel: u64, now: Instant, at_least: u64) {
        let real = self.origin.map_or(0, |origin| nanoseconds(now.saturating_duration_since(origin)));
        self.set(fuel, self.steady(fuel).max(at_least).max(real));
    }

    /// Whether a reading must set it first.
    pub(super) fn is_behind(&self, fuel: u64, now: Instant) -> bool {
        self.origin.is_some_and(|origin| {
            let shown = Duration::from_nanos(self.steady(fuel));
            now.saturating_duration_since(origin).saturating_sub(shown) > MOST_BEHIND
        })
    }

    pub(super) fn set(&mut self, fuel: u64, shown: u64) {
        (self.shown, self.fuel) = (shown, fuel);
    }
}

/// The real time of day in nanoseconds since 1970.
pub(super) fn time_of_day() -> u64 {
    nanoseconds(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

pub(super) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
