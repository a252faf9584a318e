//! One test per exit code. 70 is in the unit tests, 130 in `ending`.

use mortise_testkit::{HttpReply, ScriptedHttp};

use crate::program::{World, binary, mock};

#[track_caller]
fn check(arguments: &[&str], exit: i32) {
    World::new().run(arguments).expect_exit(exit);
}

#[test]
fn all_went_well_is_0() {
    check(&[&["call", "add", "a=1", "b=2"][..], &mock("ok")].concat(), 0);
    check(&[&["tools"][..], &mock("ok")].concat(), 0);
}

#[test]
fn a_wrong_command_line_or_argument_is_1() {
    check(&["call"], 1);
    check(&[&["call", "add", "a=one", "b=2"][..], &mock("ok")].concat(), 1);
    check(&[&["call", "ad"][..], &mock("ok")].concat(), 1);
    check(&["tools", "--server", "no-command"], 1);
    // A program that is refused before it calls anything is wrong in the same way.
    check(&["run", "-c", "print('a"], 1);
    check(&["run", "--check", "off", "-c", "print('a"], 1);
}

#[test]
fn a_wrong_configuration_is_2() {
    let world = World::new();
    world.write("wrong.yaml", "serverz: []\n");
    world.run(&["tools", "--config", "wrong.yaml"]).expect_exit(2);
    world.run(&["tools", "--config", "missing.yaml"]).expect_exit(1);
}

#[test]
fn a_wanted_login_is_3() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server =
        runtime.block_on(ScriptedHttp::start(|_| HttpReply::status(401).with("www-authenticate", "Bearer")));
    let server = server.unwrap();
    let url = server.url("/mcp");
    let world = World::new();
    world.write("named.yaml", &format!("servers: [{{name: web, url: '{url}'}}]\n"));
    let by_url = format!("hint: run `mortise login {url}`");
    let named = format!("web={url}");
    for (arguments, hint) in [
        (&["tools", url.as_str()][..], by_url.as_str()),
        (&["tools", "--url", &url], &by_url),
        (&["tools", "--server", &named], &by_url),
        (&["tools", "--config", "named.yaml"], "hint: run `mortise login web --config named.yaml`"),
        (&["call", "x", "--config", "named.yaml"], "hint: run `mortise login web --config named.yaml`"),
    ] {
        let ran = world.run(arguments).expect_exit(3);
        assert!(ran.stderr.contains(hint), "{arguments:?}: {}", ran.stderr);
    }
    world.run(&["add", "web", &url]).expect_exit(0);
    let ran = world.run(&["tools"]).expect_exit(3);
    assert!(ran.stderr.contains("hint: run `mortise login web`"), "{}", ran.stderr);
    let home = world.run(&[]).expect_exit(0).stdout;
    assert!(home.contains("! web  login needed") && home.contains("mortise login web"), "{home}");
}

#[test]
fn an_unreachable_server_is_4() {
    check(&["tools", "--", "/nowhere/at-all"], 4);
    check(&["tools", "http://127.0.0.1:1/mcp"], 4);
    check(&[&["tools"][..], &mock("die-at-start")].concat(), 4);
    check(&[&["call", "echo", "text=x"][..], &mock("die-before")].concat(), 4);
    check(&[&["tools"][..], &mock("list-error")].concat(), 4);
    check(&[&["call", "echo", "text=x"][..], &mock("cursor-loop")].concat(), 4);
}

#[test]
fn a_tool_error_is_5() {
    check(&[&["call", "echo", "text=x"][..], &mock("tool-error")].concat(), 5);
    check(&[&["call", "echo", "text=x"][..], &mock("rpc-error")].concat(), 5);
}

#[test]
fn a_broken_contract_is_6() {
    check(&[&["call", "echo", "text=x"][..], &mock("lie-mismatch")].concat(), 6);
    check(&[&["call", "echo", "text=x"][..], &mock("lie-missing")].concat(), 6);
    check(&[&["call", "echo", "text=x"][..], &mock("is-error-string")].concat(), 6);
    check(&[&["call", "echo", "text=x", "--mode", "strict"][..], &mock("lie-mismatch")].concat(), 6);
    check(&[&["call", "echo", "text=x", "--mode", "off"][..], &mock("lie-mismatch")].concat(), 0);
}

#[test]
fn an_unusable_schema_is_7_in_strict_mode() {
    for command in [&["call", "bad", "text=x"][..], &["inspect", "bad"], &["tools"]] {
        check(&[command, &mock("schema-external")].concat(), 0);
        check(&[command, &["--strict"], &mock("schema-external")].concat(), 7);
        check(&[command, &["--mode", "strict"], &mock("schema-external")].concat(), 7);
    }
    // Wherever the mode is set; and a single tool can be left out of it.
    let world = World::new();
    let server = format!("command: {:?}\n    args: [mock, schema-external]", binary());
    let file =
        |more: &str| format!("servers:\n  m:\n    {server}\n    {more}\nvalidation:\n  mode: strict\n");
    world.write("strict.yaml", &file(""));
    world.write("lenient.yaml", &file("tool_modes: {bad: warn}"));
    world.run(&["tools", "--config", "strict.yaml"]).expect_exit(7);
    world.run(&["tools", "--config", "lenient.yaml"]).expect_exit(0);
    world.run(&["inspect", "bad", "--config", "lenient.yaml"]).expect_exit(0);
}

#[test]
fn a_time_limit_is_8() {
    check(&[&["call", "echo", "text=x", "--timeout", "1500ms"][..], &mock("hang")].concat(), 8);
    check(&[&["tools", "--timeout", "500ms"][..], &mock("hang-start")].concat(), 8);
}
