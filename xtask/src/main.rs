//! Reads the arguments of `cargo xtask` and runs one chore.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use xtask::report::say;
use xtask::workspace::Workspace;
use xtask::{check, codegen, fuzz, interop};

/// The chores of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check walls, file rules, licences and generated files.
    Check,
    /// Run against other people's servers, clients and test suites.
    Interop {
        /// Which parts to run; all of them when none is named.
        parts: Vec<interop::Part>,
    },
    /// Write the generated files of the repository.
    Codegen {
        /// Write nothing; fail if a file is stale.
        #[arg(long)]
        check: bool,
    },
    /// Run every fuzz target for a while.
    Fuzz {
        /// How long each target runs.
        #[arg(long, default_value_t = 10)]
        seconds: u64,
        /// Only targets whose name contains this.
        target: Option<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> anyhow::Result<()> {
    let workspace = Workspace::find()?;
    match chore {
        Chore::Check => check::run(&workspace),
        Chore::Interop { parts } => interop::run(&workspace, &parts),
        Chore::Codegen { check: true } => codegen::run(&workspace, codegen::Mode::Check),
        Chore::Codegen { check: false } => codegen::run(&workspace, codegen::Mode::Write),
        Chore::Fuzz { seconds, target } => {
            fuzz::run(&workspace, Duration::from_secs(seconds), target.as_deref())
        }
    }
}
