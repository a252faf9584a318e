//! Summaries as the suite prints them.

use super::*;

fn failures(printed: &str) -> Vec<(String, Option<String>)> {
    let outcomes = of_all(printed).unwrap().into_iter().map(|scenario| scenario.outcome());
    outcomes.map(|outcome| (outcome.name, outcome.failure)).collect()
}

#[test]
fn a_scenario_passes_only_with_checks_and_without_failures_or_warnings() {
    let printed = "noise: 1 passed\n\
        ✓ tools-list: 4 passed, 0 failed\n\
        ✗ auth/scope: 3 passed, 2 failed\n\
        ✗ auth/step: 3 passed, 0 failed, 1 warnings\n\
        ✓ tasks: 0 passed, 0 failed\n\
        Total: 10 passed, 2 failed\n";
    let failed = |name: &str, failure: &str| (name.to_owned(), Some(failure.to_owned()));
    assert_eq!(
        failures(printed),
        [
            ("tools-list".to_owned(), None),
            failed("auth/scope", "2 checks failed, 0 warnings"),
            failed("auth/step", "0 checks failed, 1 warnings"),
            failed("tasks", "no check was made"),
        ]
    );
}

#[test]
fn one_scenario_is_read_from_its_result() {
    let printed = "Checks:\n\nTest Results:\nPassed: 8/9, 1 failed, 0 warnings\n";
    let expected = Scenario { name: "one".to_owned(), passed: 8, failed: 1, warnings: 0 };
    assert_eq!(of_one("one", printed).unwrap(), [expected]);
}

#[test]
fn a_suite_that_says_nothing_or_something_else_is_an_error() {
    assert!(of_all("crashed").is_err());
    assert!(of_all("✓ tools-list: all is well").is_err());
    assert!(of_one("one", "crashed").is_err());
}
