//! Reads a journal, also while other processes write it.

use std::collections::HashMap;
use std::path::PathBuf;

use mortise_contract::text::hex;
use mortise_executor::journal::{JournalError, KeptRun, RunEntry, RunId, RunState};
use rusqlite::{Connection, OptionalExtension};

use crate::content::{digest_of, restore};
use crate::directory::JournalDirectory;
use crate::journal_error::DatabaseError;
use crate::listing::{self, OwnerStates, RunPage, RunQuery};
use crate::live_run::unsigned;
use crate::prune::{self, PruneReport, PruneRules};
use crate::wall_clock::now_ms;

/// Ids that a message about an ambiguous name shows.
const SHOWN_IDS: usize = 5;
/// The name of the newest run.
const LAST: &str = "last";

/// A journal as commands use it. Needs no thread, and makes no file.
#[derive(Clone, Debug)]
pub struct JournalReader {
    directory: JournalDirectory,
}

impl JournalReader {
    pub fn new(directory: PathBuf) -> Self {
        Self { directory: JournalDirectory::new(directory) }
    }

    /// A page of the list of runs.
    ///
    /// # Errors
    ///
    /// When the journal can't be read. Where there is none, the list is empty.
    pub fn list(&self, query: &RunQuery) -> Result<RunPage, JournalError> {
        self.reading(|connection| listing::list(connection, &self.directory, query))
            .map(|page| page.unwrap_or(RunPage { runs: Vec::new(), next: None }))
    }

    /// A run with all its entries.
    ///
    /// # Errors
    ///
    /// When there is no such run, or what is kept of it can't be read.
    pub fn read(&self, run: &RunId) -> Result<KeptRun, JournalError> {
        self.reading(|connection| read(connection, &self.directory, run))?
            .flatten()
            .ok_or_else(|| JournalError::NoRun { name: run.to_string() })
    }

    /// The run that an id, the beginning of one, or `last` means.
    ///
    /// # Errors
    ///
    /// When there is none, or more than one.
    pub fn find(&self, name: &str) -> Result<RunId, JournalError> {
        let no_run = || JournalError::NoRun { name: name.chars().take(40).collect() };
        let mut ids = self.reading(|connection| ids_of(connection, name))?.unwrap_or_default();
        match ids.len() {
            0 => Err(no_run()),
            1 => ids.pop().and_then(|id| RunId::parse(&id).ok()).ok_or_else(no_run),
            _ => Err(JournalError::Ambiguous { name: name.to_owned(), ids }),
        }
    }

    /// Removes runs; says how many.
    ///
    /// # Errors
    ///
    /// When the journal can't be read or written.
    pub fn prune(&self, rules: &PruneRules) -> Result<PruneReport, JournalError> {
        let path = self.directory.database();
        let pruned = || -> Result<PruneReport, DatabaseError> {
            let Some(mut connection) = self.directory.open_existing()? else {
                return Ok(PruneReport::default());
            };
            prune::prune(&mut connection, &self.directory, rules, now_ms(), &|| false)
        };
        pruned().map_err(|error| error.unwritable(&path))
    }

    /// What the rules would remove.
    ///
    /// # Errors
    ///
    /// When the journal can't be read.
    pub fn prune_preview(&self, rules: &PruneRules) -> Result<PruneReport, JournalError> {
        self.reading(|connection| prune::preview(connection, &self.directory, rules, now_ms()))
            .map(Option::unwrap_or_default)
    }

    fn reading<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, DatabaseError>,
    ) -> Result<Option<T>, JournalError> {
        let result = || -> Result<Option<T>, DatabaseError> {
            let Some(mut connection) = self.directory.open_existing()? else { return Ok(None) };
            // One transaction, so that all is of one moment.
            let transaction = connection.transaction()?;
            read(&transaction).map(Some)
        };
        result().map_err(|error| error.unreadable(&self.directory.database()))
    }
}

fn ids_of(connection: &Connection, name: &str) -> Result<Vec<String>, DatabaseError> {
    let limit = SHOWN_IDS as i64;
    if name == LAST {
        let sql = "SELECT id FROM runs ORDER BY begun_ms DESC, number DESC LIMIT 1";
        return Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?.into_iter().collect());
    }
    if name.is_empty() {
        return Ok(Vec::new());
    }
    // `~` sorts behind all characters of an id.
    let sql = "SELECT id FROM runs WHERE id >= ?1 AND id < ?1 || '~' ORDER BY id LIMIT ?2";
    let mut statement = connection.prepare(sql)?;
    let ids = statement.query_map(rusqlite::params![name, limit], |row| row.get(0))?;
    Ok(ids.collect::<Result<_, _>>()?)
}

fn read(
    connection: &Connection,
    directory: &JournalDirectory,
    run: &RunId,
) -> Result<Option<KeptRun>, DatabaseError> {
    let sql = "SELECT number, state, owner, lost, begun, begun_parts FROM runs WHERE id = ?1";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([run.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let damaged = |reason: String| DatabaseError::Damaged { run: run.to_string(), reason };
    let stored: RunState = row
        .get::<_, String>(1)?
        .parse()
        .map_err(|_| damaged("its state is not one that this version knows".to_owned()))?;
    let mut owners = OwnerStates { directory, known: HashMap::new() };
    let standing = owners.state_of(stored, row.get(2)?);
    let begun = restore(&row.get::<_, String>(4)?, row.get::<_, Option<String>>(5)?.as_deref(), |digest| {
        content(connection, digest)
    })
    .map_err(|reason| damaged(format!("its beginning: {reason}")))?;
    Ok(Some(KeptRun {
        id: run.clone(),
        begun,
        state: standing.state,
        is_complete: !row.get::<_, bool>(3)? && !standing.has_losses,
        entries: entries(connection, row.get(0)?, damaged)?,
    }))
}

fn entries(
    connection: &Connection,
    number: i64,
    damaged: impl Fn(String) -> DatabaseError,
) -> Result<Vec<RunEntry>, DatabaseError> {
    let mut entries = Vec::new();
    let mut statement =
        connection.prepare("SELECT position, entry, parts FROM entries WHERE run = ?1 ORDER BY position")?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        let position = unsigned(row, 0)?;
        if position != entries.len() as u64 {
            return Err(damaged(format!("entry {} is missing", entries.len())));
        }
        let parts: Option<String> = row.get(2)?;
        let entry =
            restore(&row.get::<_, String>(1)?, parts.as_deref(), |digest| content(connection, digest))
                .map_err(|reason| damaged(format!("entry {position}: {reason}")))?;
        entries.push(entry);
    }
    Ok(entries)
}

/// A value by the hexadecimal digits of its digest.
fn content(connection: &Connection, digest: &str) -> Result<String, String> {
    let bytes: Vec<u8> = connection
        .prepare_cached("SELECT content FROM contents WHERE digest = unhex(?1)")
        .and_then(|mut statement| statement.query_row([digest], |row| row.get(0)))
        .map_err(|error| format!("the value {digest}: {error}"))?;
    if hex(&digest_of(&bytes)) != digest {
        return Err(format!("the value {digest} was changed"));
    }
    String::from_utf8(bytes).map_err(|_| format!("the value {digest} is not text"))
}
