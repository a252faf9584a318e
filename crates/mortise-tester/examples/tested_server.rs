//! The server that the tests connect to, as a child process: `tested_server [SCENARIO…]`.

use std::process::ExitCode;

use mortise_samples::mock::{MockOptions, run_mock};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let options = MockOptions { scenarios: std::env::args().skip(1).collect(), ..MockOptions::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end =
        runtime.block_on(run_mock(&options, tokio::io::stdin(), tokio::io::stdout(), tokio::io::stderr()));
    runtime.shutdown_background();
    Ok(ExitCode::from(end?.carry_out()))
}
