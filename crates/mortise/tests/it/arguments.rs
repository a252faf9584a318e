//! Arguments of a call, from words, files and stdin.

use crate::program::{World, mock};

/// What the server got, by a tool that gives back its text.
#[track_caller]
fn echoed(world: &World, arguments: &[&str]) -> String {
    let ran =
        world.run(&[&["call", "echo"][..], arguments, &["--json"], &mock("ok")].concat()).expect_exit(0);
    ran.json()["result"]["structuredContent"]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_word_is_read_by_the_declared_type() {
    let world = World::new();
    assert_eq!(echoed(&world, &["text=5"]), "5");
    assert_eq!(echoed(&world, &["text=a=b c"]), "a=b c");
    assert_eq!(echoed(&world, &[r#"text:="5""#]), "5");
    assert_eq!(echoed(&world, &[r#"text:="@alice""#]), "@alice");
    assert_eq!(echoed(&world, &["--text", "-5"]), "-5");
    assert_eq!(echoed(&world, &["hello there"]), "hello there");
}

#[test]
fn all_arguments_come_from_a_text_a_file_or_stdin() {
    let world = World::new();
    assert_eq!(echoed(&world, &["--args", r#"{"text": "t"}"#]), "t");
    world.write("arguments.json", r#"{"text": "f"}"#);
    assert_eq!(echoed(&world, &["--args", "@arguments.json"]), "f");
    assert_eq!(echoed(&world, &["--args", "@arguments.json", "text=over"]), "over");
    assert_eq!(echoed(&world, &["@arguments.json"]), "f");
    assert_eq!(echoed(&world, &[r#"{"text": "o"}"#]), "o");
    world.write("text.json", r#""from a file""#);
    assert_eq!(echoed(&world, &["text:=@text.json"]), "from a file");
    assert_eq!(echoed(&world, &["text=@text.json"]), r#""from a file""#);
    let arguments = [&["call", "echo", "--args", "-", "--json"][..], &mock("ok")].concat();
    let ran = world.run_with_input(&arguments, r#"{"text": "i"}"#).expect_exit(0);
    assert_eq!(ran.json()["result"]["structuredContent"]["text"], "i");
    let arguments = [&["call", "echo", "-", "--json"][..], &mock("ok")].concat();
    let ran = world.run_with_input(&arguments, r#"{"text": "j"}"#).expect_exit(0);
    assert_eq!(ran.json()["result"]["structuredContent"]["text"], "j");
}

#[track_caller]
fn check_refused(arguments: &[&str], expected: &str) {
    let ran = World::new().run(&[&["call"], arguments, &mock("ok")].concat()).expect_exit(1);
    assert_eq!(ran.stdout, "");
    assert_eq!(ran.stderr.trim_end(), expected);
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_sent() {
    const SHOWS: &str =
        "hint: `mortise tools add` shows what it takes; --no-validate sends the arguments as they are";
    check_refused(
        &["add", "a=1", "b=x"],
        "error: `b` must be a whole number\nhint: `mortise tools add` shows what it takes",
    );
    check_refused(
        &["add", "a=1"],
        &format!("error: `b` is missing\nhint: for example: mortise call add a=1 b=NUMBER\n{SHOWS}"),
    );
    check_refused(
        &["add", "a=1", "b:=true"],
        &format!("error: `b` must be a whole number, got true\n{SHOWS}"),
    );
    check_refused(
        &["add", "a=1", "bb=2"],
        "error: the tool has no argument `bb`\nhint: did you mean `b`?\nhint: --no-validate sends it anyway",
    );
    check_refused(
        &["add", "--args", "[1]"],
        "error: the arguments are not a JSON object\nhint: quote the object for the shell: '{\"name\": \"value\"}'; \
         or name a file: @FILE, - for stdin",
    );
}

#[test]
fn options_that_are_ours_win_and_say_so() {
    let world = World::new();
    world.write(
        "slow.yaml",
        "version: 1\ntools:\n  - declaration: {name: wait, inputSchema: {type: object, properties: {timeout: {type: integer}}}}\n    result: {content: []}\n",
    );
    let server = ["--", crate::program::binary().to_str().unwrap(), "mock", "ok", "--script", "slow.yaml"];
    let ran = world.run(&[&["call", "wait", "--timeout", "5"][..], &server].concat());
    assert!(ran.stderr.contains("for the tool's argument write `timeout=VALUE`"), "{}", ran.stderr);
}

#[test]
fn wrong_arguments_can_be_sent_all_the_same() {
    let ran = World::new().run(&[&["call", "add", "a=1", "--no-validate"][..], &mock("ok")].concat());
    ran.expect_exit(5);
}

#[test]
fn an_unknown_tool_gets_the_nearest_name() {
    check_refused(&["ad"], "error: there is no tool `ad`\nhint: did you mean: mortise call mortise/add -- …");
}
