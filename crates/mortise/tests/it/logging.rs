//! The log: where it goes and how it looks.

use crate::program::{World, binary, mock};

#[test]
fn there_is_none_unless_asked_for() {
    let ran = World::new().run(&[&["tools"][..], &mock("banner")].concat()).expect_exit(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn it_goes_to_stderr_or_a_file_and_never_to_stdout() {
    let world = World::new();
    let arguments = [&["tools", "-vv"][..], &mock("ok")].concat();
    let plain = world.run(&[&["tools"][..], &mock("ok")].concat());
    let ran = world.run(&arguments).expect_exit(0);
    assert_eq!(ran.stdout, plain.stdout);
    assert!(ran.stderr.contains("DEBUG mortise_client"), "{}", ran.stderr);

    let ran = world.run(&[&["--log-file", "log.txt"], &arguments[..]].concat()).expect_exit(0);
    assert_eq!(ran.stderr, "");
    assert!(
        std::fs::read_to_string(world.project().join("log.txt")).unwrap().contains("DEBUG mortise_client")
    );
}

#[test]
fn every_line_is_an_object_in_json() {
    let world = World::new().with("MORTISE_LOG", "debug");
    let ran = world.run(&[&["tools", "--log-format", "json"][..], &mock("ok")].concat()).expect_exit(0);
    assert!(ran.stderr.lines().count() > 1);
    for line in ran.stderr.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(event["level"].is_string() && event["target"].is_string(), "{line}");
    }
}

#[test]
fn arguments_are_not_logged_however_much_is_asked_for() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nosuch-SECRET","arguments":{"a":"SECRET"}}}"#;
    let prompt = r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"SECRET"}}"#;
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let input =
        [hello, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, call, prompt, ""].join("\n");
    for verbosity in ["-v", "-vv", "-vvv"] {
        let ran = World::new().run_with_input(&["sample", "weather", verbosity], &input).expect_exit(0);
        assert!(ran.stdout.contains("nosuch-SECRET"), "{}", ran.stdout);
        assert!(!ran.stderr.contains("SECRET"), "{}", ran.stderr);
    }
}

#[test]
fn a_log_file_that_can_not_be_written_is_said() {
    let ran = World::new().run(&["licenses", "--log-file", "no/such/directory/log"]).expect_exit(1);
    assert!(ran.stderr.starts_with("error: cannot write the log file"), "{}", ran.stderr);
}

#[test]
fn an_output_schema_that_can_not_be_used_is_said_once_and_not_shown() {
    let world = World::new();
    let code = "for _ in range(2):\n    print(await mcp__m__bad(text='hi'))";
    let server = format!("m={} mock schema-external", binary().display());
    let ran = world.run(&["run", "-v", "--server", &server, "-c", code]).expect_exit(0);
    let said: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("output_schema.rejected")).collect();
    let [line] = said[..] else { panic!("{}", ran.stderr) };
    for part in ["WARN", "tool=\"bad\"", "reason=\"external_reference\""] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains("http"), "{line}");
}

#[test]
fn an_output_schema_that_can_not_be_used_is_logged_when_it_is_listed() {
    let world = World::new();
    let ran = world.run(&[&["tools", "-v"][..], &mock("schema-external")].concat());
    let said = ran.stderr.lines().filter(|line| line.contains("output_schema.rejected")).count();
    assert_eq!(said, 1, "{}", ran.stderr);
}
