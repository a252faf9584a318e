//! Why a file can't be read or written.

use std::io;
use std::path::Path;

/// Why a file can't be read or written. Paths are as the caller wrote them, or absolute where no caller named one.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the variants and their fields are")]
pub enum FileError {
    #[error("`{path}` is not below a folder that may be read")]
    Denied { path: String },
    #[error("there is nothing at `{path}`")]
    NotFound { path: String },
    #[error("`{path}` is not a folder")]
    NotADirectory { path: String },
    #[error("`{path}` is {kind}, not a regular file")]
    NotRegular { path: String, kind: &'static str },
    /// The output exists and was not to be replaced.
    #[error("`{path}` exists already")]
    Exists { path: String },
    #[error("`{path}` was moved or replaced while it was written")]
    Replaced { path: String },
    /// The name of an output that is not a plain relative path.
    #[error("`{name}` is not a name for a file below the output folder")]
    BadOutputName { name: String },
    /// No root was given, and the working directory is the file system's root or the home folder.
    #[error("the working directory `{path}` is {kind}, which is too wide to be a root")]
    TooWide { path: String, kind: &'static str },
    /// A link where a folder or a file of ours belongs.
    #[error("`{path}` is a link, and may lead anywhere")]
    Linked { path: String },
    /// The system refused.
    #[error("cannot {action} `{path}`")]
    Io {
        action: &'static str,
        path: String,
        #[source]
        source: io::Error,
    },
}

impl FileError {
    pub(crate) fn io(action: &'static str, path: impl Into<String>, source: io::Error) -> Self {
        Self::Io { action, path: path.into(), source }
    }

    pub(super) fn denied(path: &Path) -> Self {
        Self::Denied { path: path.to_string_lossy().into_owned() }
    }

    /// The same fault under the path that a caller wrote. A link was swapped in after the path was resolved.
    pub(super) fn of_caller(self, raw: &str) -> Self {
        let path = raw.to_owned();
        match self {
            Self::Linked { .. } => Self::Denied { path },
            Self::NotFound { .. } => Self::NotFound { path },
            Self::NotRegular { kind, .. } => Self::NotRegular { path, kind },
            Self::Io { action, source, .. } => Self::Io { action, path, source },
            other => other,
        }
    }
}
