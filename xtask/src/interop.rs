//! `cargo xtask interop`: our programs against other people's servers, clients and test suites.
//!
//! The parts use the development build, which the tests have made already, and packages that
//! are pinned under `xtask/interop/` and installed under `target/interop/`.

use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::ValueEnum;

use crate::packages::Packages;
use crate::process;
use crate::report::{Report, say};
use crate::workspace::Workspace;

mod expected;
mod schemas;

/// A part of the interop runs that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The official JSON Schema tests through our validator.
    Schemas,
}

/// What every part works with.
struct Interop<'a> {
    workspace: &'a Workspace,
    packages: Packages,
}

const BUILD_LIMIT: Duration = Duration::from_secs(2400);

/// Runs the named parts, or all of them.
pub fn run(workspace: &Workspace, parts: &[Part]) -> Result<()> {
    let mut report = Report::new("interop");
    let mut packages = Err(anyhow!("the packages were not installed"));
    report.step("packages", "cargo xtask interop", || {
        packages = Packages::install(workspace, "interop");
        packages
            .as_ref()
            .map(|it| format!("in {}", it.folder().display()))
            .map_err(|error| anyhow!("{error:#}"))
    });
    report.step("build", "cargo build --workspace --locked --bins --examples", || build(workspace));
    match packages {
        Ok(packages) => {
            let interop = Interop { workspace, packages };
            for part in Part::value_variants() {
                if parts.is_empty() || parts.contains(part) {
                    interop.run(*part, &mut report);
                }
            }
        }
        Err(_) => say("interop: no part can run without the packages"),
    }
    report.finish()
}

impl Interop<'_> {
    fn run(&self, part: Part, report: &mut Report) {
        match part {
            Part::Schemas => schemas::run(self, report),
        }
    }
}

fn build(workspace: &Workspace) -> Result<String> {
    let mut command = workspace.cargo("build");
    command.args(["--workspace", "--locked", "--quiet", "--bins", "--examples"]);
    process::run_shown(&mut command, BUILD_LIMIT)?;
    Ok("programs and examples of the development profile".to_owned())
}
