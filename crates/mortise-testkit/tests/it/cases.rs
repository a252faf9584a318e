//! Case files: what passes, and what a failure says.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use mortise_testkit::run_cases;
use serde_json::Value;

fn doubles(case: &Value) {
    assert_eq!(case["in"].as_i64().unwrap() * 2, case["out"].as_i64().unwrap(), "doubled");
}

fn failure(directory: &Path) -> String {
    *catch_unwind(|| run_cases(directory, doubles)).unwrap_err().downcast::<String>().unwrap()
}

#[test]
fn every_case_of_every_file_runs_and_failures_are_located() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
    write("a.json", r#"[{"name":"two","in":1,"out":2}]"#);
    run_cases(directory.path(), doubles);

    write("b.json", r#"[{"name":"bad","in":1,"out":3},{"name":"two","in":1,"out":2},{"in":1}]"#);
    write("c.json", "{");
    let failure = failure(directory.path());
    assert!(failure.starts_with("3 failed:\nb.json:bad: assertion"), "{failure}");
    assert!(failure.contains("b.json:#2: the case has no name"), "{failure}");
    assert!(failure.contains("c.json: not an array of cases"), "{failure}");
}

#[test]
fn a_directory_without_cases_fails() {
    let directory = tempfile::tempdir().unwrap();
    assert!(failure(directory.path()).contains("no cases"));
}
