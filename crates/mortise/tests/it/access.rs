//! Who may call a command that listens.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::listening::{Caller, Listening};
use crate::program::World;

const COMMANDS: [&[&str]; 5] =
    [&["serve", "--samples"], &["sample", "weather"], &["tester"], &["wizards"], &["mock", "ok"]];

/// The status of a list of tools, asked for with this header.
fn status(listening: &Listening, authorization: Option<&str>) -> u16 {
    let caller = Caller { authorization: authorization.map(str::to_owned), ..listening.caller() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(caller.modern("tools/list", json!({}))).status()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn every_listener_asks_for_a_token_that_it_makes_and_keeps() {
    let world = World::new();
    for (index, command) in COMMANDS.iter().enumerate() {
        let listening = Listening::start(&world, command);
        let authorization = listening.caller().authorization.unwrap();
        assert_eq!(status(&listening, None), 401, "{command:?}");
        assert_eq!(status(&listening, Some("Bearer 0123456789abcdef0123456789abcdef")), 401, "{command:?}");
        assert_eq!(status(&listening, Some(&authorization)), 200, "{command:?}");
        // Shown by the start that made it, and never again.
        let token = authorization.strip_prefix("Bearer ").unwrap();
        assert_eq!(listening.said.contains(token), index == 0, "{}", listening.said);
        assert!(listening.said.contains("home/.local/state/mortise/http-token`"), "{}", listening.said);
    }
    assert_eq!(mode(&world.state().join("http-token")), 0o600);
    assert_eq!(mode(&world.state()), 0o700);
}

#[test]
fn without_a_token_everyone_is_let_in_and_warned_of() {
    let world = World::new();
    for command in COMMANDS {
        let listening = Listening::start(&world, &[command, &["--no-token"]].concat());
        assert_eq!(status(&listening, None), 200, "{command:?}");
        let warning = "warning: every user and program of this machine can call without a token";
        assert!(listening.said.contains(warning), "{}", listening.said);
    }
    assert!(!world.state().join("http-token").exists());
}

#[test]
fn a_token_can_be_given_by_file_or_variable() {
    let world = World::new().with("MORTISE_HTTP_TOKEN", "correct-horse-battery");
    let listening = Listening::start(&world, &["sample", "weather"]);
    assert_eq!(status(&listening, Some("Bearer correct-horse-battery")), 200);
    assert_eq!(status(&listening, None), 401);
    listening.stop();
    let path = world.write("token", "staple-correct-horse\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let listening = Listening::start(&world, &["sample", "weather", "--token-file", "token"]);
    assert_eq!(status(&listening, Some("Bearer staple-correct-horse")), 200);
    assert_eq!(status(&listening, Some("Bearer correct-horse-battery")), 401);
    assert!(!listening.said.contains("staple"), "{}", listening.said);
    listening.stop();
    assert!(!world.state().join("http-token").exists());
}

#[test]
fn a_token_file_that_others_can_read_or_that_never_ends_is_refused() {
    let world = World::new();
    let path = world.write("token", "correct-horse-battery\n");
    for (open, why) in [(0o644, "read"), (0o640, "read"), (0o620, "written")] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(open)).unwrap();
        let ran = refused(&world, "token");
        assert!(ran.contains(&format!("can be {why} by other users (mode {open:o})")), "{ran}");
        assert!(ran.contains("run `chmod 600 [WORLD]/project/token`"), "{ran}");
    }
    let fifo = world.project().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    for file in ["fifo", "/dev/zero", "."] {
        let ran = refused(&world, file);
        assert!(ran.contains("is not a regular file"), "{ran}");
    }
    let arguments = ["sample", "weather", "--http", "127.0.0.1:0", "--token-file", "nowhere"];
    let ran = world.run(&arguments).expect_exit(1).stderr;
    assert!(ran.contains("there is no token file `[WORLD]/project/nowhere`"), "{ran}");
    world.write("token", "short");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let ran = refused(&world, "token");
    assert!(ran.contains("the token has 5 characters; at least 16 are needed"), "{ran}");
    world.write("token", &"x".repeat(8_193));
    let ran = refused(&world, "token");
    assert!(ran.contains("the token has 8193 characters; at most 8192 fit into a header"), "{ran}");
}

/// What is said when a sample is to listen with the token of this file.
fn refused(world: &World, file: &str) -> String {
    world.run(&["sample", "weather", "--http", "127.0.0.1:0", "--token-file", file]).expect_exit(2).stderr
}

#[test]
fn no_token_is_taken_from_or_put_into_a_directory_that_others_can_write() {
    let world = World::new();
    std::fs::create_dir_all(world.state()).unwrap();
    std::fs::set_permissions(world.state(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let ran = world.run(&["sample", "weather", "--http", "127.0.0.1:0"]).expect_exit(2).stderr;
    let state = "[WORLD]/home/.local/state/mortise";
    assert!(ran.contains(&format!("`{state}` can be written by other users (mode 777)")), "{ran}");
    assert!(ran.contains(&format!("run `chmod go-w {state}`")), "{ran}");
    assert_eq!(std::fs::read_dir(world.state()).unwrap().count(), 0);
}

#[test]
fn where_nothing_can_be_kept_the_token_is_for_one_run() {
    let world = World::new().with("XDG_STATE_HOME", "/dev/null/nowhere");
    let listening = Listening::start(&world, &["sample", "weather"]);
    let (_, token) = listening.said.trim_end().rsplit_once("the token is ").unwrap();
    assert_eq!(status(&listening, Some(&format!("Bearer {token}"))), 200);
    assert_eq!(status(&listening, None), 401);
    assert!(listening.said.contains("warning: the token is good for this run only"), "{}", listening.said);
}
