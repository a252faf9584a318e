//! Replacing a file of the user as a whole: the old text or the new one, never half of it.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use mortise_client::bounded_file;

use crate::limits;

/// A file with its text before and after an edit. Nothing is written until [`SavedFile::save`].
///
/// It is not `Debug`: the texts may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct SavedFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its text now; `None` where there is no file.
    pub before: Option<String>,
    /// Its text after the edit. An empty one removes the file: programs that read JSON fail on an empty file.
    pub after: String,
}

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// Another program has changed the file since it was read.
    #[error("`{}` has changed in the meantime", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

impl SavedFile {
    /// Writes the new text in place of the old one. The mode stays; a new file is the user's alone, since it may come to
    /// hold secrets. A link stays a link.
    pub fn save(&self) -> Result<(), SaveError> {
        let failed = |source| SaveError::Write { path: self.path.clone(), source };
        let target = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let now = match bounded_file::read(&target, limits::IMPORT_BYTES as u64) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if now != self.before {
            return Err(SaveError::Changed { path: self.path.clone() });
        }
        match (self.after.is_empty(), &now) {
            (false, _) => replace(&target, &self.after),
            (true, Some(_)) => fs::remove_file(&target),
            (true, None) => Ok(()),
        }
        .map_err(failed)
    }
}

/// Writes a file beside `target` and renames it.
fn replace(target: &Path, text: &str) -> io::Result<()> {
    let directory = target.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mode = match fs::metadata(target) {
        Ok(metadata) => metadata.permissions().mode() & 0o7777,
        Err(_) => 0o600,
    };
    let mut temporary = tempfile::Builder::new().prefix(".mortise-").suffix(".tmp").tempfile_in(directory)?;
    temporary.write_all(text.as_bytes())?;
    temporary.as_file().set_permissions(Permissions::from_mode(mode))?;
    temporary.as_file().sync_all()?;
    temporary.persist(target)?;
    Ok(())
}

#[cfg(test)]
mod tests;
