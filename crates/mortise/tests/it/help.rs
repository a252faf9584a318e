//! What `--help` says.

use crate::program::World;

const COMMANDS: &[&str] = &[
    "tools",
    "inspect",
    "call",
    "lock",
    "diff",
    "check",
    "tester",
    "wizards",
    "declare",
    "sample",
    "mock",
    "init",
    "trust",
    "auth",
    "doctor",
    "schema",
    "formats",
    "licenses",
    "completions",
];

#[test]
fn the_program() {
    let ran = World::new().run(&["--help"]).expect_exit(0);
    assert_eq!(ran.stderr, "");
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn every_command() {
    let world = World::new();
    for command in COMMANDS {
        let ran = world.run(&[command, "-h"]).expect_exit(0);
        insta::assert_snapshot!(format!("help_{command}"), ran.stdout);
    }
}

#[test]
fn no_command_at_all_shows_the_help() {
    let ran = World::new().run(&[]).expect_exit(1);
    assert!(ran.stderr.contains("Usage: mortise"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
}

#[test]
fn the_reference_names_every_command_and_option() {
    let world = World::new();
    let page = world.run(&["help-markdown"]).expect_exit(0).stdout;
    for command in COMMANDS {
        assert!(page.contains(&format!("\n## mortise {command}\n")), "{command}");
        let help = world.run(&[command, "-h"]).stdout;
        for word in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
            let option = word.trim_end_matches(|end: char| !end.is_ascii_alphanumeric());
            assert!(option == "--help" || page.contains(option), "{command} {option}");
        }
    }
}
