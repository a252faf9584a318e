//! `docs/reference/cli.md`: the command line, from the definitions that make `--help`.

use std::time::Duration;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(1800);

/// Makes the page by the binary itself.
pub(super) fn make(workspace: &Workspace) -> Result<String> {
    let mut command = workspace.cargo("run");
    command.args(["--quiet", "--locked", "--package", "mortise", "--", "help-markdown"]);
    Ok(process::run_ok(&mut command, LIMIT)?.stdout)
}
