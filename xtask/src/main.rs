//! Reads the arguments of `cargo xtask` and runs one chore.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use xtask::report::say;
use xtask::workspace::Workspace;
use xtask::{bench, check, codegen, dist, faults, fuzz, interop, package, sbom};

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
        /// Use the programs of the last build as they are.
        #[arg(long)]
        built: bool,
    },
    /// Measure against other systems; each part writes its section of `docs/benchmarks.md`.
    Bench {
        /// Which parts to run; all of them when none is named.
        parts: Vec<bench::Part>,
        /// How often each system runs.
        #[arg(long, default_value_t = bench::LEAST_ROUNDS)]
        rounds: usize,
    },
    /// Hold load and faults against the binary; each run writes its section of `docs/faults.md`.
    Faults {
        /// Which runs; all of them when none is named.
        runs: Vec<faults::Run>,
        /// Run longer: half an hour for all.
        #[arg(long)]
        full: bool,
        /// Use this `mortise` instead of building the release.
        #[arg(long)]
        program: Option<PathBuf>,
    },
    /// Run one command and write what it cost; a helper of `bench`.
    #[command(hide = true)]
    Measure {
        answer: PathBuf,
        output: PathBuf,
        #[arg(last = true)]
        command: Vec<String>,
    },
    /// Write the generated files of the repository.
    Codegen {
        /// Write nothing; fail if a file is stale.
        #[arg(long)]
        check: bool,
    },
    /// Make the archives of the published crates, and build each from its archive.
    Package,
    /// Make what people install: archive, wheel, npm packages, formula, install script.
    Dist(dist::DistArgs),
    /// Write what the binary is made of, as CycloneDX 1.6.
    Sbom {
        /// The file to write.
        file: PathBuf,
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
    match chore {
        // Without asking cargo anything: the helper's own children would be counted.
        Chore::Measure { answer, output, command } => bench::measure::help(&answer, &output, &command),
        Chore::Check => check::run(&Workspace::find()?),
        Chore::Interop { parts, built } => {
            let programs = if built { interop::Programs::Built } else { interop::Programs::Build };
            interop::run(&Workspace::find()?, &parts, programs)
        }
        Chore::Bench { parts, rounds } => bench::run(&Workspace::find()?, &parts, rounds),
        Chore::Faults { runs, full, program } => {
            let length = if full { faults::Length::Full } else { faults::Length::Usual };
            faults::run(&Workspace::find()?, &runs, length, program)
        }
        Chore::Codegen { check: true } => codegen::run(&Workspace::find()?, codegen::Mode::Check),
        Chore::Codegen { check: false } => codegen::run(&Workspace::find()?, codegen::Mode::Write),
        Chore::Package => package::run(&Workspace::find()?),
        Chore::Dist(args) => dist::run(&Workspace::find()?, &args),
        Chore::Sbom { file } => sbom::run(&Workspace::find()?, &file),
        Chore::Fuzz { seconds, target } => {
            fuzz::run(&Workspace::find()?, Duration::from_secs(seconds), target.as_deref())
        }
    }
}
