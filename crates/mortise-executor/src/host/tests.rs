//! How long a call of a program may take.

use mortise_client::environment::Environment;
use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_client::tool_filter::ToolFilter;
use mortise_client::{Pool, PoolOptions};
use mortise_contract::ServerName;
use mortise_testkit::{ScriptedServer, answer};
use tokio::time::Instant;

use super::*;

const PATIENCE: Duration = Duration::from_secs(60);

/// A server with a tool that never answers.
async fn silent(own: Option<Duration>) -> (Pool, Upstream) {
    let server = InProcess::new(|| {
        let script = |request: &Value| match request["method"].as_str() {
            Some("tools/list") => {
                let tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
                vec![answer(request, json!({ "tools": [tool] }))]
            }
            _ => Vec::new(),
        };
        ScriptedServer::legacy(script).spawn().0
    });
    let mut config = ServerConfig::new(ServerName::parse("s").unwrap(), Transport::InProcess(server));
    config.call_timeout = own;
    let mut pool = Pool::new(PoolOptions::new(Environment::default()));
    let upstream = pool.add(config).unwrap();
    upstream.ready(PATIENCE).await.unwrap();
    (pool, upstream)
}

/// After how many seconds a call is given up.
async fn given_up(usual: u64, own: Option<u64>) -> u64 {
    let usual = Duration::from_secs(usual);
    let (_pool, upstream) = silent(own.map(Duration::from_secs)).await;
    let registry = Arc::new(Registry::new(vec![upstream], ToolFilter::All));
    let progress = watch::Sender::new(RunProgress::default());
    let bridge = Bridge::new(registry, CancellationToken::new(), progress, None, 1, usual);
    let request = CallRequest {
        id: 1,
        name: "mcp__s__t".to_owned(),
        arguments: RawJson::parse("{}").unwrap(),
        wanted: Wanted::Value,
        deadline: std::time::Instant::now() + Duration::from_secs(3_600),
    };
    let started = Instant::now();
    let error = bridge.call(request).await.unwrap_err();
    let seconds = started.elapsed().as_secs();
    assert_eq!(error.message, format!("'mcp__s__t' timed out after {seconds}s"));
    seconds
}

#[tokio::test(start_paused = true)]
async fn raising_the_time_of_calls_in_programs_is_enough() {
    assert_eq!(given_up(300, None).await, 300);
    assert_eq!(given_up(10, None).await, 10);
}

#[tokio::test(start_paused = true)]
async fn a_servers_own_time_counts_in_programs_too() {
    assert_eq!(given_up(60, Some(300)).await, 300);
    assert_eq!(given_up(60, Some(5)).await, 5);
}
