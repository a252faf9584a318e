//! `mortise auth`, as far as it goes without a browser.

use crate::program::World;

fn world() -> World {
    let world = World::new();
    world.write(
        "two.yaml",
        "servers:\n  web:\n    url: https://example.com/mcp\n  local:\n    command: /nowhere/at-all\n",
    );
    world
}

#[test]
fn the_status_of_all_servers_over_http() {
    let world = world();
    let ran = world.run(&["auth", "status", "--config", "two.yaml"]).expect_exit(0);
    assert_eq!(ran.stdout, "Server  Login\nweb     none\n");
    let json = world.run(&["auth", "status", "--config", "two.yaml", "--json"]).expect_exit(0).json();
    assert_eq!(json, serde_json::json!({"logins": [{"server": "web", "logged_in": false}]}));
}

#[test]
fn the_status_of_one_server_is_the_exit_code() {
    world().run(&["auth", "status", "web", "--config", "two.yaml"]).expect_exit(3);
}

#[test]
fn only_servers_over_http_have_logins() {
    let ran = world().run(&["auth", "login", "local", "--config", "two.yaml"]).expect_exit(1);
    assert_eq!(ran.stderr, "error: the server `local` is not reached over HTTP\n");
    let ran = world().run(&["auth", "logout", "wep", "--config", "two.yaml"]).expect_exit(1);
    assert_eq!(ran.stderr, "error: there is no server `wep`\nhint: did you mean `web`?\n");
}

#[test]
fn nothing_waits_for_a_browser_without_a_terminal() {
    let ran = world().run(&["auth", "login", "web", "--config", "two.yaml"]).expect_exit(3);
    assert!(ran.stderr.contains("hint: --no-browser"), "{}", ran.stderr);
}

#[test]
fn logging_out_twice_is_no_error() {
    let ran = world().run(&["auth", "logout", "web", "--config", "two.yaml"]).expect_exit(0);
    assert_eq!(ran.stderr, "note: there was no login for `web`\n");
}
