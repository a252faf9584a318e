//! Commands that need no server.

use crate::program::World;

#[test]
fn the_version_names_commit_and_protocols() {
    let ran = World::new().run(&["--version"]).expect_exit(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], format!("mortise {}", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("commit ") && lines[1].len() > "commit ".len(), "{}", lines[1]);
    assert!(
        lines[2].starts_with("protocols 2025-03-26, ") && lines[2].ends_with("2026-07-28"),
        "{}",
        lines[2]
    );
}

#[test]
fn an_unknown_command_is_a_usage_error() {
    let ran = World::new().run(&["tolls"]).expect_exit(1);
    assert_eq!(ran.stdout, "");
    assert_eq!(
        ran.stderr,
        "error: there is no command `mortise tolls`\nhint: did you mean `mortise tools`?\n"
    );
}

#[test]
fn every_shell_gets_a_completion_script() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = World::new().run(&["completions", shell]).expect_exit(0);
        assert!(ran.stdout.contains("COMPLETE") && ran.stdout.contains("mortise"), "{shell}: {}", ran.stdout);
    }
}

#[test]
fn the_licences_of_what_is_inside_are_there() {
    let ran = World::new().run(&["licenses"]).expect_exit(0);
    for part in ["MIT or Apache-2.0", "rmcp", "tokio"] {
        assert!(ran.stdout.contains(part), "{part}");
    }
}

#[test]
fn the_schema_of_the_configuration_is_a_schema() {
    let schema = World::new().run(&["schema", "config"]).expect_exit(0).json();
    assert!(schema["properties"]["servers"].is_object());
}

#[test]
fn the_limits_are_one_table() {
    let world = World::new();
    let table = world.run(&["doctor", "--limits"]).expect_exit(0).stdout;
    let limits = world.run(&["doctor", "--limits", "--json"]).expect_exit(0).json();
    let limits = limits["limits"].as_array().unwrap();
    assert_eq!(table.lines().count(), limits.len() + 1);
    for limit in limits {
        assert!(table.contains(limit["name"].as_str().unwrap()), "{limit}");
    }
}

#[test]
fn a_log_filter_that_is_none_is_refused() {
    let ran = World::new().with("MORTISE_LOG", "mortise=loud").run(&["licenses"]).expect_exit(1);
    assert!(ran.stderr.starts_with("error: MORTISE_LOG is `mortise=loud`"), "{}", ran.stderr);
}
