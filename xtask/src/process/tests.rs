//! Programs end, fail and hang.

use super::*;

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn output_is_collected() {
    let finished = run_ok(&mut shell("echo out; echo err >&2"), LONG).unwrap();
    assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
}

#[test]
fn a_failure_carries_the_end_of_the_output() {
    let error = run_ok(&mut shell("echo why >&2; exit 3"), LONG).unwrap_err().to_string();
    assert!(error.contains("exit status: 3") && error.contains("why"), "{error}");
}

#[test]
fn a_hanging_program_is_stopped_with_its_children() {
    // The grandchild holds the pipe: without stopping the group the reader would never end.
    let error = run(&mut shell("echo begun >&2; sleep 1000 & wait"), Duration::from_millis(300)).unwrap_err();
    let text = format!("{error:#}");
    assert!(text.contains("did not end") && text.contains("begun"), "{text}");
}
