//! Attempts to get at the host, each in a program of its own. Nothing of the host may show.

use crate::hosts::{program, run};

/// The attempts, separated by lines that start with `#:`.
const ATTEMPTS: &str = include_str!("../escapes.py");

#[test]
fn no_attempt_reaches_the_host() {
    let secret = "the secret of the host 8c1f";
    let directory = tempfile::tempdir().unwrap();
    let canary = directory.path().join("secret.txt");
    std::fs::write(&canary, secret).unwrap();
    let home = std::env::var("HOME").unwrap_or_else(|_| "no home".to_owned());
    let attempts: Vec<&str> = ATTEMPTS.split("\n#:").skip(1).collect();
    assert!(attempts.len() >= 100, "{}", attempts.len());
    for attempt in attempts {
        let (name, source) = attempt.split_once('\n').unwrap();
        let report = run(program(&format!("CANARY = {:?}\n{source}", canary.display().to_string())));
        let told = report.error.map_or(String::new(), |error| error.traceback);
        let all = format!("{}{told}", report.output);
        assert!(!report.output.lines().any(|line| line.starts_with("ESCAPED")), "{name}: {all}");
        assert!(!all.contains(secret) && !report.output.contains(&home), "{name}: {all}");
        assert!(directory.path().read_dir().unwrap().count() == 1, "{name}");
    }
    assert!(!std::path::Path::new("/tmp/escaped").exists());
}

#[test]
fn a_program_can_not_change_what_later_programs_see() {
    run(program(
        "CANARY_OF_ANOTHER_PROGRAM = 1\nimport json, builtins\njson.loads = None\nbuiltins.print = None",
    ));
    let source = "import json\nprint(json.loads('1'), 'CANARY_OF_ANOTHER_PROGRAM' in globals())";
    assert_eq!(run(program(source)).output, "1 False\n");
}

#[test]
fn arguments_are_never_expanded() {
    let mut with_argument = program("import sys\nprint(sys.argv[1], (await echo(x='${HOME}'))['x'])");
    with_argument.arguments = vec!["${HOME}".to_owned()];
    assert_eq!(run(with_argument).output, "${HOME} ${HOME}\n");
}
