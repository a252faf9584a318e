//! Servers inside this process.

use mortise_client::CallOptions;
use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_testkit::{ScriptedServer, answer};
use serde_json::{Value, json};

use crate::support::{PATIENCE, call, name, pool_of};

fn config() -> ServerConfig {
    let server = InProcess::new(|| {
        let script = |request: &Value| match request["method"].as_str() {
            Some("tools/list") => {
                let tool = json!({"name": "ping", "inputSchema": {"type": "object"}});
                vec![answer(request, json!({ "tools": [tool] }))]
            }
            Some("tools/call") => {
                vec![answer(request, json!({"content": [{"type": "text", "text": "pong"}]}))]
            }
            _ => Vec::new(),
        };
        ScriptedServer::legacy(script).spawn().0
    });
    ServerConfig::new(name("inside"), Transport::InProcess(server))
}

#[tokio::test]
async fn a_server_in_process_is_listed_called_and_reconnected() {
    let (pool, upstream) = pool_of(config());
    for _ in 0..2 {
        upstream.ready(PATIENCE).await.unwrap();
        assert_eq!(upstream.catalog().contracts.len(), 1);
        let outcome = upstream.call(call("ping", "{}"), CallOptions::default()).await.unwrap();
        assert_eq!(outcome.result.texts().collect::<Vec<_>>(), ["pong"]);
        let mut state = upstream.watch_state();
        upstream.reconnect().await;
        state.changed().await.unwrap();
    }
    pool.shutdown().await;
    assert_eq!(upstream.state().label(), "stopped");
}
