//! What `--help` says.

use crate::program::World;

const COMMANDS: &[&str] = &[
    "tools",
    "call",
    "check",
    "lock",
    "diff",
    "run",
    "runs",
    "resume",
    "replay",
    "approvals",
    "kept",
    "serve",
    "export",
    "data",
    "add",
    "remove",
    "list",
    "import",
    "install",
    "login",
    "logout",
    "doctor",
    "record",
    "schema",
    "formats",
    "licenses",
    "completions",
    "man",
    "trust",
    "help",
    "version",
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
fn the_short_help_and_the_rest() {
    let world = World::new();
    let short = world.run(&["help"]).expect_exit(0);
    assert_eq!((short.stderr.as_str(), &short), ("", &world.run(&["-h"])));
    insta::assert_snapshot!(short.stdout);
    insta::assert_snapshot!("help_more", world.run(&["help", "more"]).expect_exit(0).stdout);
}

#[test]
fn help_explains_a_command_under_every_name() {
    let world = World::new();
    for words in [&["call"][..], &["serve", "sample"], &["inspect"], &["declare"], &["auth", "login"]] {
        let help = world.run(&[&["help"], words].concat()).expect_exit(0);
        assert_eq!(help, world.run(&[words, &["--help"]].concat()), "{words:?}");
    }
    let unknown = world.run(&["help", "tolls"]).expect_exit(1);
    assert!(unknown.stderr.contains("tools"), "{}", unknown.stderr);
}

#[test]
fn old_names_do_the_same_as_new_ones() {
    let world = World::new();
    for (old, new) in [
        (&["sample", "--list"][..], &["serve", "sample", "--list"][..]),
        (&["mock", "--list"], &["serve", "mock", "--list"]),
        (&["declare", "--rules"], &["export", "--rules"]),
        (&["wizards", "scan", "."], &["data", "scan", "."]),
        (&["version"], &["--version"]),
    ] {
        assert_eq!(world.run(old).expect_exit(0), world.run(new), "{old:?}");
    }
    for old in ["init", "auth", "tester", "inspect"] {
        world.run(&[old, "--help"]).expect_exit(0);
    }
}

#[test]
fn the_reference_names_every_command_and_option() {
    let world = World::new();
    let page = world.run(&["help-markdown"]).expect_exit(0).stdout;
    for command in COMMANDS.iter().filter(|command| **command != "help") {
        assert!(page.contains(&format!("\n## mortise {command}\n")), "{command}");
        let help = world.run(&[command, "-h"]).stdout;
        for word in help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2) {
            let option = word.trim_end_matches(|end: char| !end.is_ascii_alphanumeric());
            assert!(option == "--help" || page.contains(option), "{command} {option}");
        }
    }
}
