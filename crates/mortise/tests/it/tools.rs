//! `mortise tools`: what the servers offer.

use crate::program::{World, binary, mock};

fn server(name: &str, scenario: &str) -> String {
    format!("{name}={} mock {scenario}", binary().display())
}

#[test]
fn one_server() {
    let ran = World::new().with("COLUMNS", "100").run(&[&["tools"][..], &mock("ok")].concat());
    insta::assert_snapshot!(ran.text());
}

#[test]
fn a_narrow_page() {
    let ran = World::new().with("COLUMNS", "36").run(&[&["tools"][..], &mock("ok")].concat());
    insta::assert_snapshot!(ran.text());
}

#[test]
fn one_server_that_fails_does_not_hide_the_others() {
    let (good, bad) = (server("good", "ok"), server("bad", "die-at-start"));
    let world = World::new().with("COLUMNS", "100");
    let arguments = ["tools", "--server", &bad, "--server", "gone=/nowhere/at-all", "--server", &good];
    insta::assert_snapshot!(world.run(&arguments).text());
    let json = world.run(&[&arguments[..], &["--json"]].concat()).expect_exit(0).json();
    let states: Vec<&str> =
        json["servers"].as_array().unwrap().iter().map(|server| server["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["failed", "failed", "ready"]);
    assert_eq!(json["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn the_one_asked_for_must_be_there() {
    let (good, bad) = (server("good", "ok"), server("bad", "die-at-start"));
    let world = World::new();
    let servers = ["--server", &good, "--server", &bad];
    world.run(&[&["tools", "good"], &servers[..]].concat()).expect_exit(0);
    world.run(&[&["tools", "bad"], &servers[..]].concat()).expect_exit(4);
    let ran = world.run(&[&["tools", "goood"], &servers[..]].concat()).expect_exit(1);
    assert!(
        ran.stderr.starts_with("error: there is no server and no tool `goood`\nhint: did you mean `good`?\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn json_is_what_the_server_wrote_and_two_names() {
    let ran = World::new().run(&[&["tools", "--json"][..], &mock("vendor-fields")].concat()).expect_exit(0);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn a_bad_tool_is_marked_and_the_rest_is_listed() {
    let world = World::new().with("COLUMNS", "100");
    for scenario in ["no-input-schema", "output-schema-true", "tool-not-object", "no-name", "duplicate-names"]
    {
        let ran = world.run(&[&["tools"][..], &mock(scenario)].concat());
        insta::assert_snapshot!(format!("tools_{scenario}"), ran.text());
    }
}

#[test]
fn all_pages_are_listed() {
    let json = World::new().run(&[&["tools", "--json"][..], &mock("pages")].concat()).expect_exit(0).json();
    assert_eq!(json["tools"].as_array().unwrap().len(), 22);
}

#[test]
fn the_same_name_on_two_servers_stays_apart() {
    let (one, two) = (server("one", "ok"), server("two", "ok"));
    let world = World::new();
    let servers = ["--server", &one, "--server", &two];
    let ran = world.run(&[&["call", "add", "a=1", "b=2"], &servers[..]].concat()).expect_exit(1);
    assert_eq!(ran.stderr, "error: several servers have a tool `add`\nhint: use one of one/add, two/add\n");
    for name in ["two/add", "two__add", "mcp__two__add"] {
        let json = world.run(&[&["call", name, "a=1", "b=2", "--json"], &servers[..]].concat()).json();
        assert_eq!(json["server"], "two", "{name}");
    }
}
