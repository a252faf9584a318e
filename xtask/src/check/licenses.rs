//! Every dependency comes under a licence that `deny.toml` allows.

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

use super::spdx;
use crate::workspace::Workspace;

/// Checks all dependencies on the supported platforms, development ones included.
pub fn check(workspace: &Workspace) -> Result<String> {
    let text = std::fs::read_to_string(workspace.root().join("deny.toml")).context("reading deny.toml")?;
    let allow = allow_list(&text).context("deny.toml needs `[licenses] allow`")?;
    let metadata = workspace.full_metadata(&platforms(&text)?)?;
    let mut refused = Vec::new();
    for package in &metadata.packages {
        let license = package.license.as_deref().unwrap_or("(none)");
        if !spdx::allowed(license, &allow) {
            refused.push(format!("{} {}: {license}", package.name, package.version));
        }
    }
    if !refused.is_empty() {
        bail!("licences that `deny.toml` does not allow:\n{}", refused.join("\n"));
    }
    Ok(format!("{} packages under allowed licences", metadata.packages.len()))
}

/// The targets that `deny.toml` lists: the platforms we build for.
pub fn platforms(deny: &str) -> Result<Vec<String>> {
    let table: Table = deny.parse().context("deny.toml is not TOML")?;
    strings(table.get("graph").and_then(|graph| graph.get("targets")))
        .context("deny.toml needs `[graph] targets`")
}

fn allow_list(deny: &str) -> Option<Vec<String>> {
    let table: Table = deny.parse().ok()?;
    strings(table.get("licenses")?.get("allow"))
}

fn strings(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}
