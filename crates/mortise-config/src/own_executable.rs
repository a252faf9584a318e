//! The guard against starting ourselves.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;
use mortise_client::server_config::StdioConfig;

/// Subcommands that serve and never read a configuration, so that no loop can come of them.
const LEAVES: [&str; 2] = ["sample", "mock"];

/// Whether an entry would start our own executable, through `PATH`, links and all.
///
/// The built-in sample and mock servers are exempt: they start nothing.
pub(super) fn is_own(stdio: &StdioConfig, environment: &Environment) -> bool {
    let Some(own) = &environment.executable else { return false };
    // `serve sample` is the new name of `sample`.
    let words = stdio.args.strip_prefix(&["serve".to_owned()][..]).unwrap_or(&stdio.args);
    if words.first().is_some_and(|first| LEAVES.contains(&first.as_str())) {
        return false;
    }
    let search_path = match stdio.env.get("PATH") {
        Some(path) => Some(OsStr::new(path.expose())),
        None => environment.variable("PATH"),
    };
    locate(&stdio.command, search_path, environment).is_some_and(|found| is_same_file(&found, own))
}

/// The file that a command means.
fn locate(command: &str, search_path: Option<&OsStr>, environment: &Environment) -> Option<PathBuf> {
    if command.contains('/') || command.contains(std::path::MAIN_SEPARATOR) {
        return Some(environment.absolute(Path::new(command)));
    }
    std::env::split_paths(search_path?)
        .map(|directory| environment.working_directory.join(directory).join(command))
        .find(|candidate| std::fs::metadata(candidate).is_ok_and(|metadata| is_executable(&metadata)))
}

fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
}

/// One file under two names: links of both kinds count.
fn is_same_file(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}
