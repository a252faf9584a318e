//! Lists of tools that outlive the process: shown while a server starts, corrected when it is up.

use std::path::Path;
use std::sync::Arc;

use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_client::{CallError, CallOptions, CatalogCache, PoolOptions, ServerEvent, Upstream};
use mortise_testkit::{ScriptedReply, ScriptedServer, answer, refuse};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::support::{PATIENCE, Received, call, count, name, options, pool_with, tool};

/// A server whose list the closure makes and that says nothing until the gate is open.
fn gated(
    gate: &watch::Sender<bool>,
    list: impl Fn(&Value) -> ScriptedReply + Send + Sync + 'static,
) -> (ServerConfig, Received) {
    let (gate, list, received) = (gate.clone(), Arc::new(list), Received::default());
    let kept = received.clone();
    let connect = move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (mut gate, list, kept) = (gate.subscribe(), list.clone(), kept.clone());
        tokio::spawn(async move {
            gate.wait_for(|is_open| *is_open).await.unwrap();
            let script = move |request: &Value| {
                kept.lock().unwrap().push(request.clone());
                match request["method"].as_str() {
                    Some("tools/list") => vec![list(request)],
                    _ => vec![answer(request, json!({"content": []}))],
                }
            };
            let (reader, writer) = tokio::io::split(ours);
            ScriptedServer::legacy(script).serve(reader, writer).await
        });
        theirs
    };
    let server = InProcess::new(connect).with_identity("gated");
    (ServerConfig::new(name("gated"), Transport::InProcess(server)), received)
}

fn listing(tools: Value) -> impl Fn(&Value) -> ScriptedReply + Send + Sync + 'static {
    move |request| answer(request, json!({ "tools": tools }))
}

fn cached_in(directory: &Path) -> PoolOptions {
    PoolOptions { catalogs: Some(CatalogCache::new(directory)), ..options() }
}

/// Has the list of an earlier process written.
async fn listed_before(directory: &TempDir, tools: Value) {
    let (config, _) = gated(&watch::Sender::new(true), listing(tools));
    let (pool, upstream) = pool_with(config, cached_in(directory.path()));
    assert!(!upstream.catalog().is_known());
    upstream.ready(PATIENCE).await.unwrap();
    assert!(upstream.catalog().cached.is_none());
    pool.shutdown().await;
}

fn names(upstream: &Upstream) -> Vec<String> {
    upstream.catalog().contracts.iter().map(|contract| contract.name.to_string()).collect()
}

#[tokio::test]
async fn the_tools_of_the_last_time_are_there_at_once_and_corrected_when_the_server_is_up() {
    let directory = TempDir::new().unwrap();
    listed_before(&directory, json!([tool("same"), tool("old")])).await;
    let gate = watch::Sender::new(false);
    let (config, _) = gated(&gate, listing(json!([tool("same"), tool("new")])));
    let (pool, upstream) = pool_with(config, cached_in(directory.path()));
    let mut events = upstream.events();
    assert_eq!((names(&upstream), upstream.state().label()), (vec!["same".into(), "old".into()], "starting"));
    assert!(upstream.catalog().cached.is_some() && upstream.facts().is_none());
    gate.send_replace(true);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!(names(&upstream), ["same", "new"]);
    assert!(upstream.catalog().cached.is_none());
    assert!(matches!(events.recv().await, Ok(ServerEvent::CatalogChanged { revision: 1 })));
    pool.shutdown().await;
    let (config, _) = gated(&watch::Sender::new(false), listing(json!([])));
    let (_pool, upstream) = pool_with(config, cached_in(directory.path()));
    assert_eq!(names(&upstream), ["same", "new"], "the correction was written");
}

#[tokio::test]
async fn a_server_that_is_up_and_can_not_list_has_no_tools_of_the_last_time() {
    let directory = TempDir::new().unwrap();
    listed_before(&directory, json!([tool("old")])).await;
    let gate = watch::Sender::new(true);
    let (config, _) = gated(&gate, |request| refuse(request, -32603, "not now"));
    let (pool, upstream) = pool_with(config, cached_in(directory.path()));
    let mut events = upstream.events();
    assert_eq!(names(&upstream), ["old"]);
    upstream.ready(PATIENCE).await.unwrap();
    assert_eq!((names(&upstream), upstream.state().label()), (Vec::new(), "degraded"));
    assert!(matches!(events.recv().await, Ok(ServerEvent::CatalogChanged { revision: 0 })));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_result_is_judged_by_what_the_server_declares_now() {
    let directory = TempDir::new().unwrap();
    listed_before(&directory, json!([tool("t")])).await;
    let gate = watch::Sender::new(false);
    let mut strict = tool("t");
    strict["outputSchema"] = json!({"type": "object", "required": ["id"]});
    let (config, _) = gated(&gate, listing(json!([strict])));
    let (pool, upstream) = pool_with(config, cached_in(directory.path()));
    let called = tokio::spawn({
        let upstream = upstream.clone();
        async move { upstream.call(call("t", "{}"), CallOptions::default()).await }
    });
    gate.send_replace(true);
    let error = called.await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Violation { .. }), "{error:?}");
    pool.shutdown().await;
}

#[tokio::test]
async fn a_call_that_goes_by_another_declaration_is_not_sent() {
    let directory = TempDir::new().unwrap();
    listed_before(&directory, json!([tool("t"), tool("gone")])).await;
    let gate = watch::Sender::new(false);
    let mut described = tool("t");
    described["description"] = json!("another");
    let (config, received) = gated(&gate, listing(json!([described])));
    let (pool, upstream) = pool_with(config, cached_in(directory.path()));
    let by = |name: &str| CallOptions {
        declared: upstream.catalog().get(name).cloned(),
        ..CallOptions::default()
    };
    let (changed, gone) = (by("t"), by("gone"));
    gate.send_replace(true);
    for (name, options) in [("t", changed), ("gone", gone)] {
        let error = upstream.call(call(name, "{}"), options).await.unwrap_err();
        assert!(matches!(error, CallError::Redeclared { .. }), "{error:?}");
    }
    assert_eq!(count(&received, "tools/call"), 0);
    upstream.call(call("t", "{}"), by("t")).await.unwrap();
    pool.shutdown().await;
}
