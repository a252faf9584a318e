//! Reading configuration files under bounds.

use std::io;
use std::path::PathBuf;

use mortise_client::ContentHash;
use mortise_client::bounded_file;

/// One file that was read.
#[derive(Clone)]
pub(crate) struct Source {
    /// As the user would name it.
    pub(crate) shown: PathBuf,
    /// Where it lies.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Which kinds of file may be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Regular files only: the user did not name the file, so a pipe or device in its place is a trap.
    Regular,
    /// Pipes too: the user named it.
    Any,
}

impl Source {
    /// Reads at most `limit` bytes of UTF-8.
    pub(crate) fn read(shown: PathBuf, path: PathBuf, kinds: Kinds, limit: usize) -> io::Result<Self> {
        let text = match kinds {
            Kinds::Regular => bounded_file::read(&path, limit as u64)?,
            Kinds::Any => bounded_file::read_named(&path, limit as u64)?,
        };
        Ok(Self { shown, path, text })
    }

    pub(crate) fn hash(&self) -> ContentHash {
        ContentHash::of(self.text.as_bytes())
    }
}
