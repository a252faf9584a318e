//! Writes typed rows as a table: a Parquet file, a table of an SQLite database, a CSV file.

mod parquet;
mod sqlite;
mod text;

use std::fs::File;
use std::path::Path;

use crate::data::data_type::Column;
use crate::parsers::check::TypedBatch;
use crate::parsers::plan::SinkKind;

/// Why a table can't be written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file system refuses.
    #[error("cannot write the table")]
    Io(#[from] std::io::Error),
    /// The Parquet writer refuses.
    #[error("cannot write Parquet")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The columns do not fit together: our own bug.
    #[error("the columns do not fit together")]
    Arrow(#[from] arrow_schema::ArrowError),
    /// The file that a database was opened by its path is another one.
    #[error("another file was put in the place of the table")]
    Replaced,
    /// The database refuses.
    #[error("cannot write the database")]
    Sqlite(#[from] rusqlite::Error),
    /// The CSV writer refuses.
    #[error("cannot write CSV")]
    Csv(#[from] csv::Error),
}

/// A table in the making. What is written appears in the file at the latest when it is finished.
pub struct TableWriter(Kind);

enum Kind {
    Parquet(parquet::Writer),
    Sqlite(sqlite::Writer),
    Csv(text::Writer),
}

impl TableWriter {
    /// Begins a table with these columns in an empty file. A database opens it again by its `path`, and has the table
    /// under `name`.
    ///
    /// # Errors
    ///
    /// When the file can't be written, or is not the one at the path.
    pub fn create(
        kind: SinkKind,
        file: File,
        path: &Path,
        name: &str,
        columns: &[Column],
    ) -> Result<Self, TableError> {
        Ok(Self(match kind {
            SinkKind::Parquet => Kind::Parquet(parquet::Writer::create(file, columns)?),
            SinkKind::Sqlite => Kind::Sqlite(sqlite::Writer::create(file, path, name, columns)?),
            SinkKind::Csv => Kind::Csv(text::Writer::create(file, columns)?),
        }))
    }

    /// Adds rows, which must have the table's columns.
    ///
    /// # Errors
    ///
    /// When they can't be written.
    pub(crate) fn write(&mut self, batch: &TypedBatch) -> Result<(), TableError> {
        match &mut self.0 {
            Kind::Parquet(writer) => writer.write(batch),
            Kind::Sqlite(writer) => writer.write(batch),
            Kind::Csv(writer) => writer.write(batch),
        }
    }

    /// Ends the table.
    ///
    /// # Errors
    ///
    /// When the rest can't be written.
    pub fn finish(self) -> Result<(), TableError> {
        match self.0 {
            Kind::Parquet(writer) => writer.finish(),
            Kind::Sqlite(writer) => writer.finish(),
            Kind::Csv(writer) => writer.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
