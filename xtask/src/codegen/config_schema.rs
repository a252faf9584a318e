//! `mortise.schema.json`: the JSON Schema of the configuration, for editors.

use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(60);

/// Makes the schema by the example program that prints it.
pub(super) fn make(workspace: &Workspace) -> Result<String> {
    let mut command = Command::new(workspace.built("examples/config_schema"));
    Ok(process::run_ok(&mut command, LIMIT)?.stdout)
}
