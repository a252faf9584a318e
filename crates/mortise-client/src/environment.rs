//! What the process was started with, handed in by the binary.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::limits;
use crate::server_config::InProcess;

/// The variable that counts how many of our own processes lie above this one.
pub const MORTISE_DEPTH: &str = "MORTISE_DEPTH";

/// How deep our own processes may nest before a configuration is refused.
///
/// A tester that drives a gateway that starts a gateway is three; a wrapper
/// script that starts us again and again is a loop and ends here.
pub const MAX_DEPTH: u32 = limits::PROCESS_DEPTH;

/// Environment variables and well-known directories. Libraries never read the real ones.
///
/// `Debug` shows the names of the variables and none of their values.
#[derive(Clone, Default)]
pub struct Environment {
    /// All variables of the process.
    pub variables: BTreeMap<OsString, OsString>,
    /// The working directory.
    pub working_directory: PathBuf,
    /// Servers with invented data that are built into the program, by the name that `sample:` calls them.
    pub samples: BTreeMap<&'static str, InProcess>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Where our own executable lies, for the guard against starting ourselves.
    pub executable: Option<PathBuf>,
    /// The command of a [`warden`](crate::warden), to which a server's own command is added, e.g. `mortise warden`.
    /// Without one, processes that leave a server's group outlive it, and its group outlives us when we are killed.
    pub warden: Vec<OsString>,
    /// Where configuration is kept, e.g. `~/.config/mortise`.
    pub config_directory: Option<PathBuf>,
    /// Where state (trust, tokens) is kept, e.g. `~/.local/state/mortise`.
    pub state_directory: Option<PathBuf>,
    /// Where caches are kept, e.g. `~/.cache/mortise`.
    pub cache_directory: Option<PathBuf>,
}

impl Environment {
    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// How many of our own processes lie above this one.
    ///
    /// A value that is not a number counts as past the bound, since only mortise sets the variable.
    pub fn depth(&self) -> u32 {
        match self.variable(MORTISE_DEPTH) {
            None => 0,
            Some(value) => value.to_str().and_then(|text| text.parse().ok()).unwrap_or(u32::MAX),
        }
    }

    /// What a child carries in [`MORTISE_DEPTH`].
    pub fn child_depth(&self) -> u32 {
        self.depth().saturating_add(1)
    }

    /// `path` as seen from the working directory, a leading `~/` replaced by the home directory.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        self.working_directory.join(self.without_tilde(path))
    }

    /// `path` with a leading `~/` (or a lone `~`) replaced by the home directory, where that is known.
    pub fn without_tilde(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => path.to_path_buf(),
        }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("variables", &self.variables.keys())
            .field("working_directory", &self.working_directory)
            .field("home", &self.home)
            .field("executable", &self.executable)
            .field("warden", &self.warden)
            .field("config_directory", &self.config_directory)
            .field("state_directory", &self.state_directory)
            .field("cache_directory", &self.cache_directory)
            .finish()
    }
}

#[cfg(test)]
mod tests;
