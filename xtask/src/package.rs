//! `cargo xtask package`: the libraries for other people's programs as the registry would get them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};

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
        forget_archives(&cargo_home()?)?;
        let mut command = workspace.cargo("package");
        command.args(["--locked", "--allow-dirty"]);
        PUBLISHED.iter().for_each(|name| _ = command.args(["--package", name]));
        process::run_ok(&mut command, LIMIT)?;
        Ok(format!("{} crates build from their archives", PUBLISHED.len()))
    });
    report.finish()
}

fn cargo_home() -> Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).context("there is no home directory")
}

/// Removes what Cargo unpacked of our archives the last time.
///
/// `cargo package` reads the archives from a registry of its own, below the target directory. What it unpacked from
/// there stays in Cargo's home and is taken again for the same version, whatever the archive holds by now. The folder
/// of a registry without a host begins with a dash.
fn forget_archives(home: &Path) -> Result<()> {
    for folder in ["registry/src", "registry/cache"].map(|folder| home.join(folder)) {
        let Ok(registries) = fs::read_dir(&folder) else { continue };
        let local =
            registries.flatten().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"-"));
        for entry in local.flat_map(|registry| fs::read_dir(registry.path())).flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !PUBLISHED.iter().any(|ours| name.starts_with(&format!("{ours}-"))) {
                continue;
            }
            let removed = match entry.file_type()?.is_dir() {
                true => fs::remove_dir_all(entry.path()),
                false => fs::remove_file(entry.path()),
            };
            removed.with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    Ok(())
}
