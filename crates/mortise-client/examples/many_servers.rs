//! Several servers in a pool, which starts them again when they fail. The guide shows it.
#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{HttpConfig, ServerConfig, StdioConfig, Transport};
use mortise_client::{CallError, CallOptions, Pool, PoolOptions};
use mortise_contract::{Mode, RawJson, ServerName, ToolCall, ToolName};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::current_dir()?,
        ..Environment::default()
    };
    let local = Transport::Stdio(StdioConfig::new("target/debug/examples/bmi", Vec::new()));
    let remote = Transport::Http(HttpConfig::new("http://127.0.0.1:8080/mcp"));
    let servers = vec![
        ServerConfig::new(ServerName::parse("health")?, local),
        // A result that breaks its contract is delivered, with the verdict.
        ServerConfig { mode: Some(Mode::Warn), ..ServerConfig::new(ServerName::parse("stations")?, remote) },
    ];
    let pool = Pool::start(servers, PoolOptions::new(environment))?;
    for server in pool.servers() {
        match server.ready(Duration::from_secs(30)).await {
            Ok(()) => println!("{}: {} tools", server.name(), server.catalog().contracts.len()),
            Err(error) => println!("{}: {error}", server.name()),
        }
    }

    if let Some(health) = pool.server(&ServerName::parse("health")?) {
        let arguments = RawJson::parse(r#"{"height_cm": 180, "weight_kg": 75}"#)?;
        let call = ToolCall { tool: ToolName::parse("calculate_bmi")?, arguments };
        let options = CallOptions { timeout: Some(Duration::from_secs(5)), ..CallOptions::default() };
        match health.call(call, options).await {
            Ok(outcome) => println!("{}", outcome.result.raw.text()),
            // What came is inside, with the verdict that names each violation.
            Err(CallError::Violation { outcome, .. }) => println!("{}", outcome.verdict.to_json()),
            Err(error) => println!("{error}"),
        }
    }
    pool.shutdown().await;
    Ok(())
}
