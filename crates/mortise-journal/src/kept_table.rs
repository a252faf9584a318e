//! The values that programs keep for later ones, in the journal's database.

use std::path::PathBuf;

use mortise_contract::RawJson;
use mortise_contract::text::error_chain;
use mortise_executor::kept::{
    KeptBounds, KeptEntry, KeptError, KeptFuture, KeptName, KeptOwner, KeptReason, KeptValues, NewKeptValue,
};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::directory::JournalDirectory;
use crate::live_run::{signed, unsigned};
use crate::wall_clock::now_ms;

/// The kept values of all callers. Any process may keep, load and remove them.
#[derive(Clone, Debug)]
pub struct KeptTable {
    directory: JournalDirectory,
    bounds: KeptBounds,
}

/// All but the value, which stands last in its row so that a list need not read it.
const COLUMNS: &str = "caller, name, reason, bytes, shape, preview, kept_ms, used_ms";

impl KeptTable {
    /// The values in the journal of this folder.
    pub fn new(directory: PathBuf) -> Self {
        Self::with_bounds(directory, KeptBounds::ON_DISK)
    }

    /// The values in the journal of this folder, under other bounds.
    pub fn with_bounds(directory: PathBuf, bounds: KeptBounds) -> Self {
        Self { directory: JournalDirectory::new(directory), bounds }
    }

    fn keep_now(&self, new: &NewKeptValue, now: u64) -> Result<KeptEntry, KeptError> {
        let entry = KeptEntry::of(new, now);
        let mut connection = match self.directory.open_existing().map_err(|error| failed(&error))? {
            Some(connection) => connection,
            None => self.directory.open_or_create().map_err(|error| failed(&error))?.connection,
        };
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|error| failed(&error))?;
        remove_expired(&transaction, &self.bounds, now).map_err(|error| failed(&error))?;
        let kept = entries(&transaction).map_err(|error| failed(&error))?;
        let removed = self.bounds.make_room(&kept, new)?;
        for name in &removed {
            delete(&transaction, &new.caller, name).map_err(|error| failed(&error))?;
        }
        insert(&transaction, &entry, new.value.text()).map_err(|error| failed(&error))?;
        transaction.commit().map_err(|error| failed(&error))?;
        Ok(entry)
    }

    fn load_now(&self, caller: &str, name: &KeptName, now: u64) -> Result<RawJson, KeptError> {
        let Some(connection) = self.directory.open_existing().map_err(|error| failed(&error))? else {
            return Err(KeptError::no_value(name, []));
        };
        let oldest = signed(now.saturating_sub(self.bounds.age_ms));
        let sql = "SELECT value FROM kept WHERE caller = ?1 AND name = ?2 AND used_ms >= ?3";
        let text: Option<String> = connection
            .query_row(sql, params![caller, name.as_str(), oldest], |row| row.get(0))
            .optional()
            .map_err(|error| failed(&error))?;
        let Some(text) = text else {
            let known = self.list_now(&KeptOwner::Caller(caller.to_owned()), now)?;
            return Err(KeptError::no_value(name, known.iter().map(|entry| entry.name.as_str())));
        };
        let used = "UPDATE kept SET used_ms = ?3 WHERE caller = ?1 AND name = ?2";
        if let Err(error) = connection.execute(used, params![caller, name.as_str(), signed(now)]) {
            // A read-only disk: the value is there all the same.
            tracing::debug!(%error, "the use of a kept value is not noted");
        }
        RawJson::parse(&text).map_err(|error| failed(&error))
    }

    fn list_now(&self, whose: &KeptOwner, now: u64) -> Result<Vec<KeptEntry>, KeptError> {
        let Some(connection) = self.directory.open_existing().map_err(|error| failed(&error))? else {
            return Ok(Vec::new());
        };
        let mut listed = entries(&connection).map_err(|error| failed(&error))?;
        listed.retain(|entry| whose.includes(&entry.caller) && !self.bounds.is_expired(entry.used_ms, now));
        Ok(listed)
    }

    fn remove_now(&self, caller: &str, name: &KeptName) -> Result<bool, KeptError> {
        match self.directory.open_existing().map_err(|error| failed(&error))? {
            Some(connection) => delete(&connection, caller, name).map_err(|error| failed(&error)),
            None => Ok(false),
        }
    }
}

impl KeptValues for KeptTable {
    fn keep(&self, value: NewKeptValue) -> KeptFuture<KeptEntry> {
        let table = self.clone();
        in_thread(move || table.keep_now(&value, now_ms()))
    }

    fn load(&self, caller: &str, name: &KeptName) -> KeptFuture<RawJson> {
        let (table, caller, name) = (self.clone(), caller.to_owned(), name.clone());
        in_thread(move || table.load_now(&caller, &name, now_ms()))
    }

    fn list(&self, whose: KeptOwner) -> KeptFuture<Vec<KeptEntry>> {
        let table = self.clone();
        in_thread(move || table.list_now(&whose, now_ms()))
    }

    fn remove(&self, caller: &str, name: &KeptName) -> KeptFuture<bool> {
        let (table, caller, name) = (self.clone(), caller.to_owned(), name.clone());
        in_thread(move || table.remove_now(&caller, &name))
    }
}

/// Removes what was not used for too long.
pub(crate) fn remove_expired(
    connection: &Connection,
    bounds: &KeptBounds,
    now: u64,
) -> Result<usize, rusqlite::Error> {
    let oldest = signed(now.saturating_sub(bounds.age_ms));
    connection.execute("DELETE FROM kept WHERE used_ms < ?1", [oldest])
}

/// Bytes of all kept values.
pub(crate) fn kept_bytes(connection: &Connection) -> Result<u64, rusqlite::Error> {
    connection.query_row("SELECT coalesce(sum(bytes), 0) FROM kept", [], |row| unsigned(row, 0))
}

fn entries(connection: &Connection) -> Result<Vec<KeptEntry>, rusqlite::Error> {
    let sql = format!("SELECT {COLUMNS} FROM kept ORDER BY used_ms DESC, caller, name");
    let mut statement = connection.prepare_cached(&sql)?;
    // A row that another version wrote is left out.
    let rows = statement.query_map([], read_entry)?.filter_map(Result::transpose);
    rows.collect()
}

/// Reads a row of [`COLUMNS`].
fn read_entry(row: &Row<'_>) -> Result<Option<KeptEntry>, rusqlite::Error> {
    let (name, reason): (String, String) = (row.get(1)?, row.get(2)?);
    let (Ok(name), Ok(reason)) = (KeptName::parse(&name), reason.parse()) else { return Ok(None) };
    Ok(Some(KeptEntry {
        caller: row.get(0)?,
        name,
        reason,
        bytes: unsigned(row, 3)?,
        shape: row.get(4)?,
        preview: row.get(5)?,
        kept_ms: unsigned(row, 6)?,
        used_ms: unsigned(row, 7)?,
    }))
}

fn insert(connection: &Connection, entry: &KeptEntry, value: &str) -> Result<(), rusqlite::Error> {
    let sql =
        format!("INSERT OR REPLACE INTO kept ({COLUMNS}, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
    let reason: &'static str = KeptReason::into(entry.reason);
    connection.prepare_cached(&sql)?.execute(params![
        entry.caller,
        entry.name.as_str(),
        reason,
        signed(entry.bytes),
        entry.shape,
        entry.preview,
        signed(entry.kept_ms),
        signed(entry.used_ms),
        value,
    ])?;
    Ok(())
}

fn delete(connection: &Connection, caller: &str, name: &KeptName) -> Result<bool, rusqlite::Error> {
    let sql = "DELETE FROM kept WHERE caller = ?1 AND name = ?2";
    Ok(connection.execute(sql, params![caller, name.as_str()])? > 0)
}

fn failed(error: &(dyn std::error::Error + 'static)) -> KeptError {
    KeptError::Store { reason: error_chain(error) }
}

/// Does what waits for a disk on a thread that may wait.
fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, KeptError> + Send + 'static,
) -> KeptFuture<T> {
    Box::pin(async move {
        let stopped = |_| KeptError::Store { reason: "the thread that reads them stopped".to_owned() };
        tokio::task::spawn_blocking(work).await.map_err(stopped)?
    })
}
