//! Whatever a server writes before its answer, the call ends and the connection lives on.

mod generate;

use std::sync::Arc;
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{EraChoice, HttpConfig, InProcess, ServerConfig, Transport};
use mortise_client::{CallError, CallOptions, Pool, PoolOptions, Restart};
use mortise_contract::{Mode, RawJson, ServerName, ToolCall, ToolName};
use mortise_testkit::{HttpReply, ScriptedHttp, ScriptedReply, ScriptedServer, answer, fuzz, handshake};
use serde_json::{Value, json};
use tokio::runtime::Builder;

fn tools() -> Value {
    json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
}

fn server(transport: Transport) -> ServerConfig {
    ServerConfig::new(ServerName::parse("fuzzed").unwrap(), transport)
}

/// Calls twice; gives how the second call went, unless the noise ended the connection.
async fn check(config: ServerConfig) {
    let options =
        PoolOptions { mode: Mode::Warn, restart: Restart::Never, ..PoolOptions::new(Environment::default()) };
    let mut pool = Pool::new(options);
    let upstream = pool.add(config).unwrap();
    for round in 0..2 {
        let call = ToolCall { tool: ToolName::parse("t").unwrap(), arguments: RawJson::parse("{}").unwrap() };
        let limit = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
        let called = upstream.call(call, limit).await;
        let lost = matches!(called, Err(CallError::NotConnected { .. } | CallError::Closed { .. }));
        assert!(!lost, "round {round}: {called:?}");
    }
    pool.shutdown().await;
}

#[test]
fn lines() {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    fuzz(&generate::bytes(), |noise| {
        let noise = Arc::new(noise);
        let in_process = InProcess::new(move || {
            let noise = noise.clone();
            let script = move |request: &Value| match request["method"].as_str() {
                Some("tools/list") => vec![answer(request, tools())],
                Some("tools/call") => {
                    let id = request["id"].to_string();
                    let mut bytes: Vec<u8> = Vec::new();
                    for byte in noise.iter() {
                        match byte {
                            b'@' => bytes.extend_from_slice(id.as_bytes()),
                            other => bytes.push(*other),
                        }
                    }
                    bytes.push(b'\n');
                    vec![ScriptedReply::Raw(bytes), answer(request, json!({"content": []}))]
                }
                _ => Vec::new(),
            };
            let script = move |request: &Value| handshake(request).unwrap_or_else(|| script(request));
            ScriptedServer::new(script).spawn().0
        });
        let mut config = server(Transport::InProcess(in_process));
        config.era = EraChoice::Legacy;
        runtime.block_on(check(config));
    });
}

fn reply(noise: &[u8], body: &[u8]) -> HttpReply {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let id = &request["id"];
    let result = |result: Value| HttpReply::json(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    match request["method"].as_str() {
        Some("server/discover") => {
            result(json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}))
        }
        Some("tools/list") => result(tools()),
        Some("tools/call") => {
            let noise = String::from_utf8_lossy(noise).replace('@', &id.to_string());
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}});
            let body = format!("{noise}\n\ndata: {answer}\n\n");
            HttpReply::status(200).with("content-type", "text/event-stream").body(body)
        }
        _ => HttpReply::status(405),
    }
}

#[test]
fn events() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    fuzz(&generate::bytes(), |noise| {
        runtime.block_on(async {
            let web = ScriptedHttp::start(move |request| reply(&noise, &request.body)).await.unwrap();
            check(server(Transport::Http(HttpConfig::new(web.url("/mcp"))))).await;
        });
    });
}
