//! Opens an SQLite database from an untrusted file.
//!
//! The bytes come from a file that is open already, so that no path is looked up again, and no journal, lock or other
//! file beside it is touched. Views, triggers, virtual tables and columns that are computed on reading are not used:
//! the author of the file could have written anything there.

use std::io::Read as _;

use rusqlite::{Connection, MAIN_DB};
use tokio_util::sync::CancellationToken;

use super::query::bounded_connection;
use crate::data::files::{DataFile, FileError};
use crate::limits::{WIZARD_DATABASE_BYTES, WIZARD_TABLES};

const MAGIC: &[u8] = b"SQLite format 3\0";

#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("the database has {bytes} bytes, more than {WIZARD_DATABASE_BYTES}")]
    TooLarge { bytes: u64 },
    #[error("the database has no table")]
    Empty,
    #[error(transparent)]
    File(#[from] FileError),
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

/// A database in memory, and the tables that hold rows themselves.
pub(crate) struct OpenDatabase {
    pub(super) connection: Connection,
    pub(super) tables: Vec<String>,
}

impl OpenDatabase {
    /// Reads the whole file. Statements stop when `stop` fires.
    pub(crate) fn open(file: &DataFile, stop: &CancellationToken) -> Result<Self, DatabaseError> {
        if file.size() > WIZARD_DATABASE_BYTES {
            return Err(DatabaseError::TooLarge { bytes: file.size() });
        }
        let mut connection = bounded_connection(stop)?;
        let size = usize::try_from(file.size()).unwrap_or(usize::MAX);
        connection.deserialize_read_exact(MAIN_DB, file.again()?, size, true)?;
        let tables = tables(&connection)?;
        match tables.is_empty() {
            true => Err(DatabaseError::Empty),
            false => Ok(Self { connection, tables }),
        }
    }

    /// The columns of a table that are in the file, and those that are computed on reading: expressions, which may
    /// take any time and memory.
    pub(super) fn columns(
        connection: &Connection,
        table: &str,
    ) -> Result<(Vec<String>, Vec<String>), rusqlite::Error> {
        const COMPUTED_ON_READING: u8 = 2;
        let mut statement =
            connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1) ORDER BY cid")?;
        let columns = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (mut stored, mut computed) = (Vec::new(), Vec::new());
        for column in columns {
            let (name, hidden): (String, u8) = column?;
            let kind = if hidden == COMPUTED_ON_READING { &mut computed } else { &mut stored };
            kind.push(name);
        }
        Ok((stored, computed))
    }
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

#[cfg(test)]
mod tests;
