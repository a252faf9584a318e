//! What the tests share.

use std::path::PathBuf;
use std::time::Duration;

use mortise_contract::{RawJson, ServerName, ToolCall, ToolName};
use mortise_upstream::environment::Environment;
use mortise_upstream::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_upstream::{Pool, PoolOptions, Upstream};

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
    let mut pool = Pool::start(Vec::new(), options());
    let upstream = pool.add(config);
    (pool, upstream)
}

pub(crate) fn call(tool: &str, arguments: &str) -> ToolCall {
    ToolCall {
        tool: ToolName::parse(tool).expect("a good name"),
        arguments: RawJson::parse(arguments).expect("good JSON"),
    }
}
