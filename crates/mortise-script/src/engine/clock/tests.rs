use std::time::{Duration, Instant};

use super::SteadyClock;

#[test]
fn a_clock_that_waited_goes_on_from_where_it_stood() {
    let start = Instant::now();
    let after = |seconds: u64| start + Duration::from_secs(seconds);
    let mut clock = SteadyClock::start(start);
    assert_eq!(clock.read(start), Duration::ZERO);
    assert_eq!(clock.read(after(2)), Duration::from_secs(2));
    clock.hold(after(2));
    assert_eq!(clock.read(after(3600)), Duration::from_secs(2));
    clock.go_on(after(3600));
    assert_eq!(clock.read(after(3600)), Duration::from_secs(2));
    assert_eq!(clock.read(after(3601)), Duration::from_secs(3));
    clock.go_on(after(3602));
    assert_eq!(clock.read(after(3602)), Duration::from_secs(4));
}
