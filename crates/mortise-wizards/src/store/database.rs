//! Reads a table of an SQLite database that nobody vouches for.
//!
//! The bytes come from a file that is open already, so that no path is looked up again, and no journal, lock or other
//! file beside it is touched. Views, triggers and virtual tables are not used.

use std::io::Read as _;

use mortise_contract::limits::WIZARD_DATABASE_BYTES;
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB};

use crate::data::files::{DataFile, FileError};
use crate::data::value::Value;

/// How every database begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Why a database can't be looked at.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// Too large to be held in memory.
    #[error("the database has {bytes} bytes, more than {WIZARD_DATABASE_BYTES}")]
    TooLarge {
        /// What it has.
        bytes: u64,
    },
    /// No table in it.
    #[error("the database has no table")]
    Empty,
    /// Several tables, and none of them was named.
    #[error("the database has {} tables", tables.len())]
    Several {
        /// Their names.
        tables: Vec<String>,
    },
    /// The file can't be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Damaged, or kept by its writer in several files.
    #[error("the database can't be read")]
    Unreadable(#[from] rusqlite::Error),
}

/// Whether a file is an SQLite database.
///
/// # Errors
///
/// The file can't be read.
pub fn is_database(file: &DataFile) -> Result<bool, FileError> {
    let mut beginning = Vec::new();
    let read = file.again()?.take(MAGIC.len() as u64).read_to_end(&mut beginning);
    read.map_err(|error| FileError::io("read", file.shown(), error))?;
    Ok(beginning == MAGIC)
}

/// One table of a database.
pub struct DatabaseTable {
    connection: Connection,
    select: String,
    columns: Vec<String>,
}

impl DatabaseTable {
    /// The table of this name, or the only one whatever it is called.
    ///
    /// # Errors
    ///
    /// Too large, damaged, without a table, or with several and none of this name.
    pub fn open(file: &DataFile, name: Option<&str>) -> Result<Self, DatabaseError> {
        if file.size() > WIZARD_DATABASE_BYTES {
            return Err(DatabaseError::TooLarge { bytes: file.size() });
        }
        let mut connection = Connection::open_in_memory()?;
        let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
        connection.deserialize_read_exact(MAIN_DB, file.again()?, size, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        let mut tables = tables(&connection)?;
        let table = match name.and_then(|name| tables.iter().position(|own| own == name)) {
            Some(place) => tables.swap_remove(place),
            None => match tables.as_slice() {
                [] => return Err(DatabaseError::Empty),
                [_] => tables.swap_remove(0),
                _ => return Err(DatabaseError::Several { tables }),
            },
        };
        let select = format!("SELECT * FROM \"{}\"", table.replace('"', "\"\""));
        let columns = connection.prepare(&select)?.column_names().into_iter().map(str::to_owned).collect();
        Ok(Self { connection, select, columns })
    }

    /// The names of its columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Gives every row to `take` until that says no.
    ///
    /// # Errors
    ///
    /// The database is damaged.
    pub fn rows(&self, mut take: impl FnMut(Vec<Value>) -> bool) -> Result<(), DatabaseError> {
        let mut statement = self.connection.prepare(&self.select)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let values: Result<Vec<Value>, rusqlite::Error> =
                (0..self.columns.len()).map(|place| row.get_ref(place).map(value)).collect();
            if !take(values?) {
                break;
            }
        }
        Ok(())
    }
}

/// Tables that hold rows themselves, by name.
fn tables(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' \
         ESCAPE '\\' ORDER BY name",
    )?;
    let names = statement.query_map([], |row| row.get(0))?;
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
