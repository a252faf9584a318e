//! `cargo xtask check`: what the workspace promises about itself.

use anyhow::{Result, bail};

use crate::codegen::{self, Mode};
use crate::report::Report;
use crate::tidy;
use crate::workspace::Workspace;

pub mod licenses;
mod spdx;

/// Runs all checks.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut report = Report::new("check");
    report.step("tidy", "cargo test --package xtask --test tidy", || {
        let findings = tidy::findings(workspace)?;
        if !findings.is_empty() {
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            bail!("{}", lines.join("\n"));
        }
        let (names, tests) = tidy::figures(workspace)?;
        let lengths = tidy::sentence_lengths(workspace)?;
        Ok(format!("walls and file rules hold; {names}; {tests}; {lengths}"))
    });
    report.step("licences", "cargo xtask check", || licenses::check(workspace));
    codegen::steps(workspace, Mode::Check, &mut report);
    report.finish()
}
