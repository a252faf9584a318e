//! Laws over random inputs, from fixed seeds.

use std::fmt::Debug;
use std::time::{Duration, Instant};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

/// Cases of a run without a time.
const CASES: u32 = 150;

/// Longer than this, one case counts as hanging.
const HANGING: Duration = Duration::from_secs(20);

/// Runs a law on random inputs, from fixed seeds.
///
/// `MORTISE_FUZZ_SECONDS=60` runs it for that time; a failure prints its round and the smallest input that still fails.
/// `MORTISE_FUZZ_FIRST_ROUND=1000` starts there: to repeat a failure, or to go where no run has been.
pub fn fuzz_law<S: Strategy>(strategy: &S, law: impl Fn(S::Value) -> Result<(), TestCaseError>)
where
    S::Value: Debug,
{
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let end = setting("MORTISE_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let first = setting("MORTISE_FUZZ_FIRST_ROUND").unwrap_or(0);
    let timed = |input| {
        let start = Instant::now();
        law(input)?;
        let elapsed = start.elapsed();
        proptest::prop_assert!(elapsed < HANGING, "one case took {elapsed:?}");
        Ok(())
    };
    for round in first.. {
        let mut seed = [0x5a; 32];
        seed[..8].copy_from_slice(&round.to_le_bytes());
        let config = Config {
            cases: CASES,
            failure_persistence: None,
            max_global_rejects: 100_000,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let failure = runner.run(strategy, timed).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(failure.is_empty(), "round {round}: {failure}");
        if end.is_none_or(|end| Instant::now() >= end) {
            return;
        }
    }
}
