//! `mortise doctor`: what there is and what is wrong with it.

use crate::program::{World, binary, mock};

#[test]
fn a_healthy_server() {
    let ran = World::new().with("COLUMNS", "400").run(&[&["doctor"][..], &mock("ok")].concat());
    insta::assert_snapshot!(ran.text());
    let ran = World::new().with("COLUMNS", "400").run(&[&["doctor", "-v"][..], &mock("ok")].concat());
    insta::assert_snapshot!(without_hash(&ran.text()));
}

/// The name of the compiled interpreter without the hash of its content, which differs between builds.
fn without_hash(text: &str) -> String {
    let Some((before, after)) = text.split_once("/python-") else { return text.to_owned() };
    let (_, after) = after.split_once(".cwasm").unwrap();
    format!("{before}/python-[HASH].cwasm{after}")
}

#[test]
fn problems_are_listed_per_server() {
    let server = |name: &str, scenario: &str| format!("{name}={} mock {scenario}", binary().display());
    let (odd, dead) = (server("odd", "schema-external"), server("dead", "die-at-start"));
    // Wide enough for the path of the binary, wherever it lies.
    let world = World::new().with("COLUMNS", "400");
    let arguments = ["doctor", "--server", &odd, "--server", &dead];
    insta::assert_snapshot!(without_hash(&world.run(&arguments).expect_exit(4).text()));
    let json = world.run(&[&arguments[..], &["--json"]].concat()).expect_exit(4).json();
    assert_eq!(json["servers"][0]["with_output_schema"], 3);
    assert_eq!(json["servers"][1]["state"], "failed");
}

#[test]
fn a_variable_that_a_server_seems_to_miss_is_named() {
    let world = World::new().with("EXAMPLE_TOKEN", "canary-4711").with("COLUMNS", "200");
    let script = format!(
        "[ -n \"$EXAMPLE_TOKEN\" ] || {{ echo 'error: EXAMPLE_TOKEN is required' >&2; exit 1; }}; exec {} mock ok",
        binary().display()
    );
    let server = ["--", "sh", "-c", &script];
    let missed = "it seems to miss `EXAMPLE_TOKEN`, which is set here and not passed on: name it under `env:` of the \
                  server, or pass `--env EXAMPLE_TOKEN`";
    let ran = world.run(&[&["doctor"][..], &server].concat()).expect_exit(4);
    assert!(ran.stdout.contains(missed), "{}", ran.stdout);
    let ran = world.run(&[&["tools"][..], &server].concat()).expect_exit(4);
    assert!(ran.stderr.contains(missed) && !ran.stderr.contains("canary"), "{}", ran.stderr);

    let ran = world.run(&[&["doctor", "--env", "EXAMPLE_TOKEN"][..], &server].concat()).expect_exit(0);
    assert!(!ran.stdout.contains("seems to miss"), "{}", ran.stdout);
    for env in ["inherit", "{EXAMPLE_TOKEN: '${EXAMPLE_TOKEN}'}"] {
        let script = serde_json::Value::from(script.as_str());
        let text = format!("servers: [{{name: a, command: sh, args: [-c, {script}], env: {env}}}]");
        world.write("some.yaml", &text);
        world.run(&["doctor", "--config", "some.yaml"]).expect_exit(0);
    }
    let ran = world.run(&["tools", "--env", "NOT_SET", "--samples"]).expect_exit(1);
    assert!(ran.stderr.contains("the variable `NOT_SET` is not set"), "{}", ran.stderr);
}

#[test]
fn entries_that_can_t_be_used_are_problems() {
    let world = World::new().with("COLUMNS", "100");
    let good = format!("  - {{name: good, command: sh, args: [-c, '{} mock ok']}}\n", binary().display());
    world.write("some.yaml", &format!("servers:\n  - {{name: bad, command: '${{NOT_SET}}'}}\n{good}"));
    let ran = world.run(&["doctor", "--config", "some.yaml"]).expect_exit(2);
    assert!(
        ran.stdout.contains("✗  bad                   some.yaml:2:26: ${NOT_SET} is not set"),
        "{}",
        ran.stdout
    );
    let ran = world.run(&["tools", "--config", "some.yaml"]).expect_exit(0);
    insta::assert_snapshot!(ran.text());
    let ran = world.run(&["check", "--config", "some.yaml", "--calls", "0"]).expect_exit(4);
    assert!(ran.stdout.contains("${NOT_SET} is not set"), "{}", ran.stdout);
    let ran = world.run(&["tools", "--config", "some.yaml", "bad"]).expect_exit(2);
    insta::assert_snapshot!(ran.stderr);
}
