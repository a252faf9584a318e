//! Which files count, and where they lie.

use std::path::{Path, PathBuf};

use super::source::Kinds;
use super::{Config, Environment, Origin};

/// Who names the files: the user, or else the place where one is found first.
pub(super) fn origin(environment: &Environment, explicit: &[PathBuf]) -> Origin {
    if !explicit.is_empty() {
        return Origin::Explicit;
    }
    let is_found = |origin: &Origin| {
        given(environment, *origin, explicit).iter().any(|path| is_there(&environment.absolute(path)))
    };
    [Origin::Project, Origin::User].into_iter().find(is_found).unwrap_or(Origin::NoConfig)
}

/// The files of an origin, as the user would name them, whether or not they are there.
pub(super) fn given(environment: &Environment, origin: Origin, explicit: &[PathBuf]) -> Vec<PathBuf> {
    match origin {
        Origin::Explicit => explicit.to_vec(),
        Origin::Project => vec![PathBuf::from(Config::FILE_NAME)],
        Origin::User => {
            environment.config_directory.iter().map(|directory| directory.join(Config::FILE_NAME)).collect()
        }
        Origin::NoConfig => Vec::new(),
    }
}

/// Which kinds of file are read for the first time.
pub(super) fn kinds(origin: Origin) -> Kinds {
    if origin == Origin::Explicit { Kinds::Any } else { Kinds::Regular }
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
