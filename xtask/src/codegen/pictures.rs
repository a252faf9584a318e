//! `docs/pictures/`: what a terminal shows, drawn by tests of the binary that have one.

use std::time::Duration;

use anyhow::Result;

use super::Mode;
use crate::process;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(2400);

/// Runs the tests that draw the pictures; they write them, or compare.
pub(super) fn make(workspace: &Workspace, mode: Mode) -> Result<String> {
    let mut command = workspace.cargo("test");
    // Together with this crate, so that dependencies have the features of the workspace and are not built anew.
    command.args(["--locked", "--quiet", "--package", "mortise", "--package", "xtask", "--test", "it"]);
    command.args(["--", "pictures::"]);
    let said = match mode {
        Mode::Write => {
            command.env("MORTISE_PICTURES", "write");
            "written"
        }
        Mode::Check => "up to date",
    };
    process::run_ok(&mut command, LIMIT)?;
    Ok(said.to_owned())
}
