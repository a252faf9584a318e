//! What can go wrong with the database, before it is said to the executor.

use std::io;
use std::path::{Path, PathBuf};

use mortise_client::private_file::PrivateFileError;
use mortise_contract::text::error_chain;
use mortise_executor::journal::JournalError;
use rusqlite::ErrorCode;

/// Why the database can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Private(#[from] PrivateFileError),
    #[error("cannot {action} `{}`", path.display())]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("it is a database of another program; move it away")]
    OtherProgram,
    #[error(
        "another version of mortise wrote it (format {found}, this one has {}); use that version, or move the file away",
        crate::schema::VERSION
    )]
    OtherVersion { found: i64 },
    #[error("it could not be written a moment ago, and is tried again soon")]
    Waiting,
    #[error("what is kept of run `{run}` is damaged: {reason}")]
    Damaged { run: String, reason: String },
}

impl DatabaseError {
    /// Whether the file itself is broken, so that only a new one helps.
    pub(crate) fn is_corrupt(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    pub(crate) fn unwritable(&self, path: &Path) -> JournalError {
        JournalError::Unwritable { path: path.to_path_buf(), reason: self.reason() }
    }

    pub(crate) fn unreadable(&self, path: &Path) -> JournalError {
        JournalError::Unreadable { path: path.to_path_buf(), reason: self.reason() }
    }

    fn reason(&self) -> String {
        let reason = error_chain(self);
        match self {
            Self::Private(error) => match error.hint() {
                Some(hint) => format!("{reason}; {hint}"),
                None => reason,
            },
            _ => reason,
        }
    }
}

pub(crate) fn file_failed<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> DatabaseError + 'a {
    move |source| DatabaseError::File { action, path: path.to_path_buf(), source }
}
