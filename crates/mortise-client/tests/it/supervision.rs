//! Servers that fail, and come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mortise_client::server_config::{InProcess, ServerConfig, StdioConfig, Transport};
use mortise_client::{
    CallError, CallOptions, CloseReason, ConnectError, Pool, PoolOptions, Restart, ServerState,
};
use mortise_testkit::{ScriptedReply, answer, refuse};
use serde_json::json;
use tokio::time::Instant;

use crate::support::{PATIENCE, call, count, name, options, pool_of, pool_with, tool, with_tools};

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_comes_back_and_the_old_handle_works_again() {
    let (config, received) =
        with_tools(json!([tool("die"), tool("live")]), |request| match request["params"]["name"].as_str() {
            Some("live") => vec![answer(request, json!({"content": []}))],
            _ => vec![ScriptedReply::Close],
        });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let waiting: Vec<_> = (0..5)
        .map(|_| {
            let upstream = upstream.clone();
            tokio::spawn(async move { upstream.call(call("die", "{}"), CallOptions::default()).await })
        })
        .collect();
    for call in waiting {
        let error = call.await.unwrap().unwrap_err();
        assert!(matches!(error, CallError::Closed { reason: CloseReason::OutputClosed, .. }), "{error:?}");
        assert!(error.is_transient());
    }
    let mut state = upstream.watch_state();
    state.wait_for(|state| state.label() == "backing-off").await.unwrap();
    let soon = CallOptions { timeout: Some(Duration::from_millis(100)), ..CallOptions::default() };
    let error = upstream.call(call("live", "{}"), soon).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "server `scripted` is not connected (the connection is lost: the process closed its standard output)"
    );
    let started = Instant::now();
    upstream.call(call("live", "{}"), CallOptions::default()).await.unwrap();
    assert!(started.elapsed() <= Duration::from_secs(1), "a call waits for the restart");
    assert_eq!(count(&received, "tools/list"), 2, "the tools are listed again");
    assert_eq!(count(&received, "tools/call"), 2, "the server read one call and died; none is sent again");
    pool.shutdown().await;
    assert_eq!(upstream.state().label(), "stopped");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_turn_when_the_server_dies_is_sent_after_the_restart() {
    let (mut config, received) =
        with_tools(json!([tool("die"), tool("live")]), |request| match request["params"]["name"].as_str() {
            Some("live") => vec![answer(request, json!({"content": []}))],
            _ => vec![ScriptedReply::Close],
        });
    config.in_flight = 1;
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let (lost, late) = tokio::join!(
        upstream.call(call("die", "{}"), CallOptions::default()),
        upstream.call(call("live", "{}"), CallOptions::default()),
    );
    assert!(matches!(lost, Err(CallError::Closed { .. })), "{lost:?}");
    late.unwrap();
    assert_eq!(count(&received, "tools/call"), 2, "each is sent once");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_does_not_wait_for_a_server_whose_restart_failed() {
    let connections = AtomicUsize::new(0);
    let server = InProcess::new(move || match connections.fetch_add(1, Ordering::Relaxed) {
        0 => {
            let script = |request: &serde_json::Value| match request["method"].as_str() {
                Some("tools/list") => vec![answer(request, json!({"tools": [tool("die")]}))],
                _ => vec![ScriptedReply::Close],
            };
            mortise_testkit::ScriptedServer::legacy(script).spawn().0
        }
        _ => tokio::io::duplex(64).0,
    });
    let (pool, upstream) = pool_of(ServerConfig::new(name("broken"), Transport::InProcess(server)));
    upstream.call(call("die", "{}"), CallOptions::default()).await.unwrap_err();
    let started = Instant::now();
    let error = upstream.call(call("die", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::NotConnected { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_secs(5), "it fails with the restart, not at its own time");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_crash_loop_backs_off_and_opens_the_circuit() {
    let started = Arc::new(AtomicUsize::new(0));
    let counter = started.clone();
    let server = InProcess::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        tokio::io::duplex(64).0
    });
    let config = ServerConfig::new(name("broken"), Transport::InProcess(server));
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert!(matches!(error, ConnectError::Closed { .. }), "{error:?}");
    let mut state = upstream.watch_state();
    state.wait_for(|state| state.label() == "circuit-open").await.unwrap();
    assert_eq!(started.load(Ordering::Relaxed), 6);
    let ServerState::CircuitOpen { retry_in, .. } = upstream.state() else { panic!() };
    assert_eq!(retry_in, Duration::from_secs(30));
    state.changed().await.unwrap();
    assert_eq!(started.load(Ordering::Relaxed), 7);
    pool.shutdown().await;
}

#[tokio::test]
async fn without_restarts_a_failed_server_waits_for_a_word() {
    let (config, _) = with_tools(json!([tool("die")]), |_| vec![ScriptedReply::Close]);
    let (pool, upstream) = pool_with(config, PoolOptions { restart: Restart::Never, ..options() });
    upstream.ready(PATIENCE).await.unwrap();
    upstream.call(call("die", "{}"), CallOptions::default()).await.unwrap_err();
    let mut state = upstream.watch_state();
    state.wait_for(|state| state.label() == "failed").await.unwrap();
    upstream.reconnect().await;
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(upstream.state().label(), "ready");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_command_that_does_not_exist_says_so() {
    let config = ServerConfig::new(
        name("gone"),
        Transport::Stdio(StdioConfig::new("/nowhere/no-such-program", vec!["--token=secret".to_owned()])),
    );
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot start `/nowhere/no-such-program`");
    assert!(
        matches!(error, ConnectError::Spawn { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    );
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn one_server_that_hangs_delays_no_other() {
    let mute = InProcess::new(|| {
        let (ours, theirs) = tokio::io::duplex(1024);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            drop(theirs);
        });
        ours
    });
    let mut configs = vec![ServerConfig::new(name("mute"), Transport::InProcess(mute))];
    for index in 0..20 {
        let (mut config, _) = with_tools(json!([tool("t")]), |request| vec![refuse(request, -1, "no")]);
        config.name = name(&format!("s{index}"));
        configs.push(config);
    }
    let options = PoolOptions { probe_timeout: Duration::from_secs(2), ..options() };
    let pool = Pool::start(configs, options).unwrap();
    let started = Instant::now();
    for upstream in &pool.servers()[1..] {
        upstream.ready(PATIENCE).await.unwrap();
        assert_eq!(upstream.catalog().contracts.len(), 1);
    }
    assert!(started.elapsed() < Duration::from_secs(1));
    let error = pool.servers()[0].ready(PATIENCE).await.unwrap_err();
    assert_eq!(error.to_string(), "not ready within 30 s, while connecting");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_server_without_the_capability_is_asked_for_tools_all_the_same() {
    for (reply, expected) in [(true, 1), (false, 0)] {
        let (config, _) = crate::support::bare(move |request| match request["method"].as_str() {
            Some("initialize") => {
                vec![answer(
                    request,
                    json!({"protocolVersion": "2025-11-25", "capabilities": {"resources": {}}}),
                )]
            }
            Some("tools/list") if reply => vec![answer(request, json!({"tools": [tool("t")]}))],
            Some(method) if method.starts_with("notifications/") => Vec::new(),
            _ => vec![refuse(request, -32601, "no such method")],
        });
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap();
        assert_eq!(upstream.state().label(), "ready");
        assert_eq!(upstream.catalog().contracts.len(), expected);
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn servers_can_be_added_and_removed() {
    let (config, _) = with_tools(json!([tool("t")]), |_| Vec::new());
    let mut pool = Pool::new(options());
    let upstream = pool.add(config.clone()).unwrap();
    let refused = pool.add(config).unwrap_err();
    assert_eq!(refused.to_string(), format!("a server named `{}` is already in the pool", upstream.name()));
    assert_eq!(pool.servers().len(), 1);
    upstream.ready(PATIENCE).await.unwrap();
    pool.remove(&name("scripted")).await;
    assert_eq!((pool.servers().len(), upstream.state().label()), (0, "stopped"));
    let error = upstream.call(call("t", "{}"), CallOptions::default()).await.unwrap_err();
    assert!(matches!(error, CallError::NotConnected { .. }), "{error:?}");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_second_server_of_the_same_name_is_an_error() {
    let (config, received) = with_tools(json!([tool("t")]), |_| Vec::new());
    let (other, _) = with_tools(json!([tool("u")]), |_| Vec::new());
    let refused = Pool::start(vec![config, other], options()).unwrap_err();
    assert_eq!(refused.server, name("scripted"));
    tokio::task::yield_now().await;
    assert!(received.lock().unwrap().is_empty(), "the first was started");
}

#[tokio::test]
async fn dropping_a_pool_ends_its_servers() {
    let (config, _) = with_tools(json!([tool("t")]), |_| Vec::new());
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let mut state = upstream.watch_state();
    drop(pool);
    state.wait_for(|state| matches!(state, ServerState::Stopped)).await.unwrap();
}
