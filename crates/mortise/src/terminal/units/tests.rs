//! Where one unit ends and the next begins.

use std::time::Duration;

use super::{counted, size, time};

#[test]
fn times_have_one_unit_or_two() {
    for (milliseconds, expected) in [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_000, "1.0 s"),
        (1_249, "1.2 s"),
        (59_949, "59.9 s"),
        (59_950, "1 min"),
        (60_000, "1 min"),
        (125_000, "2 min 5 s"),
    ] {
        assert_eq!(time(Duration::from_millis(milliseconds)), expected);
    }
}

#[test]
fn sizes_keep_two_or_three_digits() {
    for (bytes, expected) in [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (3_449, "3.4 kB"),
        (99_949, "99.9 kB"),
        (120_400, "120 kB"),
        (999_949, "1000 kB"),
        (1_000_000, "1.0 MB"),
        (16_777_216, "16.8 MB"),
        (u64::MAX / 2, "9223372 TB"),
    ] {
        assert_eq!(size(bytes), expected);
    }
}

#[test]
fn one_thing_has_no_plural() {
    assert_eq!(
        [counted(0, "call"), counted(1, "call"), counted(2, "call")],
        ["0 calls", "1 call", "2 calls"]
    );
}
