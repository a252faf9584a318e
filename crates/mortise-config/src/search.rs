//! Which files count, and where they lie.

use std::path::{Path, PathBuf};

use mortise_client::environment::Environment;

use crate::source::Kinds;
use crate::{Config, ConfigOrigin};

/// The origin of the files: those that the user named, else the first place where one is found.
pub(super) fn origin(environment: &Environment, explicit: &[PathBuf]) -> ConfigOrigin {
    if !explicit.is_empty() {
        return ConfigOrigin::Explicit;
    }
    let is_found = |origin: &ConfigOrigin| {
        given(environment, *origin, explicit).iter().any(|path| is_there(&environment.absolute(path)))
    };
    [ConfigOrigin::Project, ConfigOrigin::User].into_iter().find(is_found).unwrap_or(ConfigOrigin::NoConfig)
}

/// The files of an origin, as the user would name them, whether or not they are there; those in `known` if there are any.
pub(super) fn given(environment: &Environment, origin: ConfigOrigin, known: &[PathBuf]) -> Vec<PathBuf> {
    if !known.is_empty() {
        return known.to_vec();
    }
    match origin {
        ConfigOrigin::Explicit => Vec::new(),
        ConfigOrigin::Project => vec![project_file(environment)],
        ConfigOrigin::User => {
            environment.config_directory.iter().map(|directory| directory.join(Config::FILE_NAME)).collect()
        }
        ConfigOrigin::NoConfig => Vec::new(),
    }
}

/// The nearest `mortise.yaml` from the working directory up to the root of its repository; without any, where it would lie.
fn project_file(environment: &Environment) -> PathBuf {
    let here = &environment.working_directory;
    let found = project_directories(environment)
        .into_iter()
        .find(|directory| is_there(&directory.join(Config::FILE_NAME)));
    match found.filter(|directory| directory != here) {
        Some(above) => above.join(Config::FILE_NAME),
        None => PathBuf::from(Config::FILE_NAME),
    }
}

/// The working directory, and those above it in the same repository.
///
/// The home directory and all above it belong to no project: a repository of somebody's settings in `~` must not make
/// `~/mortise.yaml` the file of every project. It counts only as the working directory itself.
pub(super) fn project_directories(environment: &Environment) -> Vec<&Path> {
    let here = environment.working_directory.as_path();
    let home = environment.home.as_ref().map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
    let is_home = |directory: &Path| {
        Some(directory) == home.as_deref() || Some(directory) == environment.home.as_deref()
    };
    let below_home: Vec<&Path> = here.ancestors().take_while(|directory| !is_home(directory)).collect();
    match below_home.iter().position(|directory| is_there(&directory.join(".git"))) {
        Some(root) => below_home[..=root].to_vec(),
        None => vec![here],
    }
}

/// Which kinds of file are read for the first time.
pub(super) fn kinds(origin: ConfigOrigin) -> Kinds {
    if origin == ConfigOrigin::Explicit { Kinds::Any } else { Kinds::Regular }
}

/// Where an import lies: relative paths start from the directory of the file that imports it.
pub(super) fn import(environment: &Environment, importer: &Path, wanted: &str) -> PathBuf {
    let directory = importer.parent().unwrap_or(Path::new("/"));
    directory.join(environment.without_tilde(Path::new(wanted)))
}

/// Whether anything is there: a dangling link or a directory counts as found, so that it is reported and not passed over.
pub(super) fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
