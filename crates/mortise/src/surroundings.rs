//! The one place that reads the process's environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use mortise_client::environment::Environment;

use crate::servers;

/// The first argument of a mortise that is started as a warden.
const WARDEN: &str = "warden";

/// Whether another mortise has started this one as a warden. It is not a command for users, who have no socket for it.
pub(crate) fn is_warden() -> bool {
    use rustix::fs::{FileType, fstat};

    let is_asked = std::env::args_os().nth(1).is_some_and(|word| word == WARDEN);
    is_asked
        && fstat(std::io::stdin()).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Socket)
}

/// Reads variables, the working directory and where our files belong.
pub(crate) fn read() -> Environment {
    Environment {
        working_directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        executable: std::env::current_exe().ok(),
        samples: servers::samples_by_name(),
        warden: own_program().map(|program| vec![program.into(), WARDEN.into()]).unwrap_or_default(),
        ..from_variables(std::env::vars_os().collect())
    }
}

/// The program that runs now. On Linux this path leads to it even after the file was replaced by another version.
fn own_program() -> Option<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Some(running) } else { std::env::current_exe().ok() }
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
        variables,
        ..Environment::default()
    }
}

#[cfg(test)]
mod tests;
