//! Rows as a table of an SQLite database.

use std::fs::File;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql};

use super::TableError;
use crate::data::data_type::{Column, DataType};
use crate::data::value::Value;
use crate::parsers::check::TypedBatch;
use crate::parsers::value::to_text;

pub(super) struct SqliteTableWriter {
    connection: Connection,
    /// The file that was made for the table; SQLite has opened one of its own.
    file: File,
    insert: String,
}

impl SqliteTableWriter {
    pub(super) fn create(
        file: File,
        path: &Path,
        name: &str,
        columns: &[Column],
    ) -> Result<Self, TableError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags)?;
        // Our file is empty: one with content is another file.
        let pages: i64 = connection.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        if pages != 0 {
            return Err(TableError::Replaced);
        }
        // No other program uses the file until it is renamed, and it is worthless if we stop before that.
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")?;
        let declared = columns.iter().map(|column| {
            let required = if column.nullable { "" } else { " NOT NULL" };
            format!("{} {}{required}", quoted(&column.name), sql_type(column.data_type))
        });
        let declared = declared.collect::<Vec<_>>().join(", ");
        connection.execute_batch(&format!("CREATE TABLE {} ({declared})", quoted(name)))?;
        let marks = vec!["?"; columns.len()].join(", ");
        let insert = format!("INSERT INTO {} VALUES ({marks})", quoted(name));
        Ok(Self { connection, file, insert })
    }

    pub(super) fn write(&mut self, batch: &TypedBatch) -> Result<(), TableError> {
        let mut statement = self.connection.prepare_cached(&self.insert)?;
        for row in 0..batch.len() {
            statement.execute(rusqlite::params_from_iter(
                batch.columns.iter().map(|column| SqlCell(&column[row])),
            ))?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), TableError> {
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_, error)| error)?;
        // A database with a table is never empty.
        match self.file.metadata()?.len() {
            0 => Err(TableError::Replaced),
            _ => Ok(()),
        }
    }
}

struct SqlCell<'a>(&'a Value);

impl ToSql for SqlCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Null => ToSqlOutput::Owned(SqlValue::Null),
            Value::Boolean(truth) => ToSqlOutput::Owned(SqlValue::Integer(i64::from(*truth))),
            Value::Integer(number) => ToSqlOutput::Owned(SqlValue::Integer(*number)),
            Value::Float(number) => ToSqlOutput::Owned(SqlValue::Real(*number)),
            Value::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Value::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            dated => ToSqlOutput::Owned(SqlValue::Text(to_text(dated))),
        })
    }
}

fn sql_type(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Int64 | DataType::Int32 | DataType::Boolean => "INTEGER",
        DataType::Float64 | DataType::Float32 => "REAL",
        DataType::Binary => "BLOB",
        _ => "TEXT",
    }
}

/// An identifier, whatever is in it. SQLite can't have a zero byte in one.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}
