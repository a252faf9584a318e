//! Why data can't be read, and the error that a caller gets.

use std::io;

use mortise_contract::text::error_chain;
use mortise_formats::format::{ErrorBody, ErrorCode};

use super::bounds::{COLUMNS, INFLATION, RECORD_BYTES};
use super::files::FileError;
use super::table::Oversized;

/// Why a table can't be read.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{path}` is {kind}, which is not read here")]
    Unsupported { path: String, kind: String },
    /// The content is not what it is said to be.
    #[error("`{path}` is no {format}: {reason}")]
    Mismatch { path: String, format: &'static str, reason: String },
    /// The bytes don't decode in the encoding that they seem to have.
    #[error("`{path}` can't be decoded as {encoding}, which it seems to be")]
    Undecodable {
        path: String,
        /// Its mark, or what most of its bytes are.
        encoding: String,
    },
    #[error("`{path}` has a record of more than {RECORD_BYTES} bytes after row {row}")]
    LongRecord {
        path: String,
        /// The last row that was read.
        row: u64,
    },
    #[error("`{path}` has {columns} columns, more than {COLUMNS}")]
    ManyColumns { path: String, columns: usize },
    /// A compressed file that grows and grows.
    #[error("`{path}` becomes more than {INFLATION} times larger when it is uncompressed")]
    Inflated { path: String },
    /// A Parquet file whose pages would take more memory than they may.
    #[error("`{path}` has {oversized}")]
    Oversized { path: String, oversized: Box<Oversized> },
    #[error("cannot read `{path}` after row {row}")]
    Read {
        path: String,
        /// The last row that was read.
        row: u64,
        #[source]
        source: io::Error,
    },
    #[error("canceled")]
    Canceled,
}

/// A bound that was passed below a reader, as the cause of an I/O error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PassedBound {
    #[error("the record is too long")]
    Record,
    #[error("the content is too large for its compressed size")]
    Inflated,
    #[error("canceled")]
    Canceled,
}

impl DataError {
    pub(crate) fn read(path: &str, row: u64, error: io::Error) -> Self {
        let passed = error.get_ref().and_then(|cause| cause.downcast_ref::<PassedBound>()).copied();
        let path = path.to_owned();
        match passed {
            Some(PassedBound::Record) => Self::LongRecord { path, row },
            Some(PassedBound::Inflated) => Self::Inflated { path },
            Some(PassedBound::Canceled) => Self::Canceled,
            None => Self::Read { path, row, source: error },
        }
    }
}

impl From<FileError> for ErrorBody {
    fn from(error: FileError) -> Self {
        let (code, suggestion) = match &error {
            FileError::Denied { .. } => {
                (ErrorCode::PathDenied, "name a path below the folders that were given with `--root`")
            }
            FileError::NotFound { .. } => (ErrorCode::FileNotFound, "list the files with `quick_scan`"),
            FileError::NotADirectory { .. } => {
                (ErrorCode::NotADirectory, "name the folder that the file is in")
            }
            FileError::NotRegular { .. } => (ErrorCode::FormatUnsupported, "name a regular file"),
            FileError::Exists { .. } => {
                (ErrorCode::ParamRange, "choose another output folder, or allow the file to be replaced")
            }
            FileError::Replaced { .. } => {
                (ErrorCode::Io, "see who else works in the output folder, then run it again")
            }
            FileError::BadOutputName { .. } => {
                (ErrorCode::ParamRange, "give a relative path without `..` below the output folder")
            }
            FileError::TooWide { .. } => (ErrorCode::PathDenied, "name the folder with `--root`"),
            FileError::Linked { .. } => (
                ErrorCode::PathDenied,
                "remove the link, or name the folder that it leads to when the wizards are started",
            ),
            FileError::Io { action: "write" | "make", .. } => {
                (ErrorCode::Io, "see that the output folder can be written and has room")
            }
            FileError::Io { .. } => (ErrorCode::Io, "see whether the file can be read by this user"),
        };
        Self::new(code, error_chain(&error), suggestion)
    }
}

impl From<DataError> for ErrorBody {
    fn from(error: DataError) -> Self {
        let (code, suggestion) = match error {
            DataError::File(error) => return error.into(),
            DataError::Unsupported { .. } => (
                ErrorCode::FormatUnsupported,
                "use comma or tab separated values, JSON or NDJSON, plain or with gzip, or Parquet with Snappy, \
                 Zstandard or no compression",
            ),
            DataError::Mismatch { .. } => (
                ErrorCode::FormatMismatch,
                "leave the format out, so that it is found, or look at the file with `preview_files`",
            ),
            DataError::Undecodable { .. } => {
                (ErrorCode::Encoding, "save the file as UTF-8 with the program that made it")
            }
            DataError::LongRecord { .. } => (
                ErrorCode::FormatUnsupported,
                "shorten the values; in a text file look for a quote that is never closed",
            ),
            DataError::Oversized { .. } => (
                ErrorCode::FormatUnsupported,
                "write the file again with smaller pages and fewer rows in a row group",
            ),
            DataError::ManyColumns { .. } => {
                (ErrorCode::FormatUnsupported, "name the delimiter, or use a narrower file")
            }
            DataError::Inflated { .. } => (ErrorCode::FormatUnsupported, "uncompress the file yourself"),
            DataError::Read { .. } => (ErrorCode::Io, "see whether the file is complete"),
            DataError::Canceled => (ErrorCode::Canceled, "call again"),
        };
        Self::new(code, error_chain(&error), suggestion)
    }
}
