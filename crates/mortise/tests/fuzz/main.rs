//! Python programs made from its grammar, against the type checker of the real binary.
//!
//! Under `cargo test` a few programs are made; `cargo xtask fuzz` makes them for a time.

mod python;

use std::time::Duration;

use mortise_executor::check::{CheckMode, CheckRequest, TypecheckReport};
use mortise_executor::checker::{CheckerCommand, CheckerOptions, CheckerPool};
use mortise_testkit::fuzz_some;
use proptest::collection::vec;
use proptest::prelude::any;

/// Programs of a plain test run: without optimisation the checker takes its time.
const PROGRAMS: u32 = 16;
/// What one made-up program may take, and how much later its report may come on a busy machine.
const TIME: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(60);

/// Whatever a program is, its report comes in time, and the next program is checked as ever.
#[test]
fn the_checker_survives_python() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let _guard = runtime.enter();
    let build = format!("{} {}", env!("CARGO_PKG_VERSION"), env!("MORTISE_COMMIT"));
    let command = CheckerCommand {
        program: env!("CARGO_BIN_EXE_mortise").into(),
        name: "mortise".into(),
        arguments: ["checker".into(), "--build".into(), build.into()].into(),
    };
    // A made-up program has its own, shorter time; the others wait on a busy machine.
    let options = CheckerOptions { time: SLACK, turn: SLACK, ..CheckerOptions::new(command) };
    let checker = CheckerPool::new(options);
    let check = |source: &str, wall: Duration| -> TypecheckReport {
        let request = CheckRequest::new(source, CheckMode::Guard);
        let late = checker.longest() + SLACK;
        let checked =
            async { tokio::time::timeout(late, checker.check_in_process(request, "fuzz", wall)).await };
        runtime.block_on(checked).unwrap()
    };
    let assert_works = || {
        let report = check("print(missing)\n", Duration::MAX);
        assert_eq!((report.unchecked, report.refusals().count()), (None, 1));
    };
    assert_works();
    fuzz_some(PROGRAMS, &vec(any::<u16>(), 0..600), |choices| {
        let report = check(&python::program(&choices), 4 * TIME);
        if report.unchecked.is_some() {
            assert_works();
        }
    });
    assert_works();
}
