//! The mock as a process: how it dies, what it leaves, what it ignores.

use std::path::PathBuf;
use std::process::ExitStatus;

use mortise_testkit::RawChild;
use serde_json::{Value, json};
use tokio::process::Command;

use super::call;

/// The example program, which Cargo builds beside the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples").join("mock");
    assert!(
        program.exists(),
        "`cargo test --package mortise-samples` without `--test` builds {}",
        program.display()
    );
    program
}

fn start(scenario: &str) -> RawChild {
    let mut command = Command::new(program());
    command.args(scenario.split(' '));
    RawChild::spawn(command).unwrap()
}

/// How the process ends after a call of `echo`, and its stderr.
async fn end(scenario: &str) -> (ExitStatus, String) {
    let mut child = start(scenario);
    child.peer.start("tools/call", call("echo", &json!({"text": "x"}))).await.ok();
    child.peer.rest().await.unwrap();
    child.finish().await.unwrap()
}

#[tokio::test]
async fn it_serves_stdio_and_ends_with_its_input() {
    let mut child = start("ok");
    let answer = child.peer.request("ping", Value::Null).await.unwrap();
    assert_eq!(answer["result"], json!({}));
    let (status, stderr) = child.finish().await.unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), "mock: seed 0\n"));
}

#[tokio::test]
async fn it_exits_with_the_code_of_the_scenario() {
    assert_eq!(end("die-before=42").await.0.code(), Some(42));
    let (status, stderr) = end("die-at-start=3").await;
    assert_eq!((status.code(), stderr.as_str()), (Some(3), "mock: seed 0\nmock: no such database\n"));
}

#[tokio::test]
async fn stderr_is_flooded() {
    let mut child = start("stderr-flood=100000");
    child.peer.request("tools/call", call("echo", &json!({"text": "x"}))).await.unwrap();
    let (_, stderr) = child.finish().await.unwrap();
    assert!(stderr.len() > 100_000, "{}", stderr.len());
}

#[tokio::test]
async fn it_says_where_it_listens() {
    let mut command = Command::new(program());
    command.args(["ok", "--http", "127.0.0.1:0"]).stderr(std::process::Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let mut stderr = tokio::io::BufReader::new(child.stderr.take().unwrap());
    tokio::io::AsyncBufReadExt::read_line(&mut stderr, &mut line).await.unwrap();
    let port = line.trim().strip_prefix("mock: seed 0, listening on http://127.0.0.1:").unwrap();
    let port: u16 = port.strip_suffix("/mcp").unwrap().parse().unwrap();
    assert_ne!(port, 0);
    child.kill().await.unwrap();
}

#[cfg(unix)]
mod unix {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[tokio::test]
    async fn it_dies_by_the_signal_of_the_scenario() {
        assert_eq!(end("die-kill").await.0.signal(), Some(9));
        assert_eq!(end("die-abort").await.0.signal(), Some(6));
    }

    #[tokio::test]
    async fn it_outlives_the_end_of_its_input_and_sigterm() {
        let mut child = start("ignore-term");
        child.peer.request("ping", Value::Null).await.unwrap();
        let id = child.id().unwrap().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
        child.peer.request("ping", Value::Null).await.unwrap();
        child.peer.close().await.unwrap();
        assert!(Command::new("kill").args(["-KILL", &id]).status().await.unwrap().success());
        assert_eq!(child.ended().await.unwrap().signal(), Some(9));
    }

    #[tokio::test]
    async fn a_grandchild_holds_the_pipes_after_the_end() {
        let mut child = start("grandchild=1 die-after");
        child.peer.request("tools/call", call("echo", &json!({"text": "x"}))).await.unwrap();
        assert_eq!(child.ended().await.unwrap().code(), Some(0));
        // The end of the stream comes only when the grandchild is gone, too.
        assert!(child.peer.rest().await.unwrap().is_empty());
    }
}
