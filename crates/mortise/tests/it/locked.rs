//! `--lock` and `lock:`: tools that are not as `mortise.lock.json` records them.

use crate::program::{Ran, World, binary};

const ECHO: &str = "print(await mcp__m__echo(text='x'))";

/// A world whose one server was recorded as `ok` and behaves as `scenario` now.
fn world(scenario: &str, rest: &str) -> World {
    let world = World::new();
    configure(&world, "ok", "");
    world.run(&["lock", "--config", "c.yaml"]).expect_exit(0);
    configure(&world, scenario, rest);
    world
}

fn configure(world: &World, scenario: &str, rest: &str) {
    let own = binary().display();
    world.write(
        "c.yaml",
        &format!("servers:\n  - {{name: m, command: '{own}', args: [mock, {scenario}]}}\n{rest}"),
    );
}

fn run(world: &World, arguments: &[&str]) -> Ran {
    world.run(&[&["run", "--config", "c.yaml", "-c", ECHO], arguments].concat())
}

#[test]
fn a_tool_as_recorded_is_called_and_nothing_is_said() {
    let ran = run(&world("ok", "lock: enforce\n"), &[]).expect_exit(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("{'text': 'x'}\n", ""));
}

#[test]
fn enforce_holds_a_changed_tool_back_until_it_is_recorded() {
    let world = world("poison", "lock: enforce\n");
    let ran = run(&world, &[]).expect_exit(5);
    assert!(ran.stderr.contains("warning: `mcp__m__echo` is held back: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("ToolError: 'mcp__m__echo' is held back: it changed"), "{}", ran.stderr);
    let doctor = world.run(&["doctor", "-v", "--config", "c.yaml"]).expect_exit(0).stdout;
    assert!(doctor.contains("lock           enforce, "), "{doctor}");
    assert!(doctor.contains("! echo: is held back: it changed"), "{doctor}");
    // The flag counts more than the configuration.
    run(&world, &["--lock", "off"]).expect_exit(0);
    world.run(&["lock", "--config", "c.yaml"]).expect_exit(0);
    assert_eq!(run(&world, &[]).expect_exit(0).stderr, "");
}

#[test]
fn by_default_a_changed_tool_is_named_and_called() {
    let ran = run(&world("poison", ""), &[]).expect_exit(0);
    let warning = "warning: `mcp__m__echo` is offered: it changed since the lock file was written: `description` changed\n";
    assert!(ran.stderr.starts_with(warning), "{}", ran.stderr);
}

#[test]
fn enforce_wants_a_lock_file_that_can_be_used() {
    let world = world("ok", "");
    for text in [None, Some("{"), Some("{}"), Some(r#"{"format": "mortise-lock", "version": 9}"#)] {
        let path = world.project().join("mortise.lock.json");
        match text {
            None => std::fs::remove_file(&path).unwrap(),
            Some(text) => std::fs::write(&path, text).unwrap(),
        }
        let refused = run(&world, &["--lock", "enforce"]).expect_exit(2).stderr;
        assert!(refused.contains("the lock file `"), "{refused}");
        assert!(refused.contains("hint: `mortise lock` writes it"), "{refused}");
        let warned = run(&world, &["--lock", "warn"]).expect_exit(0).stderr;
        assert!(warned.starts_with("warning: tools are not compared with the lock file: "), "{warned}");
    }
    std::fs::remove_file(world.project().join("mortise.lock.json")).unwrap();
    assert_eq!(run(&world, &[]).expect_exit(0).stderr, "");
}
