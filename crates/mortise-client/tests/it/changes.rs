//! Lists that change, in both eras.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mortise_client::server_config::ServerConfig;
use mortise_client::{CallError, CallOptions, PoolOptions, Restart, ServerEvent, Upstream};
use mortise_testkit::{ScriptedReply, answer, refuse};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{PATIENCE, Received, call, count, legacy, modern, options, pool_of, pool_with, tool};

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

async fn revision(upstream: &Upstream, wanted: u64) {
    let mut events = upstream.events();
    while upstream.catalog().revision < wanted {
        let waiting = tokio::time::timeout(PATIENCE, events.recv()).await;
        waiting.unwrap_or_else(|_| panic!("revision {wanted} did not come")).unwrap();
    }
}

fn numbered(count: usize) -> Value {
    json!({"tools": (0..count).map(|index| tool(&format!("t{index}"))).collect::<Vec<_>>()})
}

#[tokio::test(start_paused = true)]
async fn a_thousand_changes_make_two_lists_and_the_last_is_never_lost() {
    let lists = AtomicUsize::new(0);
    let (config, received) = legacy(move |request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, numbered(lists.fetch_add(1, Ordering::Relaxed)))],
        _ => vec![
            ScriptedReply::Raw(format!("{CHANGED}\n").repeat(1_000).into_bytes()),
            answer(request, json!({"content": []})),
        ],
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let started = Instant::now();
    let old = upstream.catalog();
    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    revision(&upstream, old.revision + 2).await;
    assert!(started.elapsed() >= Duration::from_secs(2), "{:?}", started.elapsed());
    // The first list, one because `t0` was unknown, one for all changes together.
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(count(&received, "tools/list"), 3);
    assert_eq!(upstream.catalog().contracts.len(), 2);
    assert_eq!(old.contracts.len(), 0, "a catalogue in use stays as it is");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_failing_list_keeps_the_old_one_and_says_so() {
    let lists = AtomicUsize::new(0);
    let (config, _) = legacy(move |request| match request["method"].as_str() {
        Some("tools/list") => match lists.fetch_add(1, Ordering::Relaxed) {
            1 => vec![refuse(request, -32603, "database is down")],
            _ => vec![answer(request, numbered(1))],
        },
        _ => vec![ScriptedReply::line(CHANGED), answer(request, json!({"content": []}))],
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    let mut state = upstream.watch_state();
    state.wait_for(|state| state.label() == "degraded").await.unwrap();
    let catalog = upstream.catalog();
    assert_eq!(catalog.contracts.len(), 1);
    assert_eq!(
        catalog.stale.as_deref(),
        Some("`tools/list` on server `scripted` failed: server error -32603: database is down")
    );
    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    state.wait_for(|state| state.label() == "ready").await.unwrap();
    assert_eq!(upstream.catalog().stale, None);
    pool.shutdown().await;
}

/// A server whose every answer to a call announces a change; the second list says what `second` says.
fn changing(second: impl Fn(&Value) -> ScriptedReply + Send + Sync + 'static) -> (ServerConfig, Received) {
    let lists = AtomicUsize::new(0);
    legacy(move |request| match request["method"].as_str() {
        Some("tools/list") => match lists.fetch_add(1, Ordering::Relaxed) {
            0 => vec![answer(request, numbered(1))],
            _ => vec![second(request)],
        },
        _ => vec![ScriptedReply::line(CHANGED), answer(request, json!({"content": []}))],
    })
}

#[tokio::test(start_paused = true)]
async fn a_call_that_goes_by_the_newest_list_waits_for_it() {
    let redeclared = |request: &Value| {
        let mut tool = tool("t0");
        tool["description"] = json!("now something else");
        answer(request, json!({ "tools": [tool] }))
    };
    let (config, received) = changing(redeclared);
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let declared = upstream.catalog().get("t0").cloned();
    let bound = || CallOptions { declared: declared.clone(), up_to_date: true, ..CallOptions::default() };
    upstream.call(call("t0", "{}"), bound()).await.unwrap();
    // The change was announced before the answer; it is read before the next call is sent.
    let error = upstream.call(call("t0", "{}"), bound()).await.unwrap_err();
    assert!(matches!(error, CallError::Redeclared { .. }), "{error:?}");
    assert_eq!(count(&received, "tools/call"), 1);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_goes_by_the_newest_list_is_not_sent_where_there_is_none() {
    let (config, received) = changing(|request| refuse(request, -32603, "database is down"));
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let bound = || CallOptions { up_to_date: true, ..CallOptions::default() };
    upstream.call(call("t0", "{}"), bound()).await.unwrap();
    upstream.call(call("t0", "{}"), bound()).await.unwrap_err();
    let error = upstream.call(call("t0", "{}"), bound()).await.unwrap_err();
    let CallError::NotCallable { reason, .. } = error else { panic!("{error:?}") };
    assert!(reason.starts_with("the server's tools changed, and the list can't be read: "), "{reason}");
    assert_eq!(count(&received, "tools/call"), 1);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_list_that_failed_is_read_again_without_being_asked_for() {
    let lists = AtomicUsize::new(0);
    let (config, received) = legacy(move |request| match request["method"].as_str() {
        // The first list and the next one fail, and three more after a change.
        Some("tools/list") => match lists.fetch_add(1, Ordering::Relaxed) {
            0 | 1 | 3..=5 => vec![refuse(request, -32603, "database is down")],
            list => vec![answer(request, numbered(list))],
        },
        _ => vec![ScriptedReply::line(CHANGED), answer(request, json!({"content": []}))],
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(upstream.state().label(), "degraded");
    let mut state = upstream.watch_state();
    let started = Instant::now();
    state.wait_for(|state| state.label() == "ready").await.unwrap();
    assert_eq!((upstream.catalog().contracts.len(), started.elapsed().as_secs()), (2, 2 + 4));

    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    state.wait_for(|state| state.label() == "degraded").await.unwrap();
    let started = Instant::now();
    assert_eq!(upstream.catalog().contracts.len(), 2, "the old list stays");
    state.wait_for(|state| state.label() == "ready").await.unwrap();
    assert_eq!((upstream.catalog().contracts.len(), started.elapsed().as_secs()), (6, 2 + 4 + 8));
    assert_eq!(upstream.catalog().stale, None);
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(count(&received, "tools/list"), 7, "a list that was read is left alone");
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_is_taken_in_before_a_failed_list_is_due() {
    let lists = AtomicUsize::new(0);
    let (config, _) = legacy(move |request| match request["method"].as_str() {
        Some("tools/list") => match lists.fetch_add(1, Ordering::Relaxed) {
            0 => vec![answer(request, numbered(1))],
            1..=6 => vec![refuse(request, -32603, "database is down")],
            _ => vec![answer(request, numbered(2))],
        },
        _ => vec![ScriptedReply::line(CHANGED), answer(request, json!({"content": []}))],
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    // Six failures: the next list is due in a minute.
    for _ in 0..6 {
        upstream.refresh().await.unwrap_err();
    }
    let started = Instant::now();
    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    revision(&upstream, 2).await;
    assert_eq!((upstream.catalog().contracts.len(), started.elapsed().as_secs()), (2, 2));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn where_nothing_is_restarted_a_list_is_read_again_only_on_demand() {
    let lists = AtomicUsize::new(0);
    let (config, received) = legacy(move |request| match lists.fetch_add(1, Ordering::Relaxed) {
        0 => vec![refuse(request, -32603, "database is down")],
        _ => vec![answer(request, numbered(1))],
    });
    let (pool, upstream) = pool_with(config, PoolOptions { restart: Restart::Never, ..options() });
    upstream.ready(PATIENCE).await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!((count(&received, "tools/list"), upstream.state().label()), (1, "degraded"));
    upstream.refresh().await.unwrap();
    assert_eq!((upstream.catalog().contracts.len(), upstream.state().label()), (1, "ready"));
    pool.shutdown().await;
}

#[tokio::test]
async fn an_explicit_refresh_reports_its_failure() {
    let lists = AtomicUsize::new(0);
    let (config, _) = legacy(move |request| match lists.fetch_add(1, Ordering::Relaxed) {
        0 => vec![answer(request, numbered(1))],
        _ => vec![refuse(request, -32603, "no")],
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    upstream.refresh().await.unwrap_err();
    assert_eq!(upstream.catalog().contracts.len(), 1);
    pool.shutdown().await;
}

#[tokio::test]
async fn a_list_that_changes_while_it_is_read_is_read_once_more() {
    let lists = AtomicUsize::new(0);
    let (config, _) = legacy(move |request| {
        let list = lists.fetch_add(1, Ordering::Relaxed);
        match list {
            0 => vec![ScriptedReply::line(CHANGED), answer(request, numbered(1))],
            _ => vec![answer(request, numbered(2))],
        }
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let catalog = upstream.catalog();
    assert_eq!((catalog.contracts.len(), catalog.unstable), (2, false));
    pool.shutdown().await;

    let (config, _) = legacy(|request| vec![ScriptedReply::line(CHANGED), answer(request, numbered(1))]);
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    assert!(upstream.catalog().unstable);
    pool.shutdown().await;
}

#[tokio::test]
async fn every_kind_of_change_is_an_event() {
    let (config, _) = legacy(|request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, numbered(1))],
        _ => vec![
            ScriptedReply::line(r#"{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}"#),
            ScriptedReply::line(r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}"#),
            ScriptedReply::line(
                r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a://b"}}"#,
            ),
            answer(request, json!({"content": []})),
        ],
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    let mut events = upstream.events();
    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    let mut shown = Vec::new();
    for _ in 0..3 {
        shown.push(match events.recv().await.unwrap() {
            ServerEvent::ListChanged(kind) => format!("{kind:?}"),
            ServerEvent::ResourceUpdated { uri } => uri,
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(shown, ["Prompts", "Resources", "a://b"]);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_listened_to() {
    let lists = AtomicUsize::new(0);
    let subscription = std::sync::Mutex::new(Value::Null);
    let (config, received) = modern(json!({"tools": {"listChanged": true}}), move |request| {
        match request["method"].as_str() {
            Some("subscriptions/listen") => {
                *subscription.lock().unwrap() = request["id"].clone();
                vec![ScriptedReply::Frame(json!({
                    "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                    "params": {
                        "_meta": {"io.modelcontextprotocol/subscriptionId": request["id"]},
                        "notifications": {"toolsListChanged": true},
                    },
                }))]
            }
            Some("tools/list") => vec![answer(request, numbered(lists.fetch_add(1, Ordering::Relaxed) + 1))],
            _ => vec![
                ScriptedReply::Frame(json!({
                    "jsonrpc": "2.0", "method": "notifications/tools/list_changed",
                    "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": *subscription.lock().unwrap()}},
                })),
                answer(request, json!({"content": [], "resultType": "complete"})),
            ],
        }
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    upstream.call(call("t0", "{}"), CallOptions::default()).await.unwrap();
    revision(&upstream, 2).await;
    assert_eq!(upstream.catalog().contracts.len(), 2);
    let received = received.lock().unwrap().clone();
    let listen = received.iter().find(|request| request["method"] == "subscriptions/listen").unwrap();
    assert_eq!(listen["params"]["notifications"], json!({"toolsListChanged": true}));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_lost_subscription_is_opened_again_and_the_tools_are_listed_again() {
    let listens = AtomicUsize::new(0);
    let (config, received) = modern(json!({"tools": {"listChanged": true}}), move |request| {
        match request["method"].as_str() {
            Some("subscriptions/listen") => match listens.fetch_add(1, Ordering::Relaxed) {
                0 => vec![answer(request, json!({"resultType": "complete"}))],
                1 => vec![ScriptedReply::Frame(json!({
                    "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request["id"]},
                }))],
                _ => Vec::new(),
            },
            _ => vec![answer(request, numbered(1))],
        }
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    revision(&upstream, 3).await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!((count(&received, "subscriptions/listen"), count(&received, "tools/list")), (3, 3));
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_does_not_know_subscriptions_is_asked_once() {
    let (config, received) =
        modern(json!({"tools": {"listChanged": true}}), |request| match request["method"].as_str() {
            Some("subscriptions/listen") => vec![refuse(request, -32601, "no")],
            _ => vec![answer(request, numbered(1))],
        });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(count(&received, "subscriptions/listen"), 1);
    pool.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_behind_every_try_of_the_first_list_is_not_lost() {
    let lists = AtomicUsize::new(0);
    let (config, _) = legacy(move |request| {
        let list = lists.fetch_add(1, Ordering::Relaxed);
        let mut replies = vec![answer(request, numbered(list + 1))];
        if list < 2 {
            replies.push(ScriptedReply::line(CHANGED));
        }
        replies
    });
    let (pool, upstream) = pool_of(config);
    upstream.ready(PATIENCE).await.unwrap();
    assert!(upstream.catalog().unstable);
    revision(&upstream, 2).await;
    assert_eq!((upstream.catalog().contracts.len(), upstream.catalog().unstable), (3, false));
    pool.shutdown().await;
}
