//! Servers that run as child processes.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mortise_client::environment::Environment;
use mortise_client::secret::Secret;
use mortise_client::server_config::{EnvPolicy, ServerConfig, StdioConfig, Transport};
use mortise_client::{CallError, CallOptions, CloseReason, ConnectError, PoolOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt};
use tokio::net::{UnixListener, UnixStream};

use crate::support::{PATIENCE, call, environment, example, name, options, pool_of, pool_with, raw_server};

/// `raw_server MODE SOCKET`.
fn with_socket(mode: &str, socket: &Path) -> ServerConfig {
    let mut config = raw_server(mode);
    if let Transport::Stdio(stdio) = &mut config.transport {
        stdio.args.push(socket.to_string_lossy().into_owned());
    }
    config
}

/// A socket on which processes say that they live; it closes when they do not any more.
pub(crate) struct Lives {
    listener: UnixListener,
    pub(crate) path: PathBuf,
    _directory: tempfile::TempDir,
}

impl Lives {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lives");
        Self { listener: UnixListener::bind(&path).unwrap(), path, _directory: directory }
    }

    /// The process id of the next one, and its line.
    pub(crate) async fn next(&self) -> (u32, tokio::io::BufReader<UnixStream>) {
        let accepted = tokio::time::timeout(PATIENCE, self.listener.accept()).await.unwrap();
        let mut stream = tokio::io::BufReader::new(accepted.unwrap().0);
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        (line.trim().parse().unwrap(), stream)
    }
}

/// What a process still says before it is gone.
pub(crate) async fn until_gone(mut stream: tokio::io::BufReader<UnixStream>) -> String {
    let mut text = String::new();
    tokio::time::timeout(PATIENCE, stream.read_to_string(&mut text)).await.expect("it lives on").unwrap();
    text
}

fn exists(pid: u32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn a_call_keeps_every_digit_of_its_arguments() {
    let (pool, upstream) = pool_of(raw_server("plain"));
    upstream.ready(PATIENCE).await.unwrap();
    let arguments = r#"{"n":123456789012345678901234567890, "price": 1.10}"#;
    let report = upstream.call_reported(call("echo", arguments), CallOptions::default()).await;
    let sent = report.exchanges[0].request.clone().unwrap();
    let params = format!(r#"{{"name":"echo","arguments":{arguments}}}"#);
    assert_eq!(sent, format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{params}}}"#));
    assert!(report.exchanges[0].response.as_ref().unwrap().contains(r#""price":1.1"#));
    assert_eq!(report.outcome.unwrap().verdict.status.as_str(), "valid");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_crash_fails_the_call_at_once_and_says_how() {
    for (tool, expected) in [
        ("exit", CloseReason::Exited { code: 7 }),
        ("abort", CloseReason::Signalled { signal: "SIGABRT".to_owned() }),
    ] {
        let (pool, upstream) = pool_of(raw_server("plain"));
        upstream.ready(PATIENCE).await.unwrap();
        let started = Instant::now();
        let error = upstream.call(call(tool, "{}"), CallOptions::default()).await.unwrap_err();
        assert!(matches!(&error, CallError::Closed { reason, .. } if *reason == expected), "{error:?}");
        assert!(started.elapsed() < Duration::from_secs(30));
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_process_that_ends_before_it_is_ready_leaves_its_last_words() {
    let transport = Transport::Stdio(StdioConfig::new(
        "sh",
        vec!["-c".to_owned(), "echo no database >&2; exit 3".to_owned()],
    ));
    let (pool, upstream) = pool_of(ServerConfig::new(name("dead"), transport));
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    let ConnectError::Closed { reason, stderr } = error else { panic!("{error:?}") };
    assert_eq!((reason, stderr.as_str()), (CloseReason::Exited { code: 3 }, "no database"));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_process_that_dies_of_the_probe_is_started_again_without_it() {
    let (pool, upstream) = pool_of(raw_server("fragile"));
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(upstream.facts().unwrap().era, mortise_client::Era::Legacy);
    pool.shutdown().await;
}

#[tokio::test]
async fn what_a_process_said_can_be_read_after_its_end() {
    let script = "echo starting >&2; exec sleep 600".to_owned();
    let transport = Transport::Stdio(StdioConfig::new("sh", vec!["-c".to_owned(), script]));
    let mut config = ServerConfig::new(name("slow"), transport);
    config.start_timeout = Duration::from_secs(1);
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, ConnectError::Timeout { stderr, .. } if stderr == "starting"));
    pool.shutdown().await;
    assert_eq!(upstream.stderr().as_deref(), Some("starting\n"));
}

#[tokio::test]
async fn a_process_that_ends_when_asked_is_gone_and_no_zombie() {
    let lives = Lives::new();
    let (pool, upstream) = pool_of(with_socket("family", &lives.path));
    let (parent, parent_line) = lives.next().await;
    let (child, mut child_line) = lives.next().await;
    upstream.ready(PATIENCE).await.unwrap();
    // Before that a signal would just end it.
    let mut said = String::new();
    tokio::time::timeout(PATIENCE, child_line.read_line(&mut said)).await.unwrap().unwrap();
    assert_eq!(said, "holding\n");
    pool.shutdown().await;
    assert!(!exists(parent), "the parent was waited for");
    assert_eq!(until_gone(parent_line).await, "");
    // The grandchild does not listen to SIGTERM; the whole group is killed then.
    assert_eq!(until_gone(child_line).await, "SIGTERM\n");
    assert_ne!(parent, child);
}

#[tokio::test]
async fn a_process_that_does_not_listen_is_asked_and_then_killed() {
    let lives = Lives::new();
    let (pool, upstream) = pool_of(with_socket("stubborn", &lives.path));
    let (pid, mut line) = lives.next().await;
    let mut holding = String::new();
    line.read_line(&mut holding).await.unwrap();
    upstream.ready(PATIENCE).await.unwrap();
    let started = Instant::now();
    pool.shutdown().await;
    assert!(started.elapsed() >= Duration::from_secs(4), "{:?}", started.elapsed());
    assert_eq!(until_gone(line).await, "SIGTERM\n");
    assert!(!exists(pid));
}

#[tokio::test]
async fn dropping_the_pool_ends_processes_too() {
    let lives = Lives::new();
    let (pool, upstream) = pool_of(with_socket("family", &lives.path));
    let (_, parent) = lives.next().await;
    let (_, child) = lives.next().await;
    upstream.ready(PATIENCE).await.unwrap();
    drop((pool, upstream));
    until_gone(parent).await;
    until_gone(child).await;
}

#[tokio::test]
async fn no_process_outlives_a_client_that_was_killed() {
    let lives = Lives::new();
    let mut client = Command::new(example("pool_holder"))
        .arg(example("raw_server"))
        .args(["family", &lives.path.to_string_lossy()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (_, parent) = lives.next().await;
    let (_, child) = lives.next().await;
    let mut output = BufReader::new(client.stdout.take().unwrap());
    let mut ready = String::new();
    tokio::task::spawn_blocking(move || output.read_line(&mut ready)).await.unwrap().unwrap();
    client.kill().unwrap();
    assert_eq!(client.wait().unwrap().signal(), Some(9));
    until_gone(parent).await;
    until_gone(child).await;
}

/// A server, and a process that it started and that left its group and session and lost its parent.
async fn with_daemon(
    lives: &Lives,
) -> (tokio::io::BufReader<UnixStream>, u32, tokio::io::BufReader<UnixStream>) {
    let (_, server) = lives.next().await;
    let (daemon, mut line) = lives.next().await;
    let mut said = String::new();
    tokio::time::timeout(PATIENCE, line.read_line(&mut said)).await.unwrap().unwrap();
    assert_eq!(said, "holding\n");
    (server, daemon, line)
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_that_a_server_started_ends_with_it() {
    let lives = Lives::new();
    let (pool, upstream) = pool_of(with_socket("daemons", &lives.path));
    let (server, pid, daemon) = with_daemon(&lives).await;
    upstream.ready(PATIENCE).await.unwrap();
    pool.shutdown().await;
    assert!(!exists(pid), "it is gone when the pool is");
    assert_eq!(until_gone(server).await, "");
    assert_eq!(until_gone(daemon).await, "SIGTERM\n", "it is asked first");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_ends_when_its_server_crashes_and_starts_again() {
    let lives = Lives::new();
    let (pool, upstream) = pool_of(with_socket("daemons", &lives.path));
    let (_, _, first) = with_daemon(&lives).await;
    upstream.ready(PATIENCE).await.unwrap();
    upstream.call(call("exit", "{}"), CallOptions::default()).await.unwrap_err();
    assert_eq!(until_gone(first).await, "SIGTERM\n");
    let (_, _, second) = with_daemon(&lives).await;
    drop((pool, upstream));
    until_gone(second).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_daemon_outlives_a_client_that_was_killed() {
    let lives = Lives::new();
    let mut client = Command::new(example("pool_holder"))
        .arg(example("raw_server"))
        .args(["daemons", &lives.path.to_string_lossy()])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let (server, _, daemon) = with_daemon(&lives).await;
    client.kill().unwrap();
    assert_eq!(client.wait().unwrap().signal(), Some(9));
    until_gone(server).await;
    until_gone(daemon).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_dies_with_its_warden() {
    let lives = Lives::new();
    let (pool, upstream) = pool_of(with_socket("family", &lives.path));
    let (server, parent) = lives.next().await;
    let (_, child) = lives.next().await;
    upstream.ready(PATIENCE).await.unwrap();
    let status = std::fs::read_to_string(format!("/proc/{server}/stat")).unwrap();
    let warden: i32 = status.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(warden).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    until_gone(parent).await;
    until_gone(child).await;
    drop((pool, upstream));
}

#[tokio::test]
async fn without_a_warden_the_group_ends_with_the_pool() {
    let lives = Lives::new();
    let environment = Environment { warden: Vec::new(), ..environment() };
    let options = PoolOptions { environment, ..options() };
    let (pool, upstream) = pool_with(with_socket("family", &lives.path), options);
    let (parent, parent_line) = lives.next().await;
    let (_, child) = lives.next().await;
    upstream.ready(PATIENCE).await.unwrap();
    pool.shutdown().await;
    assert!(!exists(parent), "the parent was waited for");
    until_gone(parent_line).await;
    until_gone(child).await;
}

#[tokio::test]
async fn a_program_that_is_not_there_is_said_to_be_missing() {
    for warden in [environment().warden, Vec::new()] {
        let transport = Transport::Stdio(StdioConfig::new("/nowhere/server", Vec::new()));
        let environment = Environment { warden, ..environment() };
        let config = ServerConfig::new(name("missing"), transport);
        let (pool, upstream) = pool_with(config, PoolOptions { environment, ..options() });
        let error = upstream.ready(PATIENCE).await.unwrap_err();
        let ConnectError::Spawn { command, source } = &error else { panic!("{error:?}") };
        assert_eq!((command.as_str(), source.kind()), ("/nowhere/server", std::io::ErrorKind::NotFound));
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nothing_and_the_end_is_kept() {
    let (pool, upstream) = pool_of(raw_server("plain"));
    upstream.ready(PATIENCE).await.unwrap();
    upstream.call(call("stderr", r#"{"kib": 100000}"#), CallOptions::default()).await.unwrap();
    // The answer may overtake the last lines.
    while !upstream.stderr().unwrap().ends_with("the end\n") {
        upstream.call(call("echo", "{}"), CallOptions::default()).await.unwrap();
    }
    // Of the oldest line only a part is kept, which is not shown.
    let kept = upstream.stderr().unwrap();
    assert!((60 * 1024..64 * 1024).contains(&kept.len()), "{}", kept.len());
    pool.shutdown().await;
}

#[tokio::test]
async fn a_server_that_does_not_read_fails_only_its_own_calls() {
    let (pool, upstream) = pool_of(raw_server("deaf"));
    let (other_pool, other) = pool_of(raw_server("plain"));
    upstream.ready(PATIENCE).await.unwrap();
    let large = format!(r#"{{"x":"{}"}}"#, "x".repeat(1 << 20));
    let short = || CallOptions { timeout: Some(Duration::from_millis(300)), ..CallOptions::default() };
    for _ in 0..3 {
        let error = upstream.call(call("echo", &large), short()).await.unwrap_err();
        assert!(matches!(error, CallError::Timeout { .. }), "{error:?}");
        other.call(call("echo", "{}"), CallOptions::default()).await.unwrap();
    }
    pool.shutdown().await;
    other_pool.shutdown().await;
}

/// The environment that a child sees, without what this test's own environment brings along.
async fn seen(policy: EnvPolicy) -> Vec<String> {
    let variables = [
        ("PATH", std::env::var("PATH").unwrap()),
        ("LC_ALL", "C".to_owned()),
        ("AWS_SECRET", "hidden".to_owned()),
        ("MORTISE_LOG", "debug".to_owned()),
    ];
    let environment = Environment {
        variables: variables.map(|(name, value)| (name.into(), value.into())).into(),
        ..environment()
    };
    let mut config = raw_server("plain");
    let Transport::Stdio(stdio) = &mut config.transport else { panic!() };
    stdio.env_policy = policy;
    stdio.env.insert("TOKEN".to_owned(), Secret::new("t"));
    let (pool, upstream) = pool_with(config, PoolOptions { environment, ..options() });
    let outcome = upstream.call(call("environment", "{}"), CallOptions::default()).await.unwrap();
    pool.shutdown().await;
    let value = outcome.result.structured.unwrap().value().unwrap();
    let mut names: Vec<String> =
        value["variables"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect();
    names.retain(|line| !line.starts_with("PATH="));
    names.sort();
    names
}

#[tokio::test]
async fn a_child_sees_what_the_policy_lets_through() {
    let all = ["AWS_SECRET=hidden", "LC_ALL=C", "MORTISE_DEPTH=1", "TOKEN=t"];
    assert_eq!(seen(EnvPolicy::Inherit).await, all);
    assert_eq!(seen(EnvPolicy::default()).await, ["LC_ALL=C", "MORTISE_DEPTH=1", "TOKEN=t"]);
}

#[tokio::test]
async fn a_loop_of_ourselves_ends() {
    let mut environment = environment();
    environment.variables.insert("MORTISE_DEPTH".into(), "4".into());
    let (pool, upstream) = pool_with(raw_server("plain"), PoolOptions { environment, ..options() });
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, ConnectError::TooDeep { depth: 4, limit: 4, .. }), "{error:?}");
    assert_eq!(upstream.state().label(), "failed");
    pool.shutdown().await;
}
