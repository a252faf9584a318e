//! Writes the entries of one run into the database, inside of the writer's transaction.

use std::collections::HashSet;

use mortise_contract::text::{cut, one_line};
use mortise_executor::journal::{RunBegun, RunEnd, RunEntry, RunId, RunState};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::content::StoredJson;
use crate::limits::TITLE_CHARACTERS;

/// A run that this process runs.
#[derive(Debug)]
pub(crate) struct LiveRun {
    number: i64,
    next_position: i64,
    bytes: i64,
    tools: HashSet<String>,
}

/// Why an entry is not in the database.
pub(crate) enum EntryFault {
    /// It is about this run alone.
    Run(String),
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for EntryFault {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::TooBig | rusqlite::ErrorCode::ConstraintViolation) => {
                Self::Run(error.to_string())
            }
            _ => Self::Database(error),
        }
    }
}

impl From<serde_json::Error> for EntryFault {
    fn from(error: serde_json::Error) -> Self {
        Self::Run(error.to_string())
    }
}

impl LiveRun {
    /// A new run.
    pub(crate) fn begin(
        connection: &Connection,
        run: &RunId,
        begun: RunBegun,
        owner: &str,
    ) -> Result<Self, EntryFault> {
        let (at, origin) = (begun.at_ms, <&str>::from(begun.origin));
        let (caller, name) = (begun.caller.clone(), cut(&begun.name, TITLE_CHARACTERS));
        let title = title_of(&begun.source);
        let tools: Vec<String> = begun.contracts.iter().map(|contract| contract.tool.clone()).collect();
        let stored = StoredJson::of(begun)?;
        let sql =
            "INSERT INTO runs (id, begun_ms, state, owner, origin, caller, name, title, begun, begun_parts)
            VALUES (?1, ?2, 'running', ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let parts = stored.part_list();
        let values =
            params![run.as_str(), signed(at), owner, origin, caller, name, title, stored.json, parts];
        connection.prepare_cached(sql)?.execute(values)?;
        let number = connection.last_insert_rowid();
        let mut live = Self { number, next_position: 0, bytes: 0, tools: HashSet::new() };
        live.keep_contents(connection, &stored)?;
        for tool in tools {
            live.keep_tool(connection, tool)?;
        }
        Ok(live)
    }

    /// A run that this process claimed; `None` if it is not there or not ours.
    pub(crate) fn claimed(
        connection: &Connection,
        run: &RunId,
        owner: &str,
    ) -> Result<Option<Self>, rusqlite::Error> {
        let sql = "SELECT number, bytes,
                (SELECT coalesce(max(position) + 1, 0) FROM entries WHERE entries.run = number)
            FROM runs WHERE id = ?1 AND owner = ?2 AND state = 'running' AND lost = 0";
        connection
            .prepare_cached(sql)?
            .query_row(params![run.as_str(), owner], |row| {
                let (number, bytes, next_position) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(Self { number, next_position, bytes, tools: HashSet::new() })
            })
            .optional()
    }

    /// Bytes of its entries.
    pub(crate) fn bytes(&self) -> i64 {
        self.bytes
    }

    /// Adds an entry. Says whether this process still runs the run.
    pub(crate) fn append(
        &mut self,
        connection: &Connection,
        entry: RunEntry,
    ) -> Result<StillRuns, EntryFault> {
        let mut still = StillRuns::Yes;
        let is_call = match &entry {
            RunEntry::Call(call) => {
                self.keep_tool(connection, call.tool.clone())?;
                true
            }
            _ => false,
        };
        let end = match &entry {
            RunEntry::Ended(end) => Some(RunRowEnd::of(end)),
            _ => None,
        };
        let state = match &entry {
            RunEntry::Waiting { .. } => Some(RunState::Waiting),
            // Without an owner, it is one that was interrupted.
            RunEntry::Stopped { .. } => Some(RunState::Running),
            _ => None,
        };
        let stored = StoredJson::of(entry)?;
        let sql = "INSERT INTO entries (run, position, is_call, entry, parts) VALUES (?1, ?2, ?3, ?4, ?5)";
        let values = params![self.number, self.next_position, is_call, stored.json, stored.part_list()];
        connection.prepare_cached(sql)?.execute(values)?;
        self.next_position += 1;
        self.keep_contents(connection, &stored)?;
        if let Some(end) = end {
            end.write(connection, self)?;
            still = StillRuns::No;
        } else if let Some(state) = state {
            let sql = "UPDATE runs SET state = ?3, owner = NULL, bytes = ?2 WHERE number = ?1";
            connection.prepare_cached(sql)?.execute(params![self.number, self.bytes, state.as_str()])?;
            still = StillRuns::No;
        }
        Ok(still)
    }

    fn keep_contents(&mut self, connection: &Connection, stored: &StoredJson) -> Result<(), EntryFault> {
        self.bytes += i64::try_from(stored.bytes()).unwrap_or_default();
        for part in &stored.parts {
            let number: Option<i64> = connection
                .prepare_cached("SELECT number FROM contents WHERE digest = ?1")?
                .query_row([part.digest], |row| row.get(0))
                .optional()?;
            let number = if let Some(number) = number {
                number
            } else {
                connection
                    .prepare_cached("INSERT INTO contents (digest, content) VALUES (?1, ?2)")?
                    .execute(params![part.digest, part.content.as_bytes()])?;
                connection.last_insert_rowid()
            };
            connection
                .prepare_cached("INSERT OR IGNORE INTO uses (run, content) VALUES (?1, ?2)")?
                .execute([self.number, number])?;
        }
        Ok(())
    }

    fn keep_tool(&mut self, connection: &Connection, tool: String) -> Result<(), EntryFault> {
        if self.tools.contains(&tool) {
            return Ok(());
        }
        connection.prepare_cached("INSERT OR IGNORE INTO tools (name) VALUES (?1)")?.execute([&tool])?;
        let sql = "INSERT OR IGNORE INTO run_tools (run, tool) SELECT ?1, number FROM tools WHERE name = ?2";
        connection.prepare_cached(sql)?.execute(params![self.number, tool])?;
        self.tools.insert(tool);
        Ok(())
    }
}

/// Whether a run goes on in this process.
pub(crate) enum StillRuns {
    Yes,
    No,
}

/// What the row of a run gets from its end.
struct RunRowEnd {
    state: RunState,
    ended_ms: u64,
    wall_ms: u64,
    calls: usize,
    failed_calls: usize,
    error: Option<String>,
}

impl RunRowEnd {
    fn of(end: &RunEnd) -> Self {
        let error = end.error.as_deref().map(last_line);
        let (state, ended_ms, wall_ms) = (end.state, end.at_ms, end.wall_ms);
        Self { state, ended_ms, wall_ms, calls: end.calls, failed_calls: end.failed_calls, error }
    }

    fn write(self, connection: &Connection, run: &LiveRun) -> Result<(), EntryFault> {
        let sql = "UPDATE runs SET state = ?2, owner = NULL, ended_ms = ?3, wall_ms = ?4, calls = ?5,
            failed_calls = ?6, error = ?7, bytes = ?8 WHERE number = ?1";
        let Self { state, ended_ms, wall_ms, calls, failed_calls, error } = self;
        let (calls, failed_calls) = (calls as u64, failed_calls as u64);
        connection.prepare_cached(sql)?.execute(params![
            run.number,
            state.as_str(),
            signed(ended_ms),
            signed(wall_ms),
            signed(calls),
            signed(failed_calls),
            error,
            run.bytes
        ])?;
        Ok(())
    }
}

/// The first line of a program that says something.
fn title_of(source: &str) -> String {
    let line = source.lines().map(str::trim).find(|line| !line.is_empty());
    cut(&one_line(line.unwrap_or_default()), TITLE_CHARACTERS)
}

/// The line of a traceback that names the error.
fn last_line(error: &str) -> String {
    let line = error.lines().map(str::trim).rfind(|line| !line.is_empty());
    cut(&one_line(line.unwrap_or_default()), TITLE_CHARACTERS)
}

/// SQLite has no unsigned numbers.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number that is never negative.
pub(crate) fn unsigned(row: &Row<'_>, column: usize) -> Result<u64, rusqlite::Error> {
    row.get::<_, i64>(column).map(|number| u64::try_from(number).unwrap_or_default())
}
