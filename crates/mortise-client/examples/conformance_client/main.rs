//! The client under test of the official conformance suite.
//!
//! The suite starts it once per scenario with the address of its server as last argument and says
//! in `MCP_CONFORMANCE_SCENARIO` what is to be done there, in `MCP_CONFORMANCE_CONTEXT` with what.

mod login;
mod plain;

use std::path::PathBuf;
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{HttpConfig, ServerConfig, Transport};
use mortise_client::{CallError, CallOptions, Handlers, Pool, PoolOptions, Restart, TokenSource, Upstream};
use mortise_contract::{Mode, RawJson, ServerName, ToolCall, ToolName, ToolOutcome};
use serde_json::Value;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Longer than any scenario lasts.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the suite wants.
struct Scenario {
    name: String,
    url: String,
    context: Value,
    environment: Environment,
}

#[tokio::main]
async fn main() -> Outcome {
    let directory = tempfile::tempdir()?;
    let scenario = Scenario::read(directory.path().to_path_buf())?;
    match scenario.name.as_str() {
        name if name.starts_with("auth/") => login::run(&scenario).await,
        _ => plain::run(&scenario).await,
    }
}

impl Scenario {
    fn read(state_directory: PathBuf) -> Outcome<Self> {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let context = variable("MCP_CONFORMANCE_CONTEXT");
        Ok(Self {
            name: variable("MCP_CONFORMANCE_SCENARIO"),
            url: std::env::args().next_back().ok_or("where is the server?")?,
            context: if context.is_empty() { Value::Null } else { serde_json::from_str(&context)? },
            environment: Environment {
                variables: std::env::vars_os().collect(),
                working_directory: std::env::current_dir()?,
                state_directory: Some(state_directory),
                ..Environment::default()
            },
        })
    }

    fn http(&self) -> HttpConfig {
        HttpConfig::new(self.url.clone())
    }

    /// A pool with the suite's server in it.
    fn connect(
        &self,
        http: HttpConfig,
        handlers: Handlers,
        tokens: Option<std::sync::Arc<dyn TokenSource>>,
    ) -> Outcome<(Pool, Upstream)> {
        let options = PoolOptions {
            mode: Mode::Warn,
            restart: Restart::Never,
            handlers,
            tokens,
            ..PoolOptions::new(self.environment.clone())
        };
        let mut pool = Pool::new(options);
        let server = ServerConfig::new(ServerName::parse("suite")?, Transport::Http(http));
        let upstream = pool.add(server)?;
        Ok((pool, upstream))
    }
}

async fn call(upstream: &Upstream, tool: &str, arguments: &str) -> Result<ToolOutcome, CallError> {
    let bad = |detail: String| CallError::NotCallable {
        server: upstream.name().clone(),
        tool: tool.to_owned(),
        reason: detail,
    };
    let call = ToolCall {
        tool: ToolName::parse(tool).map_err(|error| bad(error.to_string()))?,
        arguments: RawJson::parse(arguments).map_err(|error| bad(error.to_string()))?,
    };
    upstream.call(call, CallOptions::default()).await
}
