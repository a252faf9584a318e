//! Starts a server, calls a tool and shows the verdict. The README shows it.

use std::time::Duration;

use mortise_contract::{RawJson, ServerName, ToolCall, ToolName};
use mortise_upstream::environment::Environment;
use mortise_upstream::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_upstream::{CallOptions, Pool, PoolOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::current_dir()?,
        ..Environment::default()
    };
    let mut pool = Pool::start(Vec::new(), PoolOptions::new(environment));
    let server = Transport::Stdio(StdioConfig::new("target/debug/examples/bmi", Vec::new()));
    let health = pool.add(ServerConfig::new(ServerName::parse("health")?, server))?;
    health.ready(Duration::from_secs(30)).await?;

    let arguments = RawJson::parse(r#"{"height_cm": 180, "weight_kg": 75}"#)?;
    let call = ToolCall { tool: ToolName::parse("calculate_bmi")?, arguments };
    // In strict mode, the default, a result that breaks its contract is an error.
    let outcome = health.call(call, CallOptions::default()).await?;
    assert!(outcome.verdict.errors.is_empty());
    pool.shutdown().await;
    Ok(())
}
