//! The mock as a child process for this crate's own tests: `mock [SCENARIO…] [--http ADDRESS]`.
//!
//! The tests of another crate use [`mortise_samples::mock::Mock`] in process, or
//! the command `mortise mock`: Cargo builds no examples of other packages.

use std::process::ExitCode;

use mortise_samples::mock::{MockOptions, run_mock};

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut options = MockOptions::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--http" => options.http = Some(arguments.next().unwrap_or_default().parse()?),
            _ => options.scenarios.push(argument),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (stdin, stdout) = (tokio::io::stdin(), tokio::io::stdout());
    let end = runtime.block_on(run_mock(&options, stdin, stdout, tokio::io::stderr()));
    runtime.shutdown_background();
    Ok(ExitCode::from(end?.carry_out()))
}
