//! `cargo xtask interop`: our programs against other people's servers, clients and test suites.
//!
//! The parts use the development build, which the tests have made already, and packages that
//! are pinned under `xtask/interop/` and installed under `target/interop/`.

use anyhow::{Result, anyhow};
use clap::ValueEnum;

use crate::packages::Packages;
use crate::report::{Report, say};
use crate::workspace::Workspace;

mod agents;
mod checks;
mod clients;
mod conformance;
mod declarations;
mod difference;
mod distribution;
mod endpoint;
mod expected;
mod programs;
mod recordings;
mod runs;
mod schemas;
mod screens;
mod servers;
mod shells;
mod tester;
mod wizards;

/// A part of the interop runs that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The official JSON Schema tests through our validator.
    Schemas,
    /// The official conformance suite on our server and our client.
    Conformance,
    /// Other people's servers through our commands.
    Servers,
    /// Our servers through other people's clients.
    Clients,
    /// A recording of another server, served to other people's clients.
    Recordings,
    /// Runs that are killed and resumed, replayed, approved, and longer than a proxy's patience.
    Runs,
    /// Claude Code and Codex over `mortise serve`: what their model is sent.
    Agents,
    /// `mortise tester` on other people's servers, through the official client; `mortise check` on the same.
    Tester,
    /// Our declarations through TypeScript's compiler and a type checker for Python.
    Declarations,
    /// Our interpreter and CPython on the corpus of programs.
    Programs,
    /// Type inference beside DuckDB and frictionless.
    Wizards,
    /// The first five minutes in a terminal of three widths; needs tmux and no packages.
    Screens,
    /// Completion in zsh and fish, which must be installed.
    Shells,
    /// Our packages through uv, npm and the install script; our workflows through actionlint.
    Dist,
}

/// What every part works with.
struct Interop<'a> {
    workspace: &'a Workspace,
    packages: Packages,
}

/// Where the programs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Programs {
    /// They are built first.
    Build,
    /// They are built already.
    Built,
}

/// Runs the named parts, or all of them.
pub fn run(workspace: &Workspace, parts: &[Part], programs: Programs) -> Result<()> {
    let build = || match programs {
        Programs::Build => workspace.build_development(),
        Programs::Built => Ok("as they were built before".to_owned()),
    };
    let mut report = Report::new("interop");
    if matches!(parts, [Part::Screens | Part::Shells]) {
        report.step("build", "cargo build --workspace --locked --bins --examples", build);
        match parts {
            [Part::Shells] => shells::run(workspace, &mut report),
            _ => screens::run(workspace, &mut report),
        }
        return report.finish();
    }
    let mut packages = Err(anyhow!("the packages were not installed"));
    report.step("packages", "cargo xtask interop", || {
        packages = Packages::install(workspace, "interop");
        packages
            .as_ref()
            .map(|it| format!("in {}", it.folder().display()))
            .map_err(|error| anyhow!("{error:#}"))
    });
    report.step("build", "cargo build --workspace --locked --bins --examples", build);
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
            Part::Conformance => conformance::run(self, report),
            Part::Servers => servers::run(self, report),
            Part::Clients => clients::run(self, report),
            Part::Recordings => recordings::run(self, report),
            Part::Runs => runs::run(self, report),
            Part::Agents => agents::run(self, report),
            Part::Tester => {
                tester::run(self, report);
                checks::run(self, report);
            }
            Part::Declarations => declarations::run(self, report),
            Part::Programs => programs::run(self, report),
            Part::Wizards => wizards::run(self, report),
            Part::Screens => screens::run(self.workspace, report),
            Part::Shells => shells::run(self.workspace, report),
            Part::Dist => distribution::run(self, report),
        }
    }
}
