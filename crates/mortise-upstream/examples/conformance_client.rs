//! The client under test for the official conformance suite: connects to the address that comes
//! last on the command line, lists, and calls what the scenario wants called.
//!
//! The suite tells the scenario, its context and the protocol version by environment variables.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::sample::sample;
use mortise_contract::{Mode, RawJson, ServerName, ToolCall, ToolName};
use mortise_upstream::environment::Environment;
use mortise_upstream::server_config::{EraChoice, HttpConfig, ServerConfig, Transport};
use mortise_upstream::{AskFuture, CallOptions, Handlers, Pool, PoolOptions, Restart, ServerAsk, Upstream};
use serde_json::{Map, Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // TLS is not used here, but the HTTP client wants to know whose it would be.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = std::env::args().next_back().ok_or("no address given")?;
    let modern = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")
        .is_ok_and(|version| version.as_str() >= "2026-07-28");
    let environment = Environment { variables: std::env::vars_os().collect(), ..Environment::default() };
    let mut options = PoolOptions::new(environment);
    options.mode = Mode::Warn;
    options.restart = Restart::Never;
    options.handlers = Handlers { elicitation_form: Some(Arc::new(accept_defaults)), ..Handlers::default() };
    let mut config = ServerConfig::new(ServerName::parse("suite")?, Transport::Http(HttpConfig::new(url)));
    config.era = if modern { EraChoice::Modern } else { EraChoice::Legacy };
    let pool = Pool::start(vec![config], options);
    let server = pool.servers()[0].clone();
    server.ready(Duration::from_secs(20)).await?;
    for (tool, arguments) in calls(&server)? {
        let call = ToolCall { tool: ToolName::parse(&tool)?, arguments: RawJson::from_value(&arguments)? };
        // A scenario may want a call to fail; the suite judges what it saw on the wire.
        let _judged_by_the_suite = server.call(call, CallOptions::default()).await;
    }
    pool.shutdown().await;
    Ok(())
}

/// The calls that the context names, else every listed tool with a small valid value.
fn calls(server: &Upstream) -> Result<Vec<(String, Value)>, Box<dyn std::error::Error>> {
    let context: Value = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(text) => serde_json::from_str(&text)?,
        Err(_) => Value::Null,
    };
    if let Some(wanted) = context.get("toolCalls").and_then(Value::as_array) {
        let name = |call: &Value| call["name"].as_str().unwrap_or_default().to_owned();
        return Ok(wanted.iter().map(|call| (name(call), call["arguments"].clone())).collect());
    }
    let catalog = server.catalog();
    let arguments = |schema: Option<&Value>| {
        schema.and_then(sample).filter(Value::is_object).unwrap_or_else(|| json!({}))
    };
    let calls = catalog.contracts.iter().map(|tool| match tool.name.as_str() {
        // The suite wants to see what we made of the other tool's schema.
        name @ "json_schema_echo" => {
            let seen = catalog.get("json_schema_2020_12_tool").and_then(|tool| tool.input_schema());
            (name.to_owned(), json!({ "schema": seen }))
        }
        name => (name.to_owned(), arguments(tool.input_schema())),
    });
    Ok(calls.collect())
}

/// Accepts a form with its defaults, as a user does who presses return.
fn accept_defaults(ask: ServerAsk) -> AskFuture {
    let params = ask.params.and_then(|params| params.value().ok()).unwrap_or_default();
    let fields = params["requestedSchema"]["properties"].as_object().cloned().unwrap_or_default();
    let content: Map<String, Value> =
        fields.into_iter().filter_map(|(name, field)| Some((name, field.get("default")?.clone()))).collect();
    let answer = json!({ "action": "accept", "content": content });
    Box::pin(async move {
        RawJson::from_value(&answer)
            .map_err(|error| mortise_upstream::AskError { code: -32603, message: error.to_string() })
    })
}
