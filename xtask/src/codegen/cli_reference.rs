//! `docs/reference/cli.md`: the command line, from the definitions that make `--help`.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(60);

/// Makes the page by the binary itself.
pub(super) fn make(workspace: &Workspace) -> Result<String> {
    let mut command = Command::new(workspace.built("mortise"));
    Ok(process::run_ok(command.arg("help-markdown"), LIMIT)?.stdout)
}
