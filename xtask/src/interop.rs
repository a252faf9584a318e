//! `cargo xtask interop`: our programs against other people's servers, clients and test suites.

use anyhow::Result;
use clap::ValueEnum;

use crate::packages::Packages;
use crate::report::Report;
use crate::workspace::Workspace;

/// A part of the interop runs that can be asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Only install the pinned packages.
    Packages,
}

/// Runs the named parts, or all of them.
pub fn run(workspace: &Workspace, parts: &[Part]) -> Result<()> {
    let mut report = Report::new("interop");
    let wanted = |part: Part| parts.is_empty() || parts.contains(&part);
    if wanted(Part::Packages) {
        report.step("packages", "cargo xtask interop packages", || {
            let packages = Packages::install(workspace, "interop")?;
            Ok(format!("in {}", packages.folder().display()))
        });
    }
    report.finish()
}
