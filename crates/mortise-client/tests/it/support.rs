//! What the tests share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{InProcess, ServerConfig, StdioConfig, Transport};
use mortise_client::{Pool, PoolOptions, Upstream};
use mortise_contract::{RawJson, ServerName, ToolCall, ToolName};
use mortise_testkit::{ScriptedReply, ScriptedServer, answer, handshake};
use serde_json::{Value, json};

/// Longer than anything a test waits for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The child program of that name, built with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().expect("a test knows itself");
    path.pop();
    path.pop();
    path.join("examples").join(name)
}

pub(crate) fn environment() -> Environment {
    Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::temp_dir(),
        warden: vec![example("pool_holder").into(), "warden".into()],
        ..Environment::default()
    }
}

pub(crate) fn options() -> PoolOptions {
    PoolOptions { probe_timeout: Duration::from_secs(20), ..PoolOptions::new(environment()) }
}

pub(crate) fn name(text: &str) -> ServerName {
    ServerName::parse(text).expect("a good name")
}

/// `raw_server MODE` as a configured server.
pub(crate) fn raw_server(mode: &str) -> ServerConfig {
    let command = example("raw_server").to_string_lossy().into_owned();
    ServerConfig::new(name("raw"), Transport::Stdio(StdioConfig::new(command, vec![mode.to_owned()])))
}

/// A pool with one server.
pub(crate) fn pool_of(config: ServerConfig) -> (Pool, Upstream) {
    pool_with(config, options())
}

/// The same with options.
pub(crate) fn pool_with(config: ServerConfig, options: PoolOptions) -> (Pool, Upstream) {
    let mut pool = Pool::new(options);
    let upstream = pool.add(config).unwrap();
    (pool, upstream)
}

pub(crate) fn call(tool: &str, arguments: &str) -> ToolCall {
    ToolCall {
        tool: ToolName::parse(tool).expect("a good name"),
        arguments: RawJson::parse(arguments).expect("good JSON"),
    }
}

/// What a scripted server got, connection after connection.
pub(crate) type Received = Arc<Mutex<Vec<Value>>>;

/// A server whose every answer the closure makes, the handshake included.
pub(crate) fn bare(
    script: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static,
) -> (ServerConfig, Received) {
    let received = Received::default();
    let script = Arc::new(script);
    let kept = received.clone();
    let server = InProcess::new(move || {
        let (script, received) = (script.clone(), kept.clone());
        let record = move |request: &Value| {
            received.lock().expect("nobody panicked").push(request.clone());
            script(request)
        };
        ScriptedServer::new(record).spawn().0
    });
    (ServerConfig::new(name("scripted"), Transport::InProcess(server)), received)
}

/// A legacy server with the usual handshake; the closure answers the rest.
pub(crate) fn legacy(
    script: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static,
) -> (ServerConfig, Received) {
    bare(move |request| handshake(request).unwrap_or_else(|| script(request)))
}

/// A modern server; the closure answers the rest.
pub(crate) fn modern(
    capabilities: Value,
    script: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static,
) -> (ServerConfig, Received) {
    bare(move |request| match request["method"].as_str() {
        Some("server/discover") => vec![answer(request, discovered(&capabilities))],
        Some(method) if method.starts_with("notifications/") => Vec::new(),
        _ => script(request),
    })
}

/// What a modern server answers to the probe.
pub(crate) fn discovered(capabilities: &Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern", "version": "9"}},
    })
}

/// A tool that takes and promises anything.
pub(crate) fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// A legacy server with these tools whose calls the closure answers.
pub(crate) fn with_tools(
    tools: Value,
    script: impl Fn(&Value) -> Vec<ScriptedReply> + Send + Sync + 'static,
) -> (ServerConfig, Received) {
    legacy(move |request| match request["method"].as_str() {
        Some("tools/list") => vec![answer(request, json!({ "tools": tools }))],
        _ => script(request),
    })
}

/// The answer with this text as its result, written as it is.
pub(crate) fn raw_result(request: &Value, result: &str) -> Vec<ScriptedReply> {
    vec![ScriptedReply::line(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"]))]
}

/// How often a method was asked for.
pub(crate) fn count(received: &Received, method: &str) -> usize {
    received.lock().expect("nobody panicked").iter().filter(|request| request["method"] == method).count()
}
