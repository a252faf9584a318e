//! Small files in the state directory that only the user may read.
//!
//! Directories are 0700 and files 0600. A write goes to a temporary file that is renamed over the old one, so a reader
//! sees the old content or the new one, never half of it. Writers take a lock beside the file.
//!
//! If a user other than root owns a file or its directory, or can write to one of them, nothing is read or written
//! there.

mod ownership;

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub(crate) use self::ownership::check_directory;
use self::ownership::{refuse_readable, refuse_writable};
use crate::bounded_file;

/// Bytes of one private file.
pub(crate) const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// How often and how long apart a lock is tried: writers hold it for a moment, so two seconds are plenty.
const LOCK_ATTEMPTS: u32 = 200;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Why a private file can't be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum PrivateFileError {
    /// The operating system refuses.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// `read`, `write`, `lock`, `create` or `remove`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file is larger than anything we write.
    #[error("`{}` is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    /// A directory, pipe or device, whose content may block or never end.
    #[error("`{}` is not a regular file", path.display())]
    NotRegular {
        /// What was named.
        path: PathBuf,
    },
    /// Other users can write the file, or replace the files of the directory, so what they hold proves nothing.
    #[error("`{}` can be written by other users (mode {mode:o})", path.display())]
    Exposed {
        /// The file or directory.
        path: PathBuf,
        mode: u32,
    },
    /// Other users can read the file, so what it holds is not secret.
    #[error("`{}` can be read by other users (mode {mode:o})", path.display())]
    Readable { path: PathBuf, mode: u32 },
    /// Another user than root owns the file or directory, and can change it at will.
    #[error("`{}` belongs to another user (uid {owner})", path.display())]
    Foreign {
        /// The file or directory, or the link that stands for it.
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
        /// The user id that we run under.
        user: u32,
    },
}

impl PrivateFileError {
    /// What the reader can do now.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Exposed { path, .. } => {
                format!("make sure that others did not change it, then run `chmod go-w {}`", path.display())
            }
            Self::Readable { path, .. } => {
                format!("others may know what it holds: replace it, then run `chmod 600 {}`", path.display())
            }
            Self::Foreign { path, user, .. } => format!(
                "remove it, or run `chown -h {user} {}` if you know that all in it is yours",
                path.display()
            ),
            Self::Io { .. } | Self::TooLarge { .. } | Self::NotRegular { .. } => return None,
        })
    }
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> PrivateFileError + 'a {
    move |source| PrivateFileError::Io { action, path: path.to_path_buf(), source }
}

/// The text of a file that only its owner may change; `None` where there is none.
///
/// # Errors
///
/// When it can't be read, is not a regular file, or other users can write it or its directory.
pub fn read(path: &Path) -> Result<Option<String>, PrivateFileError> {
    check_directory_of(path)?;
    read_unless(path, refuse_writable)
}

/// The text of a file that only its owner may read or change; `None` where there is none.
///
/// # Errors
///
/// When it can't be read, is not a regular file, or other users can read or write it or write its directory.
pub fn read_secret(path: &Path) -> Result<Option<String>, PrivateFileError> {
    check_directory_of(path)?;
    read_unless(path, refuse_readable)
}

/// The text of a secret file that the user named, in whatever directory; `None` where there is none.
///
/// # Errors
///
/// When it can't be read, is not a regular file, or other users can read or write it.
pub fn read_named_secret(path: &Path) -> Result<Option<String>, PrivateFileError> {
    read_unless(path, refuse_readable)
}

fn read_unless(
    path: &Path,
    refuse: fn(&Path, &Metadata) -> Result<(), PrivateFileError>,
) -> Result<Option<String>, PrivateFileError> {
    let file = match bounded_file::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(PrivateFileError::NotRegular { path: path.to_path_buf() });
        }
        Err(error) => return Err(failed("read", path)(error)),
    };
    let metadata = file.metadata().map_err(failed("read", path))?;
    refuse(path, &metadata)?;
    match bounded_file::read_open(file, MAX_BYTES) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(PrivateFileError::TooLarge { path: path.to_path_buf(), limit: MAX_BYTES })
        }
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Replaces the file as a whole. Only the user may read it, or enter the directories made for it.
///
/// # Errors
///
/// When the directory can't be made, other users can write it, or the file can't be written; the old file is then as
/// it was.
pub fn write(path: &Path, text: &str) -> Result<(), PrivateFileError> {
    create_directory(path)?;
    replace(path, text).map_err(failed("write", path))
}

/// Writes a file beside `path` that only the user may read, and renames it. On failure nothing is left of it.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut temporary = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").tempfile_in(directory)?;
    temporary.write_all(text.as_bytes())?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

fn check_directory_of(path: &Path) -> Result<(), PrivateFileError> {
    path.parent().map_or(Ok(()), check_directory)
}

/// Removes the file; says whether there was one.
pub(crate) fn remove(path: &Path) -> Result<bool, PrivateFileError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("remove", path)(error)),
    }
}

/// Removes the oldest files beside `path` where there are more than `count`; `path` itself stays. One that can't be
/// removed takes space and nothing else.
pub(crate) fn keep_newest(path: &Path, count: usize) {
    let Some(Ok(mut files)) = path.parent().map(files_by_age) else { return };
    let spare = files.len().saturating_sub(count);
    for (_, file) in files.drain(..spare).filter(|(_, file)| file != path) {
        let _ = fs::remove_file(file);
    }
}

/// The files of a directory, the oldest first.
fn files_by_age(directory: &Path) -> io::Result<Vec<(SystemTime, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() {
            files.push((metadata.modified()?, entry.path()));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Keeps other writers of the same file out until it is dropped.
///
/// # Errors
///
/// When the lock can't be made, or another writer holds it for more than two seconds.
pub fn lock(path: &Path) -> Result<File, PrivateFileError> {
    for _ in 0..LOCK_ATTEMPTS {
        match try_lock(path)? {
            Some(lock) => return Ok(lock),
            None => std::thread::sleep(LOCK_PAUSE),
        }
    }
    Err(failed("lock", path)(io::ErrorKind::TimedOut.into()))
}

/// [`lock`] without waiting: `None` while another writer holds it.
pub(crate) fn try_lock(path: &Path) -> Result<Option<File>, PrivateFileError> {
    create_directory(path)?;
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let lock_path = PathBuf::from(name);
    let file = private_options().create(true).open(&lock_path).map_err(failed("lock", &lock_path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed("lock", &lock_path)(error)),
    }
}

fn create_directory(path: &Path) -> Result<(), PrivateFileError> {
    let Some(directory) = path.parent() else { return Ok(()) };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory).map_err(failed("create", directory))?;
    check_directory(directory)
}

fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(test)]
mod tests;
