//! A regular file that is open for reading.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use tokio_util::sync::CancellationToken;

use super::FileError;
use super::folder::Folder;

/// An open regular file.
#[derive(Debug)]
pub struct DataFile {
    file: File,
    size: u64,
    modified: Option<SystemTime>,
    shown: String,
    path: PathBuf,
    stop: CancellationToken,
}

impl DataFile {
    pub(super) fn new(
        (file, metadata): (File, Metadata),
        shown: String,
        path: PathBuf,
        stop: CancellationToken,
    ) -> Self {
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        Self { file, size: metadata.len(), modified, shown, path, stop }
    }

    /// The path that callers see.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The resolved path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When it was last written, if the system knows.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// The file itself, for readers that want one.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Fires when the caller no longer waits for what is read.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// A reader with a position of its own, at the start of the file.
    pub(crate) fn again(&self) -> Result<FileCursor, FileError> {
        let file = self.file.try_clone().map_err(|error| FileError::io("read", &self.shown, error))?;
        Ok(FileCursor { file: Arc::new(file), at: 0 })
    }
}

/// Reads a file from a position of its own. The handles that the system duplicates share theirs, so that two readers of
/// one file, such as the two sides of a join, would take rows from each other.
#[derive(Clone, Debug)]
pub(crate) struct FileCursor {
    file: Arc<File>,
    at: u64,
}

impl FileCursor {
    /// A reader of the same file from `at` on.
    pub(crate) fn starting_at(&self, at: u64) -> Self {
        Self { file: self.file.clone(), at }
    }

    /// Bytes of the file now.
    pub(crate) fn length(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }
}

impl Read for FileCursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Read for DataFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// Opens the file at a resolved path. A link that was put on the way meanwhile is not followed.
pub(super) fn open_regular(root: &Path, path: &Path, raw: &str) -> Result<(File, Metadata), FileError> {
    let (Some(parent), Some(name)) = (path.parent().filter(|_| path != root), path.file_name()) else {
        return Err(FileError::NotRegular { path: raw.to_owned(), kind: "a folder" });
    };
    let folder = Folder::open(root, parent).map_err(|error| error.of_caller(raw))?;
    let folder = folder.ok_or_else(|| FileError::NotFound { path: raw.to_owned() })?;
    folder.regular_file(name).map_err(|error| error.of_caller(raw))
}
