//! The one place that reads the process's environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use mortise_upstream::environment::Environment;

/// Reads variables, the working directory and where our files belong.
pub(crate) fn read() -> Environment {
    Environment {
        working_directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        executable: std::env::current_exe().ok(),
        ..from_variables(std::env::vars_os().collect())
    }
}

/// Directories by the XDG rules, on macOS too, as command line programs do there.
///
/// Written out because it is three variables and one rule; a crate for it would be larger than this.
fn from_variables(variables: BTreeMap<OsString, OsString>) -> Environment {
    let absolute = |name: &str| {
        // The XDG specification: a relative path is invalid and ignored.
        variables.get(OsStr::new(name)).map(PathBuf::from).filter(|path| path.is_absolute())
    };
    let home = absolute("HOME").or_else(|| absolute("USERPROFILE"));
    let directory = |name: &str, below_home: &str| {
        let base = absolute(name).or_else(|| home.as_ref().map(|home| home.join(below_home)));
        base.map(|base| base.join("mortise"))
    };
    Environment {
        config_directory: directory("XDG_CONFIG_HOME", ".config"),
        state_directory: directory("XDG_STATE_HOME", ".local/state"),
        cache_directory: directory("XDG_CACHE_HOME", ".cache"),
        home: home.clone(),
        working_directory: PathBuf::new(),
        executable: None,
        variables,
    }
}

#[cfg(test)]
mod tests;
