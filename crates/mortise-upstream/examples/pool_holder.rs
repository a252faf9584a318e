//! Starts the server named by its arguments, says when it is ready, and stays until it is killed.
//!
//! For the test that no server outlives a client that was killed.

use std::io::Write;
use std::time::Duration;

use mortise_contract::ServerName;
use mortise_upstream::environment::Environment;
use mortise_upstream::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_upstream::{Pool, PoolOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().ok_or("which server?")?;
    let environment = Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::current_dir()?,
        ..Environment::default()
    };
    let transport = Transport::Stdio(StdioConfig::new(command, arguments.collect()));
    let server = ServerConfig::new(ServerName::parse("held")?, transport);
    let pool = Pool::start(vec![server], PoolOptions::new(environment));
    pool.servers()[0].ready(Duration::from_secs(60)).await?;
    writeln!(std::io::stdout(), "ready")?;
    std::future::pending().await
}
