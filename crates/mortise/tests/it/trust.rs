//! A project's file starts nothing until it is trusted.

use crate::program::{World, binary};
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

/// A file of the user's own, with a server that works.
fn with_own_file(world: &World) {
    let own = world.project().join("../home/.config/mortise");
    std::fs::create_dir_all(&own).unwrap();
    let text = format!(
        "servers:\n  - name: own\n    command: sh\n    args: [-c, '{} mock ok']\n",
        binary().display()
    );
    std::fs::write(own.join("mortise.yaml"), text).unwrap();
}

#[test]
fn the_user_s_own_file_is_used_in_place_of_an_untrusted_one() {
    let world = project();
    with_own_file(&world);
    let warning = "warning: `[WORLD]/project/mortise.yaml` is not trusted, so your own \
                   `[WORLD]/home/.config/mortise/mortise.yaml` is used";
    let code = "print(await mcp__own__add(a=1, b=2))";
    for command in [&["tools"][..], &["inspect", "add"], &["call", "add", "a=1", "b=2"], &["run", "-c", code]]
    {
        let ran = world.run(command).expect_exit(0);
        assert!(ran.stderr.contains(warning), "{command:?}: {}", ran.stderr);
    }
    let listed = world.run(&["tools", "--json"]).json();
    let servers: Vec<&str> =
        listed["servers"].as_array().unwrap().iter().map(|server| server["name"].as_str().unwrap()).collect();
    assert_eq!(servers, ["own", "mortise.yaml"]);
    assert_eq!(listed["servers"][1]["error"], "`[WORLD]/project/mortise.yaml` is not trusted");
    assert!(!listed.to_string().contains("touch"), "nothing of it is shown: {listed}");
    let doctor = world.run(&["doctor"]).expect_exit(2);
    assert!(doctor.stdout.contains("is not trusted"), "{}", doctor.stdout);
    let check = world.run(&["check"]).expect_exit(4);
    assert!(check.stdout.contains("is not trusted"), "{}", check.stdout);
    world.run(&["lock"]).expect_exit(2);
    assert!(!was_started(&world));
    world.run(&["trust"]).expect_exit(0);
    world.run(&["tools"]).expect_exit(4);
    assert!(was_started(&world), "once trusted, it is the only one");
}

#[test]
fn an_untrusted_file_does_not_keep_serve_from_starting() {
    let world = project();
    with_own_file(&world);
    let ran = world.run_with_input(&["serve"], "").expect_exit(0);
    assert!(ran.stderr.contains("is not trusted, so your own"), "{}", ran.stderr);
    assert!(!was_started(&world));
}

#[test]
fn the_file_of_a_repository_is_found_and_trusted_from_below() {
    let world = project();
    std::fs::create_dir_all(world.project().join(".git")).unwrap();
    let below = world.project().join("src/deep");
    std::fs::create_dir_all(&below).unwrap();
    let run = |arguments: &[&str]| {
        let output = world.command(arguments).current_dir(&below).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (exit, stderr) = run(&["tools"]);
    assert_eq!(exit, Some(2));
    assert!(stderr.contains("project/mortise.yaml` is not trusted"), "{stderr}");
    assert_eq!(run(&["trust"]).0, Some(0));
    assert_eq!(run(&["tools"]).0, Some(4), "`touch` is not a server");
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

#[cfg(unix)]
#[test]
fn trust_that_others_can_write_starts_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = project();
    world.run(&["trust"]).expect_exit(0);
    std::fs::set_permissions(world.state(), std::fs::Permissions::from_mode(0o777)).unwrap();
    for command in [&["tools"][..], &["trust"], &["trust", "--list"]] {
        let ran = world.run(command).expect_exit(2).stderr;
        let state = "[WORLD]/home/.local/state/mortise";
        assert!(ran.contains(&format!("`{state}` can be written by other users (mode 777)")), "{ran}");
        assert!(ran.contains(&format!("run `chmod go-w {state}`")), "{ran}");
    }
    assert!(!was_started(&world));
    std::fs::set_permissions(world.state(), std::fs::Permissions::from_mode(0o755)).unwrap();
    world.run(&["tools"]).expect_exit(4);
    assert!(was_started(&world));
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
    let ran = World::new().run(&["trust"]).expect_exit(1);
    assert!(ran.stderr.starts_with("error: there is no file or folder `mortise.yaml`"), "{}", ran.stderr);
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
