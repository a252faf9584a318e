//! Shapes of results: learned by `run`, shown by `tools`, suggested by `check`, off with `observe: off`.

use serde_json::{Value, json};

use crate::program::{World, binary};

/// A world with a server whose `echo` gives JSON as text and declares nothing.
fn world(rest: &str) -> World {
    let world = World::new().with("COLUMNS", "90").with("MORTISE_LOG", "warn");
    let own = binary().display();
    world.write(
        "c.yaml",
        &format!("servers:\n  - {{name: m, command: '{own}', args: [mock, text-json]}}\n{rest}"),
    );
    world
}

const CALLS: &str = "for _ in range(3): await mcp__m__echo(text='x')";

fn files(world: &World) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(world.state().join("observed")) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".json")).collect()
}

#[test]
fn a_run_teaches_the_next_one() {
    let world = world("");
    let shown = |world: &World| world.run(&["tools", "echo", "--config", "c.yaml"]).expect_exit(0).stdout;
    let before = shown(&world);
    assert!(!before.contains("Observed"), "{before}");
    world.run(&["run", "--config", "c.yaml", "-c", CALLS]).expect_exit(0);
    assert_eq!(files(&world).len(), 1);
    let after = shown(&world);
    assert!(after.contains("Returns  unknown: the server declares no output schema\n"), "{after}");
    assert!(after.contains("\nObserved  { rows: integer[] }\n"), "{after}");
    assert!(after.contains("  seen in 3 results on 20"), "{after}");
    assert!(after.contains("; the server does not declare it\n"), "{after}");
    let json = world.run(&["tools", "echo", "--config", "c.yaml", "--json"]).expect_exit(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["observed"]["calls"], &json["observedSchema"]["type"]), (&json!(3), &json!("object")));
    assert_eq!(json.get("outputSchema"), None);
    let wrong = "print((await mcp__m__echo(text='x')).get('rosw'))";
    // On a busy machine a check may have no time left for what was observed.
    let warned = (0..10).find_map(|_| {
        let ran = world.run(&["run", "--config", "c.yaml", "-c", wrong]).expect_exit(0);
        assert_eq!(ran.stdout, "None\n");
        Some(ran.stderr).filter(|stderr| stderr.contains("results, never had `rosw`; did you mean `rows`?"))
    });
    assert!(warned.unwrap().contains("observed: "));
}

#[test]
fn off_learns_keeps_and_shows_nothing() {
    let world = world("observe: off\n");
    world.run(&["run", "--config", "c.yaml", "-c", CALLS]).expect_exit(0);
    assert_eq!(files(&world), Vec::<String>::new());
    let shown = world.run(&["tools", "echo", "--config", "c.yaml"]).expect_exit(0).stdout;
    assert!(!shown.contains("Observed"), "{shown}");
}

#[test]
fn a_broken_file_is_set_aside_and_said() {
    let world = world("");
    world.run(&["run", "--config", "c.yaml", "-c", CALLS]).expect_exit(0);
    let [name] = files(&world).try_into().unwrap();
    let path = world.state().join("observed").join(name);
    std::fs::write(&path, "{").unwrap();
    let ran = world.run(&["run", "--config", "c.yaml", "-c", CALLS]).expect_exit(0);
    assert!(ran.stderr.contains("is not an observed shape of this version"), "{}", ran.stderr);
    assert!(path.with_extension("json.broken").exists() && path.exists());
}

#[test]
fn a_state_that_can_not_be_written_stops_no_program() {
    let world = world("");
    std::fs::create_dir_all(world.state()).unwrap();
    std::fs::write(world.state().join("observed"), "a file").unwrap();
    let ran =
        world.run(&["run", "--config", "c.yaml", "-c", "print((await mcp__m__echo(text='x'))['rows'])"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (Some(0), "[1, 2, 3]\n"));
    assert!(ran.stderr.contains("observed shapes are not kept"), "{}", ran.stderr);
}

#[test]
fn check_suggests_what_the_author_can_paste() {
    let world = world("");
    world.run(&["run", "--config", "c.yaml", "-c", CALLS]).expect_exit(0);
    let arguments = [
        "check",
        "--config",
        "c.yaml",
        "--calls",
        "3",
        "--suggest",
        "--write",
        "schemas.json",
        "--tool",
        "echo",
    ];
    let ran = world.run(&arguments).expect_exit(0);
    assert!(ran.stdout.contains("\nSuggested output schemas\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("of this check and 3 before"), "{}", ran.stdout);
    assert!(ran.stdout.contains("    \"outputSchema\": {\n"), "{}", ran.stdout);
    let written = std::fs::read_to_string(world.project().join("schemas.json")).unwrap();
    let written: Value = serde_json::from_str(&written).unwrap();
    let schema = json!({"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "integer"}}}, "required": ["rows"]});
    assert_eq!(written["m"]["echo"]["outputSchema"], schema);
    assert_eq!(written["m"]["echo"]["observed"]["before"], 3);
    let json = world.run(&[&arguments[..], &["--json"]].concat()).expect_exit(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["suggested"], written);
    // The calls of a check are made up, so they teach nothing that is kept.
    let shown = world.run(&["tools", "echo", "--config", "c.yaml"]).expect_exit(0).stdout;
    assert!(shown.contains("seen in 3 results"), "{shown}");
}

#[test]
fn a_lock_file_has_no_shapes() {
    let world = world("");
    let lock = |world: &World| {
        world.run(&["lock", "--config", "c.yaml"]).expect_exit(0);
        std::fs::read_to_string(world.project().join("mortise.lock.json")).unwrap()
    };
    let before = lock(&world);
    world.run(&["run", "--config", "c.yaml", "-c", CALLS]).expect_exit(0);
    assert_eq!(lock(&world), before);
}
