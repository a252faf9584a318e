//! `cargo xtask codegen`: files of the repository that are made from something else.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::bench::figures::BenchFigures;
use crate::bench::plot::PLOTS;
use crate::report::Report;
use crate::workspace::Workspace;

mod cli_reference;
mod config_schema;
mod limits;
mod output_formats;
mod pictures;
mod programs;
mod provider_rules;
mod third_party;

/// What to do with a generated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Write it.
    Write,
    /// Fail if the file in the repository is not what would be written.
    Check,
}

/// A generated file and how it is made.
struct Generated {
    path: &'static str,
    make: fn(&Workspace) -> Result<String>,
}

const FILES: [Generated; 7] = [
    Generated { path: "docs/reference/cli.md", make: cli_reference::make },
    Generated { path: "THIRD_PARTY.md", make: third_party::make },
    Generated { path: "docs/reference/mortise.schema.json", make: config_schema::make },
    Generated { path: "docs/reference/limits.md", make: limits::make },
    Generated { path: "docs/reference/output-formats.md", make: output_formats::make },
    Generated { path: "docs/reference/programs.md", make: programs::make },
    Generated { path: "docs/reference/providers.md", make: provider_rules::make },
];

/// Writes or checks all generated files.
pub fn run(workspace: &Workspace, mode: Mode) -> Result<()> {
    let mut report = Report::new("codegen");
    steps(workspace, mode, &mut report);
    report.finish()
}

/// Adds one step for each generated file, after one that builds the programs that make them.
pub fn steps(workspace: &Workspace, mode: Mode, report: &mut Report) {
    report.step("build", "cargo build --workspace --locked --bins --examples", || {
        workspace.build_development()
    });
    for file in &FILES {
        let rerun = match mode {
            Mode::Write => "cargo xtask codegen",
            Mode::Check => "cargo xtask codegen --check",
        };
        report.step(file.path, rerun, || generate(workspace, file, mode));
    }
    for plot in PLOTS {
        report.step(&plot.path(), "cargo xtask codegen", || {
            let figures = BenchFigures::read(workspace.root())?;
            keep(workspace, &plot.path(), &plot.draw(&figures)?, mode)
        });
    }
    report.step("docs/pictures", "cargo xtask codegen", || pictures::make(workspace, mode));
}

fn generate(workspace: &Workspace, file: &Generated, mode: Mode) -> Result<String> {
    keep(workspace, file.path, &(file.make)(workspace)?, mode)
}

/// Writes a file that is not as wanted, or fails.
fn keep(workspace: &Workspace, file: &str, wanted: &str, mode: Mode) -> Result<String> {
    let path = workspace.root().join(file);
    let present = fs::read_to_string(&path).unwrap_or_default();
    match mode {
        _ if present == wanted => Ok("up to date".to_owned()),
        Mode::Check => bail!("{file} is stale: run `cargo xtask codegen` and commit the result"),
        Mode::Write => {
            fs::write(&path, wanted).with_context(|| format!("writing {}", path.display()))?;
            Ok("written".to_owned())
        }
    }
}
