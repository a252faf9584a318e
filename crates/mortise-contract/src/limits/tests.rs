//! What is shown is what holds.

use std::collections::HashSet;
use std::time::Duration;

use super::{LIMITS, NUMBERS};

/// A limit in the unit that is shown, bytes or seconds or just a number.
pub(super) trait Number: Sync {
    fn number(&self) -> u64;
}

impl Number for usize {
    fn number(&self) -> u64 {
        *self as u64
    }
}

impl Number for u64 {
    fn number(&self) -> u64 {
        *self
    }
}

impl Number for u32 {
    fn number(&self) -> u64 {
        u64::from(*self)
    }
}

impl Number for Duration {
    fn number(&self) -> u64 {
        assert_eq!(self.subsec_nanos(), 0);
        self.as_secs()
    }
}

fn read(shown: &str) -> u64 {
    let (number, unit) = shown.split_once(' ').unwrap_or((shown, ""));
    let factor = match unit {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "million" => 1_000_000,
        _ => 1,
    };
    number.replace(',', "").parse::<u64>().unwrap() * factor
}

#[test]
fn the_value_that_is_shown_is_the_value_that_holds() {
    assert_eq!(LIMITS.len(), NUMBERS.len());
    for (limit, number) in LIMITS.iter().zip(NUMBERS) {
        assert_eq!(read(limit.value), number.number(), "{} {}", limit.area, limit.name);
    }
}

#[test]
fn no_limit_is_shown_twice() {
    let mut seen = HashSet::new();
    for limit in LIMITS {
        assert!(seen.insert((limit.area, limit.name)), "{} {}", limit.area, limit.name);
    }
}
