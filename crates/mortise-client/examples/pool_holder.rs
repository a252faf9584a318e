//! Starts the server named by its arguments, says when it is ready, and stays until it is killed.
//!
//! For the tests that no server outlives a client that was killed. `warden COMMAND…` makes it a warden.

use std::io::Write;
use std::time::Duration;

use mortise_client::environment::Environment;
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_client::{Pool, PoolOptions, warden};
use mortise_contract::ServerName;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("warden") {
        return Ok(warden::run(std::env::args_os().skip(2))?);
    }
    hold(std::env::args().skip(1))
}

#[tokio::main]
async fn hold(mut arguments: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let command = arguments.next().ok_or("which server?")?;
    let environment = Environment {
        variables: std::env::vars_os().collect(),
        working_directory: std::env::current_dir()?,
        warden: vec![std::env::current_exe()?.into(), "warden".into()],
        ..Environment::default()
    };
    let transport = Transport::Stdio(StdioConfig::new(command, arguments.collect()));
    let server = ServerConfig::new(ServerName::parse("held")?, transport);
    let pool = Pool::start(vec![server], PoolOptions::new(environment))?;
    pool.servers()[0].ready(Duration::from_secs(60)).await?;
    writeln!(std::io::stdout(), "ready")?;
    std::future::pending().await
}
