//! `mortise record`, `serve mock --from` and `check --against`: the real binary between a client and a server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use crate::program::{World, binary};

fn mortise() -> &'static str {
    binary().to_str().unwrap()
}

/// Records `mortise call echo text=hi` of a mock into `shop.jsonl`; what the call printed.
fn recorded(world: &World) -> String {
    let call = ["call", "echo", "text=hi", "--json", "--", mortise(), "record", "shop.jsonl", "--"];
    world.run(&[&call[..], &[mortise(), "mock", "ok"]].concat()).expect_exit(0).stdout
}

#[test]
fn what_was_recorded_is_served_byte_for_byte_in_both_eras() {
    let world = World::new();
    let live = recorded(&world);
    let text = std::fs::read_to_string(world.project().join("shop.jsonl")).unwrap();
    assert!(text.starts_with("{\"mortise_recording\":1,\"server\":\"mortise\",\"started\":\""), "{text}");
    assert!(text.ends_with("\"end\":\"the client closed its side\"}\n"), "{text}");
    for era in ["legacy-only", "modern-only", "ok"] {
        let served = [mortise(), "serve", "mock", era, "--from", "shop.jsonl"];
        let ran =
            world.run(&[&["call", "echo", "text=hi", "--json", "--"], &served[..]].concat()).expect_exit(0);
        let value = |text: &str| {
            let printed: serde_json::Value = serde_json::from_str(text).unwrap();
            printed["result"]["structuredContent"].clone()
        };
        assert_eq!(value(&ran.stdout), value(&live), "{era}");
    }
    let other = [mortise(), "mock", "--from", "shop.jsonl"];
    let ran = world.run(&[&["call", "echo", "text=ho", "--"], &other[..]].concat()).expect_exit(5);
    let nearest = "which differs at /arguments/text";
    assert!(ran.stderr.contains(nearest) || ran.stdout.contains(nearest), "{}", ran.text());
}

#[test]
fn check_against_says_what_drifted() {
    let world = World::new();
    recorded(&world);
    let check = ["check", "--against", "shop.jsonl", "--call-all", "--", mortise(), "mock"];
    let same = world.run(&[&check[..], &["ok"]].concat()).expect_exit(0);
    insta::assert_snapshot!(same.text());
    let drifted = world.run(&[&check[..], &["tool-error"]].concat()).expect_exit(5);
    insta::assert_snapshot!(drifted.text());
    let exact = [
        "check",
        "--against",
        "shop.jsonl",
        "--exact",
        "--json",
        "--call-all",
        "--",
        mortise(),
        "mock",
        "ok",
    ];
    assert_eq!(world.run(&exact).expect_exit(0).json()["servers"][0]["cases"][0]["passed"], true);
}

#[test]
fn a_killed_recorder_leaves_a_readable_recording_and_no_server() {
    let world = World::new();
    let arguments = ["record", "--", mortise(), "mock", "ok"];
    let mut child = world
        .command(&arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    child.kill().unwrap();
    child.wait().unwrap();
    // The server holds the other end of nothing: the pipe that it wrote to was the recorder's.
    line.clear();
    assert_eq!(stdout.read_line(&mut line).unwrap(), 0);
    let path = world.project().join("mortise.recording.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[1]
            .ends_with("\"from\":\"client\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}")
    );
    assert!(
        lines[2].ends_with("\"from\":\"server\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}}")
    );
    // The next start goes on in the same file.
    let ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let again = world.run_with_input(&arguments, ping).expect_exit(0);
    assert!(again.stderr.contains("2 messages in `mortise.recording.jsonl`"), "{}", again.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap().matches("\"mortise_recording\":1").count(), 2);
}

#[test]
fn secrets_of_the_environment_are_not_written() {
    let world = World::new().with("SHOP_API_KEY", "sesame-sesame");
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"sesame-sesame\"}}}\n";
    let ran =
        world.run_with_input(&["record", "a.jsonl", "--", mortise(), "mock", "ok"], request).expect_exit(0);
    assert!(ran.stdout.contains("sesame-sesame"), "{}", ran.text());
    let text = std::fs::read_to_string(world.project().join("a.jsonl")).unwrap();
    assert!(text.contains("[redacted]") && !text.contains("sesame"), "{text}");
}

#[test]
fn mistakes_are_named() {
    let world = World::new();
    world.write("taken.jsonl", "notes\n");
    world.write("other.jsonl", "{\"tools\":[]}\n");
    world.write("new.jsonl", "{\"mortise_recording\":9}\n");
    let header = "{\"mortise_recording\":1,\"server\":\"s\",\"started\":\"t\"}\n";
    world.write("bad.jsonl", &format!("{header}nonsense\n"));
    let said = |arguments: &[&str]| world.run(arguments).text();
    let texts = [
        said(&["record", "taken.jsonl", "--", mortise(), "mock"]),
        said(&["record", "x.jsonl", "--", "/nowhere/server"]),
        said(&["record"]),
        said(&["serve", "mock", "--from", "missing.jsonl"]),
        said(&["serve", "mock", "--from", "other.jsonl"]),
        said(&["serve", "mock", "--from", "new.jsonl"]),
        said(&["check", "--against", "bad.jsonl", "--", mortise(), "mock"]),
        said(&["check", "--exact"]),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}
