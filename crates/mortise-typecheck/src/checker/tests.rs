//! Programs that share a checker, and the deepest that it takes.

use mortise_contract::CheckMode;

use super::Checker;
use crate::finding::{TypecheckReport, Unchecked};
use crate::request::CheckRequest;

fn check(checker: &Checker, source: &str) -> TypecheckReport {
    checker.check(CheckRequest::new(source, CheckMode::Guard))
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
fn a_tower_is_not_checked() {
    let report = check(&Checker::new(), &format!("x = {}\n", vec!["1"; 5000].join(" + ")));
    assert_eq!(report.unchecked, Some(Unchecked::Nesting { limit: crate::limits::CHECK_LEVELS }));
}

#[test]
fn the_deepest_program_that_is_checked_fits_the_stack() {
    let levels = crate::limits::CHECK_LEVELS - 10;
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
    let report = Checker::new().check(CheckRequest::new("this is no Python", CheckMode::Off));
    assert_eq!(report, TypecheckReport { mode: CheckMode::Off, ..TypecheckReport::default() });
}
