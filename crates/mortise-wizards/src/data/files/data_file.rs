//! A regular file that is open for reading.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
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

    /// A second handle, at the start of the file; the two share one position.
    pub(crate) fn again(&self) -> Result<File, FileError> {
        let again = self.file.try_clone().and_then(|mut file| file.seek(SeekFrom::Start(0)).map(|_| file));
        again.map_err(|error| FileError::io("read", &self.shown, error))
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
