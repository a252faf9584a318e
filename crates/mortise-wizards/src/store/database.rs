//! Reads a table of an SQLite database that nobody vouches for.
//!
//! The bytes come from a file that is open already, so that no path is looked up again, and no journal, lock or other
//! file beside it is touched. Views, triggers, virtual tables and columns that are worked out are not used: whoever
//! made the file could have written anything there.

use std::io::Read as _;

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB};
use tokio_util::sync::CancellationToken;

use crate::data::bounds::shown;
use crate::data::files::{DataFile, FileError};
use crate::data::value::Value;
use crate::limits::{WIZARD_DATABASE_BYTES, WIZARD_TABLES};

/// Steps of SQLite between two looks at whether anybody still waits.
const STEPS_BETWEEN_LOOKS: i32 = 10_000;

const MAGIC: &[u8] = b"SQLite format 3\0";

/// Why a database can't be looked at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("the database has {bytes} bytes, more than {WIZARD_DATABASE_BYTES}")]
    TooLarge { bytes: u64 },
    #[error("the database has no table")]
    Empty,
    #[error("the database has {} tables", tables.len())]
    Several { tables: Vec<String> },
    #[error("the database has no table `{}`", shown(name))]
    NoSuchTable { name: String, tables: Vec<String> },
    #[error(transparent)]
    File(#[from] FileError),
    /// More in its rows than a whole database of its size can have.
    #[error("the database has rows that share their bytes")]
    Overlapping,
    /// Damaged, or kept by its writer in several files.
    #[error("the database can't be read")]
    Unreadable(#[from] rusqlite::Error),
}

/// Whether a file is an SQLite database.
pub(crate) fn is_database(file: &DataFile) -> Result<bool, FileError> {
    let mut beginning = Vec::new();
    let read = file.again()?.take(MAGIC.len() as u64).read_to_end(&mut beginning);
    read.map_err(|error| FileError::io("read", file.shown(), error))?;
    Ok(beginning == MAGIC)
}

pub(crate) struct DatabaseTable {
    connection: Connection,
    select: String,
    columns: Vec<String>,
    /// Bytes that texts and blobs of all rows may have.
    bytes: u64,
}

impl DatabaseTable {
    /// The table of this name, as SQLite compares names; without a name the only one.
    pub(crate) fn open(
        file: &DataFile,
        name: Option<&str>,
        stop: &CancellationToken,
    ) -> Result<Self, DatabaseError> {
        if file.size() > WIZARD_DATABASE_BYTES {
            return Err(DatabaseError::TooLarge { bytes: file.size() });
        }
        let mut connection = Connection::open_in_memory()?;
        let stop = stop.clone();
        connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(move || stop.is_cancelled()))?;
        let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
        connection.deserialize_read_exact(MAIN_DB, file.again()?, size, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        let mut tables = tables(&connection)?;
        let table = match (name, tables.as_slice()) {
            (_, []) => return Err(DatabaseError::Empty),
            (Some(name), _) => match tables.iter().position(|own| own.eq_ignore_ascii_case(name)) {
                Some(place) => tables.swap_remove(place),
                None => return Err(DatabaseError::NoSuchTable { name: name.to_owned(), tables }),
            },
            (None, [_]) => tables.swap_remove(0),
            (None, _) => return Err(DatabaseError::Several { tables }),
        };
        let columns = stored_columns(&connection, &table)?;
        let listed: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let select = format!("SELECT {} FROM {}", listed.join(", "), quoted(&table));
        // UTF-16 in the file becomes longer by half at most.
        let bytes = 2 * file.size();
        Ok(Self { connection, select, columns, bytes })
    }

    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Gives every row to `take` until that says no.
    pub(crate) fn rows(&self, mut take: impl FnMut(Vec<Value>) -> bool) -> Result<(), DatabaseError> {
        let mut statement = self.connection.prepare(&self.select)?;
        let mut rows = statement.query([])?;
        let mut left = self.bytes;
        while let Some(row) = rows.next()? {
            let mut values = Vec::with_capacity(self.columns.len());
            for place in 0..self.columns.len() {
                let cell = row.get_ref(place)?;
                let length = match cell {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.len() as u64,
                    _ => 0,
                };
                left = left.checked_sub(length).ok_or(DatabaseError::Overlapping)?;
                values.push(value(cell));
            }
            if !take(values) {
                break;
            }
        }
        Ok(())
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The columns that are in the file. Those worked out on reading are expressions, which may take any time and memory.
fn stored_columns(connection: &Connection, table: &str) -> Result<Vec<String>, rusqlite::Error> {
    const ORDINARY: u8 = 0;
    const WORKED_OUT_ON_WRITING: u8 = 3;
    let mut statement = connection
        .prepare("SELECT name FROM pragma_table_xinfo(?1) WHERE hidden IN (?2, ?3) ORDER BY cid")?;
    let names = statement.query_map((table, ORDINARY, WORKED_OUT_ON_WRITING), |row| row.get(0))?;
    names.collect()
}

/// Tables that hold rows themselves, by name.
fn tables(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' \
         ESCAPE '\\' ORDER BY name LIMIT ?1",
    )?;
    let names = statement.query_map([WIZARD_TABLES], |row| row.get(0))?;
    names.collect()
}

fn value(cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Float(number),
        ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

#[cfg(test)]
mod tests;
