//! Reading configuration files under bounds.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::trust::ContentHash;

/// One file that was read.
pub(crate) struct Source {
    /// As the user would name it.
    pub(crate) shown: PathBuf,
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) text: String,
}

/// Which kinds of file may be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Regular files only: nobody named it, so a pipe or device in its place is a trap.
    Regular,
    /// Pipes too: the user named it.
    Any,
}

impl Source {
    /// Reads at most `limit` bytes of UTF-8.
    pub(crate) fn read(shown: PathBuf, path: PathBuf, kinds: Kinds, limit: usize) -> io::Result<Self> {
        let text = read_text(&path, kinds, limit)?;
        Ok(Self { shown, path, text })
    }

    /// The hash of the content.
    pub(crate) fn hash(&self) -> ContentHash {
        ContentHash::of(self.text.as_bytes())
    }
}

/// The text of a file of at most `limit` bytes.
pub(crate) fn read_text(path: &Path, kinds: Kinds, limit: usize) -> io::Result<String> {
    if kinds == Kinds::Regular && !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than the limit of {limit} bytes"),
        ));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}
