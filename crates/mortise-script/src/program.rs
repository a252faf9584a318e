//! One program, and what it is given.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::history::{RunHistory, RunRecorder};
use crate::limits::Limits;
use crate::names::ToolNames;

/// One program to run.
#[derive(Default)]
pub struct Program {
    /// Python source.
    pub source: String,
    /// What follows the program's name in `sys.argv`.
    pub arguments: Vec<String>,
    /// Names under which tools can be called.
    pub tools: ToolNames,
    /// Names that exist and are blocked: calling one says so.
    pub blocked: ToolNames,
    /// Files the program can read, none by default.
    pub files: Vec<MountedFile>,
    /// What it may use.
    pub limits: Limits,
    /// On whose behalf it runs: waiting programs of different owners take turns.
    pub owner: String,
    /// Where it waits with its first call, if it may not make any yet.
    pub gate: Option<Gate>,
    /// Receives what the run depends on, so that it can be repeated.
    pub recorder: Option<Arc<dyn RunRecorder>>,
    /// The recorded run that this one repeats. Source, arguments and names come from there.
    pub history: Option<RunHistory>,
}

impl Program {
    /// A program with no arguments, tools or files, under the default limits.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), ..Self::default() }
    }
}

/// Holds a program back from its first tool call. Cloning it shares it.
///
/// A program does nothing that anybody else can notice before it calls a tool, so it can start while it is not yet
/// settled whether it may run. Its monotonic clock stands still while it waits here, and so do all timeouts by it.
#[derive(Clone, Debug, Default)]
pub struct Gate(CancellationToken);

impl Gate {
    /// Lets the program go on.
    pub fn open(&self) {
        self.0.cancel();
    }

    /// Whether the program may go on.
    pub fn is_open(&self) -> bool {
        self.0.is_cancelled()
    }

    pub(crate) async fn opened(&self) {
        self.0.cancelled().await;
    }
}

/// One file that a program can read and not change.
///
/// The host opens it; the program never names a path of the host.
#[derive(Debug)]
pub struct MountedFile {
    pub(crate) path: String,
    pub(crate) content: FileContent,
}

/// Where the bytes of a mounted file come from.
#[derive(Clone)]
pub(crate) enum FileContent {
    Static(&'static [u8]),
    Bytes(Arc<[u8]>),
    /// An open file and its length when it was mounted.
    File(Arc<File>, u64),
}

/// Why a file can't be mounted.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    /// The path inside the program is not usable.
    #[error("`{path}` is not a path for a mounted file: it must be made of plain names")]
    BadPath {
        /// The path as given.
        path: String,
    },
    /// The file can't be opened or is not a regular file.
    #[error("cannot mount `{path}`")]
    Unreadable {
        /// The host's path.
        path: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

impl MountedFile {
    /// A file with this content at `path`, which is absolute or relative to the program's directory `/`.
    pub fn bytes(path: &str, content: impl Into<Arc<[u8]>>) -> Result<Self, MountError> {
        Ok(Self { path: guest_path(path)?, content: FileContent::Bytes(content.into()) })
    }

    /// How long it is.
    pub fn bytes_long(&self) -> u64 {
        self.content.len()
    }

    /// All its bytes.
    ///
    /// # Errors
    ///
    /// When the file can't be read any more.
    pub fn read_all(&self) -> std::io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.content.len()).unwrap_or(usize::MAX)];
        let mut read = 0;
        while read < bytes.len() {
            match self.content.read_at(read as u64, &mut bytes[read..])? {
                0 => break,
                more => read += more,
            }
        }
        bytes.truncate(read);
        Ok(bytes)
    }

    /// The host's regular file `source`, opened now, at `path` inside the program.
    pub fn open(path: &str, source: &Path) -> Result<Self, MountError> {
        let unreadable = |source_error| MountError::Unreadable {
            path: source.display().to_string(),
            source: source_error,
        };
        let path = guest_path(path)?;
        let metadata = std::fs::metadata(source).map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(unreadable(std::io::Error::other("not a regular file")));
        }
        let file = File::open(source).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        Ok(Self { path, content: FileContent::File(Arc::new(file), length) })
    }

    /// An open regular file of the host at `path` inside the program, whatever its own name has become.
    pub fn opened(path: &str, file: File) -> Result<Self, MountError> {
        let unreadable = |source| MountError::Unreadable { path: path.to_owned(), source };
        let metadata = file.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(unreadable(std::io::Error::other("not a regular file")));
        }
        Ok(Self { path: guest_path(path)?, content: FileContent::File(Arc::new(file), metadata.len()) })
    }

    /// Where the program finds it.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// `a/b.csv` and `/a/b.csv` both become `/a/b.csv`; `..`, `.`, empty parts and control characters are refused,
/// and so are the directories that the interpreter reads itself.
fn guest_path(path: &str) -> Result<String, MountError> {
    let bad = || MountError::BadPath { path: path.to_owned() };
    let inner = path.strip_prefix('/').unwrap_or(path);
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.chars().any(char::is_control);
    if path.len() > 1024 || !inner.split('/').all(plain) || inner == "usr" || inner.starts_with("usr/") {
        return Err(bad());
    }
    Ok(format!("/{inner}"))
}

impl fmt::Debug for Program {
    /// Sizes only: the source, the arguments and the files may hold what belongs in no log.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Program")
            .field("source_bytes", &self.source.len())
            .field("arguments", &self.arguments.len())
            .field("files", &self.files.len())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for FileContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "FileContent({} bytes)", self.len())
    }
}

impl FileContent {
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Static(bytes) => bytes.len() as u64,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File(_, length) => *length,
        }
    }

    /// Reads into `buffer` from `offset`; fewer bytes than asked for only at the end.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Static(bytes) => Ok(copy_from(bytes, offset, buffer)),
            Self::Bytes(bytes) => Ok(copy_from(bytes, offset, buffer)),
            Self::File(file, length) => {
                let rest = usize::try_from(length.saturating_sub(offset)).unwrap_or(usize::MAX);
                let wanted = buffer.len().min(rest);
                read_file_at(file, offset, &mut buffer[..wanted])
            }
        }
    }
}

fn copy_from(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let count = buffer.len().min(bytes.len() - start);
    buffer[..count].copy_from_slice(&bytes[start..start + count]);
    count
}

#[cfg(unix)]
fn read_file_at(file: &File, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_file_at(file: &File, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

#[cfg(test)]
mod tests;
