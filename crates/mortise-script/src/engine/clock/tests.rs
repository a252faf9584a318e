use std::time::{Duration, Instant};

use super::{FUEL_PER_NANOSECOND, GuestClock};

const SECOND: u64 = 1_000_000_000;

#[test]
fn a_clock_shows_what_was_computed_since_it_was_set() {
    let mut clock = GuestClock::default();
    assert_eq!(clock.steady(0), 0);
    assert_eq!(clock.steady(SECOND * FUEL_PER_NANOSECOND), SECOND);
    clock.set(5 * FUEL_PER_NANOSECOND, SECOND);
    assert_eq!(clock.steady(7 * FUEL_PER_NANOSECOND), SECOND + 2);
    clock.set_day(7 * FUEL_PER_NANOSECOND, 100 * SECOND);
    assert_eq!(clock.day(7 * FUEL_PER_NANOSECOND), 100 * SECOND);
}

#[test]
fn a_clock_that_was_held_goes_on_from_where_it_stood() {
    let start = Instant::now();
    let after = |seconds: u64| start + Duration::from_secs(seconds);
    let mut clock = GuestClock::default();
    clock.follow(0, start);
    assert!(clock.is_behind(0, after(2)));
    clock.catch_up(0, after(2), 0);
    assert_eq!(clock.steady(0), 2 * SECOND);
    assert!(!clock.is_behind(0, after(2)));
    clock.hold();
    assert!(!clock.is_behind(0, after(3600)));
    clock.catch_up(0, after(3600), 0);
    assert_eq!(clock.steady(0), 2 * SECOND);
    clock.follow(0, after(3600));
    clock.catch_up(0, after(3601), 0);
    assert_eq!(clock.steady(0), 3 * SECOND);
}

#[test]
fn a_clock_never_goes_back() {
    let start = Instant::now();
    let mut clock = GuestClock::default();
    clock.follow(0, start);
    clock.catch_up(10 * SECOND * FUEL_PER_NANOSECOND, start, 0);
    assert_eq!(clock.steady(10 * SECOND * FUEL_PER_NANOSECOND), 10 * SECOND);
}
