//! `cargo xtask package`: the libraries for other people's programs as the registry would get them.

use std::time::Duration;

use anyhow::Result;

use crate::process;
use crate::report::Report;
use crate::workspace::Workspace;

/// The crates that other people's programs use, each after those that it needs.
pub const PUBLISHED: [&str; 4] = ["mortise-contract", "mortise-declare", "mortise-server", "mortise-client"];

/// Verifying builds all four from their archives.
const LIMIT: Duration = Duration::from_secs(1200);

/// Makes the archive of every published crate and builds it from there.
pub fn run(workspace: &Workspace) -> Result<()> {
    let mut report = Report::new("package");
    report.step("archives", "cargo xtask package", || {
        let mut command = workspace.cargo("package");
        command.args(["--locked", "--allow-dirty"]);
        PUBLISHED.iter().for_each(|name| _ = command.args(["--package", name]));
        process::run_ok(&mut command, LIMIT)?;
        Ok(format!("{} crates build from their archives", PUBLISHED.len()))
    });
    report.finish()
}
