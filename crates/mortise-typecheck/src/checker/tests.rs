//! What happens at the checker's bounds.

use std::time::Duration;

use super::{Checker, LOST, Threads};
use crate::finding::Unchecked;
use crate::request::{CheckRequest, Mode};

fn check(checker: &Checker, source: &str) -> crate::Report {
    checker.check_within(CheckRequest::new(source, Mode::Guard), Duration::from_secs(600))
}

#[test]
fn programs_share_one_checker() {
    let checker = Checker::new();
    checker.warm_up();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let checker = checker.clone();
            scope.spawn(move || {
                let report = check(&checker, &format!("x{number} = 1\nprint(x{number}, y{number})\n"));
                let said: Vec<&str> = report.refusals().map(|finding| finding.message.as_str()).collect();
                assert_eq!(said, [format!("NameError: `y{number}` is not defined")]);
            });
        }
    });
}

#[test]
fn a_check_that_takes_too_long_is_given_up_and_the_next_one_works() {
    let checker = Checker::new();
    let report = checker.check_within(CheckRequest::new("x = 1\n", Mode::Guard), Duration::ZERO);
    assert_eq!(report.unchecked, Some(Unchecked::Time { milliseconds: 0 }));
    assert_eq!(check(&checker, "print(1)\n"), crate::Report::default());
}

#[test]
fn threads_that_come_back_are_no_longer_lost() {
    let mut threads = Threads::default();
    // Whoever holds a thread keeps it from its end.
    let held: Vec<_> = (0..=LOST).map(|_| threads.current(|_| true).unwrap()).collect();
    assert_eq!(threads.current(|_| true).unwrap_err(), Unchecked::Stuck { threads: LOST + 1 });
    drop(held);
    while threads.lost.iter().any(|lost| lost.strong_count() > 0) {
        std::thread::yield_now();
    }
    assert!(threads.current(|_| true).is_ok());
}

#[test]
fn a_tower_is_not_checked() {
    let report = check(&Checker::new(), &format!("x = {}\n", vec!["1"; 5000].join(" + ")));
    assert_eq!(report.unchecked, Some(Unchecked::Nesting { limit: mortise_contract::limits::CHECK_LEVELS }));
}

#[test]
fn the_deepest_program_that_is_checked_fits_the_stack() {
    let levels = mortise_contract::limits::CHECK_LEVELS - 10;
    let checker = Checker::new();
    for source in [
        format!("y = 1\nx = {}\n", vec!["y"; levels].join(" + ")),
        format!("x = {}1{}\n", "[".repeat(levels), "]".repeat(levels)),
        format!("y = ''\nx = y{}\n", ".upper()".repeat(levels / 3)),
        format!("x = {}1\n", "lambda: ".repeat(levels / 2)),
        format!("x = {}1{}\n", "{'a': ".repeat(levels / 2), "}".repeat(levels / 2)),
        format!("x = {}1\n", "1 if 1 else ".repeat(levels / 2)),
    ] {
        assert_eq!(check(&checker, &source).unchecked, None, "{}", &source[..40]);
    }
}

#[test]
fn off_checks_nothing() {
    let report = Checker::new().check(CheckRequest::new("this is no Python", Mode::Off));
    assert_eq!(report, crate::Report::default());
}
