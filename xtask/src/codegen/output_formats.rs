//! `docs/reference/output-formats.md`: the four formats, their rules, the codes of errors, and what wizards return.

mod calls;
mod layout;
mod redact;
mod results;

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::process;
use crate::workspace::Workspace;

const LIMIT: Duration = Duration::from_secs(120);
const PAGE: &str = include_str!("output_formats/page.md");

/// Makes the page from what the binary says and does.
pub(super) fn make(workspace: &Workspace) -> Result<String> {
    ensure!(
        PAGE.contains("{{results}}") && PAGE.contains("{{codes}}"),
        "the page has no place for what is generated"
    );
    let (codes, results) = (codes(workspace)?, results::sections(workspace)?);
    Ok(PAGE.replace("{{codes}}", codes.trim_end()).replace("{{results}}", results.trim_end()))
}

/// The table of error codes, from the schema that the binary prints.
fn codes(workspace: &Workspace) -> Result<String> {
    let mut command = Command::new(workspace.built("mortise"));
    let printed = process::run_ok(command.args(["schema", "error-body"]), LIMIT)?.stdout;
    let schema: Value = serde_json::from_str(&printed)?;
    let mut table = "| code | raised when |\n| --- | --- |\n".to_owned();
    for name in ["error_code", "subcode"] {
        let listed =
            schema.pointer(&format!("/$defs/error/properties/{name}/oneOf")).and_then(Value::as_array);
        for code in listed.context("the schema lists no codes")? {
            let text = |key: &str| code.get(key).and_then(Value::as_str).unwrap_or_default();
            let mark = if name == "subcode" { " (subcode)" } else { "" };
            writeln!(table, "| `{}`{mark} | {} |", text("const"), text("description"))?;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests;
