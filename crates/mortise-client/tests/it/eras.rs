//! Which protocol a server speaks is found out, whatever it says to the probe.

use std::time::Duration;

use mortise_client::server_config::{EraChoice, InProcess, ServerConfig, Transport};
use mortise_client::{ConnectError, Era, EraMemory, FaultKind, Pool, PoolOptions, Upstream};
use mortise_testkit::{ScriptedReply, ScriptedServer, answer, refuse};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{
    PATIENCE, Received, bare, call, count, discovered, modern, name, options, pool_of, pool_with, raw_result,
    raw_server, tool,
};

fn initialized(request: &Value) -> Vec<ScriptedReply> {
    vec![answer(
        request,
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "old", "version": "1"},
        }),
    )]
}

/// A legacy server that says this to the probe.
fn probed(reply: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static) -> (ServerConfig, Received) {
    bare(move |request| match request["method"].as_str() {
        Some("server/discover") => reply(request),
        Some("initialize") => initialized(request),
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")]}))],
        _ => Vec::new(),
    })
}

#[track_caller]
fn check_legacy(upstream: &Upstream) {
    let facts = upstream.facts().expect("connected");
    assert_eq!((facts.era, facts.protocol_version.as_str()), (Era::Legacy, "2025-06-18"));
    assert_eq!(upstream.catalog().contracts.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn whatever_the_probe_meets_leads_to_initialize() {
    type Script = fn(&Value) -> Vec<ScriptedReply>;
    let cases: [(&str, Script); 8] = [
        ("method not found", |request| vec![refuse(request, -32601, "method not found")]),
        ("invalid params", |request| vec![refuse(request, -32602, "invalid params")]),
        ("an error of its own", |request| vec![refuse(request, -32000, "initialize first")]),
        ("silence", |_| Vec::new()),
        ("garbage", |_| vec![ScriptedReply::line("what?")]),
        ("an empty result", |request| vec![answer(request, json!({}))]),
        ("a foreign result", |request| vec![answer(request, json!({"tools": []}))]),
        ("only old versions", |request| {
            vec![answer(
                request,
                json!({"resultType": "complete", "supportedVersions": ["2025-06-18"], "capabilities": {}}),
            )]
        }),
    ];
    for (what, script) in cases {
        let (config, _) = probed(script);
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        check_legacy(&upstream);
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_modern_server_is_never_asked_to_initialize() {
    let (config, received) = modern(json!({"tools": {}}), |request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")], "resultType": "complete"}))],
        _ => raw_result(request, r#"{"content":[],"resultType":"complete"}"#),
    });
    let (pool, upstream) = pool_of(config);
    upstream.call(call("t", "{}"), mortise_client::CallOptions::default()).await.unwrap();
    let facts = upstream.facts().unwrap();
    assert_eq!((facts.era, facts.protocol_version.as_str()), (Era::Modern, "2026-07-28"));
    assert_eq!((facts.name(), facts.version()), (Some("modern"), Some("9")));
    assert_eq!(count(&received, "initialize"), 0);
    for request in received.lock().unwrap().iter().filter(|request| request.get("id").is_some()) {
        let meta = &request["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{request}");
        let capabilities = match request["method"] == "tools/call" {
            true => json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}),
            false => json!({}),
        };
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], capabilities, "{request}");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mortise", "{request}");
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn a_modern_refusal_is_not_taken_for_a_legacy_server() {
    for code in [-32021, -32020] {
        let (config, received) = probed(move |request| vec![refuse(request, code, "no")]);
        let (pool, upstream) = pool_of(config);
        let error = upstream.ready(PATIENCE).await.unwrap_err();
        assert!(matches!(error, ConnectError::Refused { method: "server/discover", .. }), "{error:?}");
        assert_eq!(count(&received, "initialize"), 0);
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn versions_we_do_not_know_are_refused_by_name() {
    let unsupported = |request: &Value| {
        vec![ScriptedReply::Frame(json!({
            "jsonrpc": "2.0", "id": request["id"],
            "error": {"code": -32022, "message": "no", "data": {"supported": ["2031-01-01"], "requested": "x"}},
        }))]
    };
    let (config, _) = probed(unsupported);
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert_eq!(error.to_string(), "no protocol version in common; the server offers 2031-01-01");
    assert_eq!(upstream.state().label(), "failed");
    pool.shutdown().await;

    let (config, _) = bare(|request| match request["method"].as_str() {
        Some("server/discover") => vec![refuse(request, -32601, "no")],
        _ => vec![answer(request, json!({"protocolVersion": "1999-01-01", "capabilities": {}}))],
    });
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot use the server's answer to `initialize`: unknown protocol version `1999-01-01`"
    );
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_starts_slowly_is_recognised_late() {
    // It answers the probe only when `initialize` has come, and then refuses that.
    let waiting = std::sync::Mutex::new(None);
    let (config, _) = bare(move |request| match request["method"].as_str() {
        Some("server/discover") => {
            let mut waiting = waiting.lock().unwrap();
            match waiting.is_none() {
                true => {
                    *waiting = Some(request.clone());
                    Vec::new()
                }
                false => vec![answer(request, discovered(&json!({"tools": {}})))],
            }
        }
        Some("initialize") => {
            let probe = waiting.lock().unwrap().clone().unwrap();
            vec![
                answer(&probe, discovered(&json!({"tools": {}}))),
                refuse(request, -32601, "no sessions here"),
            ]
        }
        Some("tools/list") => vec![answer(request, json!({"tools": []}))],
        _ => Vec::new(),
    });
    let options = PoolOptions { probe_timeout: Duration::from_secs(1), ..options() };
    let (pool, upstream) = pool_with(config, options);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(upstream.facts().unwrap().era, Era::Modern);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_chosen_era_is_not_probed_for() {
    let (mut config, received) = probed(|request| vec![refuse(request, -32601, "no")]);
    config.era = EraChoice::Legacy;
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    check_legacy(&upstream);
    assert_eq!(count(&received, "server/discover"), 0);
    pool.shutdown().await;
}

#[tokio::test]
async fn the_era_is_remembered_for_the_next_connection() {
    let (config, received) = probed(|request| vec![refuse(request, -32601, "no")]);
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let mut events = upstream.events();
    upstream.reconnect().await;
    assert!(matches!(events.recv().await, Ok(mortise_client::ServerEvent::CatalogChanged { revision: 2 })));
    assert_eq!((count(&received, "server/discover"), count(&received, "initialize")), (1, 2));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_batch_is_taken_from_the_one_version_that_has_them() {
    for (version, expected) in [("2025-03-26", true), ("2025-06-18", false)] {
        let (config, _) = bare(move |request| match request["method"].as_str() {
            Some("initialize") => {
                vec![answer(request, json!({"protocolVersion": version, "capabilities": {"tools": {}}}))]
            }
            Some("server/discover") => vec![refuse(request, -32601, "no")],
            Some("tools/list") => vec![
                ScriptedReply::line(&format!(
                    r#"[{{"jsonrpc":"2.0","method":"notifications/x"}},{{"jsonrpc":"2.0","id":{},"result":{{"tools":[]}}}}]"#,
                    request["id"]
                )),
                answer(request, json!({"tools": [tool("single")]})),
            ],
            _ => Vec::new(),
        });
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap();
        assert_eq!(upstream.catalog().contracts.is_empty(), expected, "{version}");
        assert_eq!(upstream.fault_counts().contains_key(&FaultKind::Batch), !expected);
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_probe_leaves_time_for_the_other_era_however_short_the_start() {
    for reply in [Vec::new, || vec![ScriptedReply::line("what?")]] {
        let (mut config, _) = probed(move |_| reply());
        config.start_timeout = Duration::from_secs(3);
        let started = tokio::time::Instant::now();
        let (pool, upstream) = pool_of(config);
        upstream.ready(PATIENCE).await.unwrap();
        assert_eq!(started.elapsed().as_secs(), 1);
        check_legacy(&upstream);
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_only_babbles_is_given_up_with_its_words() {
    let (mut config, _) =
        bare(|_| vec![ScriptedReply::line("\u{1b}[31mListening on port 80"), ScriptedReply::line("again")]);
    config.start_timeout = Duration::from_secs(3);
    let (pool, upstream) = pool_of(config);
    let error = upstream.ready(PATIENCE).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "not ready within 3 s, while connecting; 4 lines were skipped, \
         the first is not JSON: `\\u{1b}[31mListening on port 80`"
    );
    pool.shutdown().await;
}

/// Connects as another process would, with what an earlier one has left in `directory`.
async fn connect_remembering(directory: &TempDir, config: ServerConfig) -> (Pool, Upstream) {
    let options = PoolOptions {
        eras: Some(EraMemory::new(directory.path())),
        probe_timeout: Duration::from_secs(3),
        ..options()
    };
    let (pool, upstream) = pool_with(config, options);
    upstream.ready(PATIENCE).await.unwrap();
    (pool, upstream)
}

#[tokio::test]
async fn a_process_that_starts_slowly_is_asked_in_its_own_protocol() {
    let defaults = || PoolOptions { probe_timeout: Duration::from_secs(3), ..options() };
    let (both, legacy) =
        (pool_with(raw_server("slow"), defaults()), pool_with(raw_server("slow-legacy"), defaults()));
    for ((pool, upstream), era) in [(both, Era::Modern), (legacy, Era::Legacy)] {
        upstream.ready(PATIENCE).await.unwrap();
        assert_eq!((upstream.facts().unwrap().era, upstream.faults()), (era, Vec::new()));
        assert!(upstream.catalog().get("echo").is_some());
        pool.shutdown().await;
    }
}

/// A server that speaks both protocols and answers the first probe only when `initialize` has come.
fn late_with_both() -> (ServerConfig, Received) {
    let waiting = std::sync::Mutex::new(None);
    bare(move |request| match request["method"].as_str() {
        Some("server/discover") if waiting.lock().unwrap().is_none() => {
            *waiting.lock().unwrap() = Some(request.clone());
            Vec::new()
        }
        Some("server/discover") => vec![answer(request, discovered(&json!({"tools": {}})))],
        Some("initialize") => {
            let probe = waiting.lock().unwrap().clone().unwrap();
            let mut replies = vec![answer(&probe, discovered(&json!({"tools": {}})))];
            replies.extend(initialized(request));
            replies
        }
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")]}))],
        _ => Vec::new(),
    })
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_to_the_probe_shows_the_protocol_and_is_not_a_fault() {
    let (config, received) = late_with_both();
    let options = PoolOptions { probe_timeout: Duration::from_secs(3), ..options() };
    let (pool, upstream) = pool_with(config, options);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!((upstream.facts().unwrap().era, upstream.faults()), (Era::Modern, Vec::new()));
    assert_eq!((count(&received, "server/discover"), count(&received, "initialize")), (2, 1));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_second_answer_to_a_probe_that_was_given_up_is_a_fault() {
    let waiting = std::sync::Mutex::new(None);
    let (config, _) = bare(move |request| match request["method"].as_str() {
        Some("server/discover") => {
            *waiting.lock().unwrap() = Some(request.clone());
            Vec::new()
        }
        Some("initialize") => {
            let probe = waiting.lock().unwrap().clone().unwrap();
            let refused = || refuse(&probe, -32601, "no");
            let mut replies = vec![refused(), refused()];
            replies.extend(initialized(request));
            replies
        }
        Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")]}))],
        _ => Vec::new(),
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    check_legacy(&upstream);
    assert_eq!(upstream.fault_counts().get(&FaultKind::LateResponse), Some(&1));
    pool.shutdown().await;
}

fn with_identity(config: ServerConfig) -> ServerConfig {
    let Transport::InProcess(server) = config.transport else { panic!("a scripted server") };
    ServerConfig::new(name("scripted"), Transport::InProcess(server.with_identity("scripted")))
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_probe_is_not_probed_by_the_next_process() {
    let directory = TempDir::new().unwrap();
    for (probes, seconds) in [(1, 3), (0, 0), (0, 0)] {
        let (config, received) = probed(|_| Vec::new());
        let started = tokio::time::Instant::now();
        let (pool, upstream) = connect_remembering(&directory, with_identity(config)).await;
        assert_eq!((count(&received, "server/discover"), started.elapsed().as_secs()), (probes, seconds));
        check_legacy(&upstream);
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_became_another_is_spoken_to_in_its_new_protocol() {
    let directory = TempDir::new().unwrap();
    type Server = fn() -> (ServerConfig, Received);
    let silent: Server = || probed(|_| Vec::new());
    let refusing: Server = || probed(|request| vec![refuse(request, -32601, "no")]);
    let modern_only: Server = || {
        modern(json!({"tools": {}}), |request| match request["method"].as_str() {
            Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")]}))],
            _ => vec![refuse(request, -32601, "no")],
        })
    };
    let steps = [
        (silent, Era::Legacy),
        (modern_only, Era::Modern),
        (silent, Era::Legacy),
        (modern_only, Era::Modern),
        (refusing, Era::Legacy),
        (modern_only, Era::Modern),
    ];
    for (step, (server, era)) in steps.into_iter().enumerate() {
        let (pool, upstream) = connect_remembering(&directory, with_identity(server().0)).await;
        assert_eq!((step, upstream.facts().unwrap().era), (step, era));
        assert_eq!((upstream.catalog().contracts.len(), upstream.faults()), (1, Vec::new()));
        pool.shutdown().await;
    }
}

/// A server that speaks both protocols and reads nothing before `delay` is over.
fn both_after(delay: Duration) -> (ServerConfig, Received) {
    let received = Received::default();
    let kept = received.clone();
    let connect = move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let kept = kept.clone();
        tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let script = move |request: &Value| {
                kept.lock().unwrap().push(request.clone());
                match request["method"].as_str() {
                    Some("server/discover") => vec![answer(request, discovered(&json!({"tools": {}})))],
                    Some("initialize") => initialized(request),
                    Some("tools/list") => vec![answer(request, json!({"tools": [tool("t")]}))],
                    _ => Vec::new(),
                }
            };
            let (reader, writer) = tokio::io::split(ours);
            ScriptedServer::new(script).serve(reader, writer).await
        });
        theirs
    };
    let config = ServerConfig::new(name("scripted"), Transport::InProcess(InProcess::new(connect)));
    (with_identity(config), received)
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_is_remembered_has_most_of_its_start_to_answer() {
    let directory = TempDir::new().unwrap();
    for seconds in [0, 20] {
        let (config, received) = both_after(Duration::from_secs(seconds));
        let (pool, upstream) = connect_remembering(&directory, config).await;
        assert_eq!((upstream.facts().unwrap().era, count(&received, "initialize")), (Era::Modern, 0));
        pool.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_too_slow_for_another_is_modern_the_next_time() {
    let directory = TempDir::new().unwrap();
    for era in [Era::Legacy, Era::Modern] {
        let (mut config, _) = both_after(Duration::from_secs(6));
        config.start_timeout = Duration::from_secs(10);
        let (pool, upstream) = connect_remembering(&directory, config).await;
        assert_eq!((upstream.facts().unwrap().era, upstream.faults()), (era, Vec::new()));
        pool.shutdown().await;
    }
}

#[tokio::test]
async fn a_process_that_died_of_the_probe_is_not_probed_by_the_next_one() {
    let directory = TempDir::new().unwrap();
    for _ in 0..2 {
        let (pool, upstream) = connect_remembering(&directory, raw_server("fragile")).await;
        assert_eq!(upstream.facts().unwrap().era, Era::Legacy);
        pool.shutdown().await;
        let files: Vec<_> = std::fs::read_dir(directory.path()).unwrap().collect();
        let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
        assert!(text.contains(r#""era":"legacy""#), "{text}");
    }
}
