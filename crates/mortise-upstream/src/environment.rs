//! What the process was started with, handed in by the binary.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// Environment variables and well-known directories. Libraries never read the real ones.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// All variables of the process.
    pub variables: BTreeMap<OsString, OsString>,
    /// The working directory.
    pub working_directory: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Where our own executable lies, for the guard against starting ourselves.
    pub executable: Option<PathBuf>,
    /// Where configuration is kept, e.g. `~/.config/mortise`.
    pub config_directory: Option<PathBuf>,
    /// Where state (trust, tokens) is kept, e.g. `~/.local/state/mortise`.
    pub state_directory: Option<PathBuf>,
    /// Where caches are kept, e.g. `~/.cache/mortise`.
    pub cache_directory: Option<PathBuf>,
}
