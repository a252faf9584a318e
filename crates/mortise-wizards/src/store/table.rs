//! Writes typed rows as a table: a Parquet file, a table of an SQLite database, a CSV file.

mod csv_file;
mod parquet;
mod sqlite;

use std::fs::File;
use std::path::Path;

use self::csv_file::CsvTableWriter;
use self::parquet::ParquetTableWriter;
use self::sqlite::SqliteTableWriter;
use crate::data::data_type::Column;
use crate::parsers::check::TypedBatch;
use crate::parsers::plan::SinkKind;

#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    #[error("cannot write the table")]
    Io(#[from] std::io::Error),
    #[error("cannot write Parquet")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The file that a database was opened by its path is another one.
    #[error("another file was put in the place of the table")]
    Replaced,
    #[error("cannot write the database")]
    Sqlite(#[from] rusqlite::Error),
    #[error("cannot write CSV")]
    Csv(#[from] csv::Error),
}

/// A table in the making. What is written appears in the file at the latest when it is finished.
pub(crate) struct TableWriter(TableSink);

enum TableSink {
    Parquet(ParquetTableWriter),
    Sqlite(SqliteTableWriter),
    Csv(CsvTableWriter),
}

impl TableWriter {
    /// Begins a table with these columns in an empty file. A database opens it again by its `path`, and has the table
    /// under `name`.
    pub(crate) fn create(
        kind: SinkKind,
        file: File,
        path: &Path,
        name: &str,
        columns: &[Column],
    ) -> Result<Self, TableError> {
        Ok(Self(match kind {
            SinkKind::Parquet => TableSink::Parquet(ParquetTableWriter::create(file, columns)?),
            SinkKind::Sqlite => TableSink::Sqlite(SqliteTableWriter::create(file, path, name, columns)?),
            SinkKind::Csv => TableSink::Csv(CsvTableWriter::create(file, columns)?),
        }))
    }

    /// Adds rows, which must have the table's columns.
    pub(crate) fn write(&mut self, batch: &TypedBatch) -> Result<(), TableError> {
        match &mut self.0 {
            TableSink::Parquet(writer) => writer.write(batch),
            TableSink::Sqlite(writer) => writer.write(batch),
            TableSink::Csv(writer) => writer.write(batch),
        }
    }

    /// Ends the table.
    pub(crate) fn finish(self) -> Result<(), TableError> {
        match self.0 {
            TableSink::Parquet(writer) => writer.finish(),
            TableSink::Sqlite(writer) => writer.finish(),
            TableSink::Csv(writer) => writer.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
