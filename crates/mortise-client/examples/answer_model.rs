//! Declares the tools of a server to a model, and answers a tool call of the model. A guide shows it.
#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_client::{CallOptions, Pool, PoolOptions};
use mortise_contract::{RawJson, ServerName};
use mortise_declare::{Provider, ProviderOptions, ToolDefinition, provider_names, render_tools};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut pool = Pool::new(PoolOptions::new(Environment::default()));
    let bmi = Transport::Stdio(StdioConfig::new("target/debug/examples/bmi", Vec::new()));
    let health = pool.add(ServerConfig::new(ServerName::parse("health")?, bmi))?;
    health.ready(Duration::from_secs(30)).await?;

    let catalog = health.catalog();
    let tools: Vec<ToolDefinition> =
        catalog.contracts.iter().map(|contract| ToolDefinition::of(health.name(), contract)).collect();
    let names = provider_names(&tools);
    let declared = render_tools(Provider::Anthropic, &tools, &names, &ProviderOptions::default());
    println!("{}", declared.to_json());

    // What the model sends back: its name for the tool, and the arguments.
    let (name, input) = ("mcp__health__calculate_bmi", r#"{"height_cm": 180, "weight_kg": 75}"#);
    let outcome = pool.call_named(&names, name, RawJson::parse(input)?, CallOptions::default()).await?;
    for text in outcome.result.texts() {
        println!("{text}");
    }
    pool.shutdown().await;
    Ok(())
}
