//! A project's file starts nothing until it is trusted.

use crate::program::World;
use crate::pty::OnTerminal;

/// A configuration whose only server leaves a trace when it is started.
fn project() -> World {
    let world = World::new();
    world.write("mortise.yaml", "servers:\n  - name: trap\n    command: touch\n    args: [started]\n");
    world
}

fn was_started(world: &World) -> bool {
    world.project().join("started").exists()
}

#[test]
fn an_untrusted_file_starts_nothing() {
    let world = project();
    for command in [&["tools"][..], &["inspect", "x"], &["call", "x"], &["doctor"]] {
        let ran = world.run(command).expect_exit(2);
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains("mortise trust"), "{}", ran.stderr);
    }
    assert!(!was_started(&world));
}

#[test]
fn a_trusted_file_is_used_until_it_changes() {
    let world = project();
    world.run(&["trust"]).expect_exit(0);
    world.run(&["tools"]).expect_exit(4);
    assert!(was_started(&world));

    std::fs::remove_file(world.project().join("started")).unwrap();
    world.write("mortise.yaml", "servers:\n  - name: trap\n    command: touch\n    args: [started, more]\n");
    let ran = world.run(&["tools"]).expect_exit(2);
    assert!(ran.stderr.contains("has changed since it was trusted"), "{}", ran.stderr);
    assert!(!was_started(&world));
}

#[test]
fn on_a_terminal_the_user_is_asked() {
    for (answer, exit, started) in [("n", 2, false), ("", 2, false), ("y", 4, true)] {
        let world = project();
        let mut terminal = OnTerminal::start(&world, 100, &["tools"]);
        let shown = terminal.read_until("[y/N]");
        assert!(shown.contains("trap: starts touch started"), "{shown}");
        terminal.type_line(answer);
        assert_eq!(terminal.finish().1, Some(exit), "{answer}");
        assert_eq!(was_started(&world), started, "{answer}");
    }
}

#[test]
fn naming_the_file_is_consent() {
    let world = project();
    world.run(&["tools", "--config", "mortise.yaml"]).expect_exit(4);
    assert!(was_started(&world));
}

#[test]
fn trust_is_listed_and_removed() {
    let world = project();
    assert_eq!(world.run(&["trust", "--list"]).expect_exit(0).stdout, "");
    world.run(&["trust", "."]).expect_exit(0);
    assert_eq!(world.run(&["trust", "--list"]).stdout, "[WORLD]/project/mortise.yaml\n");
    let listed = world.run(&["trust", "--list", "--json"]).json();
    assert_eq!(listed["trusted"][0]["sha256"].as_str().unwrap().len(), 64);
    world.run(&["trust", "--remove"]).expect_exit(0);
    world.run(&["tools"]).expect_exit(2);
}

#[test]
fn there_must_be_a_file_to_trust() {
    let ran = World::new().run(&["trust"]).expect_exit(2);
    assert!(ran.stderr.starts_with("error: cannot read `[WORLD]/project/mortise.yaml`"), "{}", ran.stderr);
}

#[test]
fn what_the_file_imports_is_trusted_with_it_and_shown() {
    let world = World::new();
    world.write("mortise.yaml", "import: [.mcp.json]\n");
    world.write(".mcp.json", r#"{"mcpServers": {"trap": {"command": "touch", "args": ["started"]}}}"#);
    world.run(&["tools"]).expect_exit(2);
    let ran = world.run(&["trust"]).expect_exit(0);
    assert!(ran.stderr.contains("trap starts touch started"), "{}", ran.stderr);
    world.run(&["tools"]).expect_exit(4);
    assert!(was_started(&world));
}
