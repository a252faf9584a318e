//! `mortise call`: payload on stdout, verdict beside it.

use crate::program::{World, mock};

#[track_caller]
fn text(arguments: &[&str], scenario: &str) -> String {
    World::new().run(&[arguments, &mock(scenario)].concat()).text()
}

#[test]
fn a_kept_contract() {
    insta::assert_snapshot!(text(&["call", "add", "a=1", "b=2"], "ok"));
}

#[test]
fn a_broken_contract_prints_the_payload_and_every_violation() {
    insta::assert_snapshot!(text(&["call", "echo", "text=x"], "lie-mismatch"));
}

#[test]
fn strict_mode_prints_the_payload_too() {
    let warn = World::new().run(&[&["call", "echo", "text=x"][..], &mock("lie-mismatch")].concat());
    let strict = World::new()
        .run(&[&["call", "echo", "text=x", "--mode", "strict"][..], &mock("lie-mismatch")].concat());
    assert_eq!(warn.stdout, strict.stdout);
    assert_eq!(strict.exit, Some(6));
}

#[test]
fn a_missing_value_prints_the_text() {
    insta::assert_snapshot!(text(&["call", "echo", "text=x"], "lie-missing"));
}

#[test]
fn a_tool_error() {
    insta::assert_snapshot!(text(&["call", "echo", "text=x"], "tool-error"));
}

#[test]
fn a_protocol_error() {
    insta::assert_snapshot!(text(&["call", "echo", "text=x"], "rpc-error"));
}

#[test]
fn a_server_that_dies() {
    insta::assert_snapshot!(text(&["call", "echo", "text=x"], "die-mid"));
}

#[test]
fn json_is_the_result_verbatim_with_its_verdict() {
    insta::assert_snapshot!(text(&["call", "add", "a=1", "b=2", "--json"], "ok"));
}

#[test]
fn json_of_a_broken_contract_has_the_payload_and_the_violations() {
    let ran = World::new().run(&[&["call", "echo", "text=x", "--json"][..], &mock("lie-mismatch")].concat());
    let ran = ran.expect_exit(6);
    assert_eq!(ran.stderr, "");
    let json = ran.json();
    assert_eq!(json["verdict"]["status"], "invalid");
    assert!(!json["verdict"]["errors"].as_array().unwrap().is_empty());
    assert!(json["result"]["structuredContent"].is_object());
}

#[test]
fn json_of_a_protocol_error_has_code_and_message() {
    let ran = World::new().run(&[&["call", "echo", "text=x", "--json"][..], &mock("rpc-error")].concat());
    let json = ran.expect_exit(5).json();
    assert!(json["error"]["code"].is_i64() && json["error"]["message"].is_string(), "{json}");
}

#[test]
fn digits_survive() {
    for extra in [&[][..], &["--json"]] {
        let ran = World::new().run(&[&["call", "echo", "text=x"][..], extra, &mock("big-numbers")].concat());
        for digits in ["1e400", "1.10"] {
            assert!(ran.stdout.contains(digits), "{}", ran.stdout);
        }
    }
}

#[test]
fn quiet_says_nothing_about_a_kept_contract() {
    let world = World::new();
    let kept = world.run(&[&["call", "add", "a=1", "b=2", "-q"][..], &mock("ok")].concat()).expect_exit(0);
    assert_eq!(kept.stderr, "");
    let broken =
        world.run(&[&["call", "echo", "text=x", "-q"][..], &mock("lie-mismatch")].concat()).expect_exit(6);
    assert!(broken.stderr.starts_with("✗ Contract broken"), "{}", broken.stderr);
}
