//! `mortise tester`: the tester as an MCP server.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use mortise_client::oauth::LoginTokens;
use mortise_tester::limits::TESTER_TIME_MAX;
use mortise_tester::{Permissions, Tester, TesterOptions};

use crate::app::App;
use crate::cli::parse_time;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::serving::{self, ServingArgs};

/// Arguments of `mortise tester`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TesterArgs {
    /// Let callers over HTTP start local commands; over stdio they always may
    #[arg(long, requires = "http", help_heading = "Permissions")]
    allow_commands: bool,
    /// Let callers over HTTP reach this machine and private networks; over stdio they always may
    #[arg(long, requires = "http", help_heading = "Permissions")]
    allow_private: bool,
    /// Give up connecting to a server after this time: 30, 500ms, 2m
    #[arg(long, value_name = "TIME", value_parser = parse_time, env = "MCP_TEST_CONNECT_TIMEOUT")]
    connect_timeout: Option<Duration>,
    /// Give up a request to a server after this time
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    call_timeout: Option<Duration>,
    #[command(flatten)]
    serving: ServingArgs,
}

/// Serves the tester.
pub(crate) fn run(app: &App, args: &TesterArgs) -> Result<Exit, Failure> {
    let bug = |error: &(dyn std::error::Error + 'static)| Failure::from_error(Exit::Bug, error);
    let tester = Tester::new(options(app, args)).map_err(|error| bug(&error))?;
    let server = tester.server().map_err(|error| bug(&error))?;
    interrupt::block_on_many_threads(async |stop| {
        let served = serving::until_asked(app, &server, &args.serving, stop).await;
        stop.tidy_up(tester.close()).await;
        served
    })
}

fn options(app: &App, args: &TesterArgs) -> TesterOptions {
    let environment = app.environment.clone();
    let mut options = match args.serving.is_http() {
        true => TesterOptions::remote(environment.clone()),
        false => TesterOptions::local(environment.clone()),
    };
    if args.serving.is_http() {
        options.permissions = Permissions {
            commands: args.allow_commands,
            private_addresses: args.allow_private,
            ..Permissions::REMOTE
        };
    }
    options.tokens = Some(Arc::new(LoginTokens::new(environment)));
    options.connect_timeout = args.connect_timeout.unwrap_or(options.connect_timeout).min(TESTER_TIME_MAX);
    options.call_timeout = args.call_timeout.unwrap_or(options.call_timeout).min(TESTER_TIME_MAX);
    options
}

const EXAMPLES: &str = "\
Examples:
  claude mcp add mcp_test_mcp -- mortise serve tester
  mortise serve tester --http 8080 --allow-private";
