//! Opening a regular file below a folder without following any link.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use super::FileError;

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
        file: File,
        metadata: &Metadata,
        shown: String,
        path: PathBuf,
        stop: CancellationToken,
    ) -> Self {
        Self { file, size: metadata.len(), modified: metadata.modified().ok(), shown, path, stop }
    }

    /// How the file is told to callers.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Where it lies, resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When it was last written, if the system tells.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// The file itself, for readers that want one.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Fires when nobody waits for what is read any more.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// The same file, to be read from its start again; the two share one position.
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

#[cfg(unix)]
pub(super) fn open(root: &Path, below: &Path, raw: &str) -> Result<(File, Metadata), FileError> {
    use rustix::fs::{CWD, Mode, OFlags, openat};

    let refused = |error: rustix::io::Errno| match error {
        // A link where the resolved path had none: it was swapped.
        rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR => FileError::Denied { path: raw.to_owned() },
        rustix::io::Errno::NOENT => FileError::NotFound { path: raw.to_owned() },
        error => FileError::io("open", raw, error.into()),
    };
    let folder_flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A pipe would wait for its writer, a terminal would become ours.
    let file_flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, root, folder_flags, Mode::empty()).map_err(refused)?;
    let mut names: Vec<_> = below.components().collect();
    let Some(last) = names.pop() else {
        return Err(FileError::NotRegular { path: raw.to_owned(), kind: "a folder" });
    };
    for name in names {
        folder = openat(&folder, name.as_os_str(), folder_flags, Mode::empty()).map_err(refused)?;
    }
    let file = openat(&folder, last.as_os_str(), file_flags, Mode::empty()).map_err(|error| match error {
        // A socket.
        rustix::io::Errno::NXIO => FileError::NotRegular { path: raw.to_owned(), kind: "a socket" },
        error => refused(error),
    })?;
    checked(File::from(file), raw)
}

#[cfg(not(unix))]
pub(super) fn open(root: &Path, below: &Path, raw: &str) -> Result<(File, Metadata), FileError> {
    let file = File::open(root.join(below)).map_err(|error| FileError::io("open", raw, error))?;
    checked(file, raw)
}

fn checked(file: File, raw: &str) -> Result<(File, Metadata), FileError> {
    let metadata = file.metadata().map_err(|error| FileError::io("look at", raw, error))?;
    match metadata.is_file() {
        true => Ok((file, metadata)),
        false => Err(FileError::NotRegular { path: raw.to_owned(), kind: kind(&metadata) }),
    }
}

#[cfg(unix)]
fn kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;

    let kind = metadata.file_type();
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a device" }
}
