//! The list is strict in both directions.

use super::*;

const LIST: &str = r#"
[[group]]
reason = "known"
tests = ["a.json > first", "b.json"]
"#;

fn outcome(name: &str, passed: bool) -> Outcome {
    Outcome { name: name.to_owned(), failure: (!passed).then(|| "wrong".to_owned()) }
}

#[track_caller]
fn check(outcomes: &[(&str, bool)], expected: Result<&str, &str>) {
    let outcomes: Vec<Outcome> = outcomes.iter().map(|(name, passed)| outcome(name, *passed)).collect();
    let judged = ExpectedFailures::parse(LIST).unwrap().judge(&outcomes);
    match (judged, expected) {
        (Ok(summary), Ok(expected)) => assert_eq!(summary, expected),
        (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
        (judged, _) => panic!("{judged:?}"),
    }
}

const AS_LISTED: [(&str, bool); 3] =
    [("a.json > first > x", false), ("b.json > y > z", false), ("a.json > firsts", true)];

#[test]
fn failures_as_listed_are_fine() {
    check(&AS_LISTED, Ok("1 passed, 2 failed as listed"));
}

#[test]
fn an_unlisted_failure_is_reported() {
    check(&[AS_LISTED[0], AS_LISTED[1], ("c.json > x", false)], Err("c.json > x\n    wrong"));
}

#[test]
fn a_listed_pass_is_reported() {
    check(&[("a.json > first > x", true), AS_LISTED[1]], Err("passes now"));
}

#[test]
fn a_listed_test_that_never_ran_is_reported() {
    check(&AS_LISTED[..1], Err("b.json\n    is listed, but no such test ran"));
}

#[test]
fn a_reason_is_required() {
    assert!(ExpectedFailures::parse("[[group]]\nreason = \" \"\ntests = []\n").is_err());
}
