//! `mortise init`: a configuration from others'.

use crate::program::World;

const CLAUDE: &str = r#"{"mcpServers": {
    "files": {"command": "npx", "args": ["-y", "server-filesystem", "/tmp"], "env": {"TOKEN": "${TOKEN}"}},
    "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"X-Team": "a"}},
    "off": {"command": "x", "disabled": true}}}"#;

#[test]
fn another_clients_servers_are_taken_over() {
    let world = World::new();
    world.write("claude.json", CLAUDE);
    insta::assert_snapshot!(world.run(&["init", "--from", "claude.json", "--out", "-"]).text());
}

#[test]
fn what_was_written_is_trusted_and_never_overwritten() {
    let world = World::new();
    world.write("claude.json", r#"{"mcpServers": {"gone": {"command": "/nowhere/at-all"}}}"#);
    let ran = world.run(&["init", "--from", "claude.json"]).expect_exit(0);
    assert!(
        ran.stderr.ends_with("note: wrote `[WORLD]/project/mortise.yaml` with 1 server\n"),
        "{}",
        ran.stderr
    );
    world.run(&["tools"]).expect_exit(4);
    let ran = world.run(&["init", "--from", "claude.json"]).expect_exit(2);
    assert!(ran.stderr.contains("hint: remove it first"), "{}", ran.stderr);
}

#[test]
fn with_no_file_there_is_a_beginning() {
    let ran = World::new().run(&["init", "--out", "-"]).expect_exit(0);
    assert!(ran.stdout.contains("servers:"), "{}", ran.stdout);
}
