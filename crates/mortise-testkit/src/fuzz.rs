//! Fuzz targets that are also plain tests.

use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, TestRunner};

/// Runs `check` on values of `strategy`: a few hundred in a plain test run, and for as long as
/// `MORTISE_FUZZ_SECONDS` says under `cargo xtask fuzz`. `check` fails by panicking; the smallest
/// failing value found is shown.
#[track_caller]
pub fn fuzz<S: Strategy>(strategy: &S, check: impl Fn(S::Value)) {
    fuzz_some(Config::default().cases, strategy, check);
}

/// Like [`fuzz`], with `cases` values in a plain test run, for checks that take long.
#[track_caller]
#[expect(clippy::panic, reason = "a finding must fail the test that runs the target")]
pub fn fuzz_some<S: Strategy>(cases: u32, strategy: &S, check: impl Fn(S::Value)) {
    let seconds = std::env::var("MORTISE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(0));
    loop {
        let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        if let Err(finding) = runner.run(strategy, |value| {
            check(value);
            Ok(())
        }) {
            panic!("{finding}");
        }
        if Instant::now() >= end {
            return;
        }
    }
}
