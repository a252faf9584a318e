//! Lists runs, the newest first, page by page.

use std::collections::HashMap;

use mortise_executor::journal::{RunId, RunOrigin, RunState};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use crate::directory::JournalDirectory;
use crate::journal_error::DatabaseError;
use crate::live_run::{signed, unsigned};
use crate::process_mark::{OwnerState, owner_state};

/// Which runs a list shows. The default shows all.
#[derive(Clone, Debug, Default)]
pub struct RunQuery {
    pub state: Option<RunState>,
    /// The caller as the run has it.
    pub caller: Option<String>,
    /// Only runs that began then or later, in milliseconds since 1970.
    pub since_ms: Option<u64>,
    /// Only runs that name or call this tool: `mcp__shop__list_orders` or `list_orders`.
    pub tool: Option<String>,
    /// Runs of a page.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<RunCursor>,
}

/// Where a page ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunCursor {
    begun_ms: i64,
    number: i64,
}

/// Some runs of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPage {
    pub runs: Vec<RunSummary>,
    /// Where the next page begins; `None` if this is the last.
    pub next: Option<RunCursor>,
}

/// A run as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    pub id: RunId,
    /// Milliseconds since 1970.
    pub begun_ms: u64,
    pub state: RunState,
    /// Whether all its entries are kept.
    pub is_complete: bool,
    /// The process that runs it.
    pub process: Option<u32>,
    pub origin: RunOrigin,
    pub caller: String,
    pub name: String,
    /// The first line of its program.
    pub title: String,
    pub calls: u64,
    pub failed_calls: u64,
    pub wall_ms: Option<u64>,
    /// Milliseconds since 1970.
    pub ended_ms: Option<u64>,
    /// The line of its error that names it.
    pub error: Option<String>,
    /// Bytes of its entries. Runs may share them.
    pub bytes: u64,
}

const COLUMNS: &str =
    "number, id, begun_ms, state, owner, lost, origin, caller, name, title, calls, failed_calls, wall_ms,
    ended_ms, error, bytes";

/// A page of the list.
pub(crate) fn list(
    connection: &Connection,
    directory: &JournalDirectory,
    query: &RunQuery,
) -> Result<RunPage, DatabaseError> {
    let mut owners = OwnerStates { directory, known: HashMap::new() };
    let mut page = RunPage { runs: Vec::new(), next: query.after };
    loop {
        let wanted = query.limit.max(1) - page.runs.len();
        let (sql, values) = select(connection, query, page.next, wanted)?;
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        let mut found = 0;
        while let Some(row) = rows.next()? {
            found += 1;
            page.next = Some(RunCursor { begun_ms: row.get(2)?, number: row.get(0)? });
            let summary = summary(connection, row, &mut owners)?;
            if query.state.is_none_or(|state| state == summary.state) {
                page.runs.push(summary);
            }
        }
        if found < wanted {
            page.next = None;
            return Ok(page);
        }
        if page.runs.len() >= query.limit.max(1) {
            return Ok(page);
        }
    }
}

fn select(
    connection: &Connection,
    query: &RunQuery,
    after: Option<RunCursor>,
    limit: usize,
) -> Result<(String, Vec<Value>), DatabaseError> {
    let mut conditions: Vec<String> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    if let Some(state) = query.state {
        // One whose process is gone may still be called running.
        conditions.push("state IN (?, ?)".to_owned());
        let also = if state == RunState::Interrupted { RunState::Running } else { state };
        values.extend([state, also].map(|state| Value::from(state.as_str().to_owned())));
    }
    if let Some(caller) = &query.caller {
        conditions.push("caller = ?".to_owned());
        values.push(caller.clone().into());
    }
    if let Some(since) = query.since_ms {
        conditions.push("begun_ms >= ?".to_owned());
        values.push(signed(since).into());
    }
    if let Some(tool) = &query.tool {
        let numbers = tool_numbers(connection, tool)?;
        let places = vec!["?"; numbers.len()].join(", ");
        conditions.push(format!("number IN (SELECT run FROM run_tools WHERE tool IN ({places}))"));
        values.extend(numbers.into_iter().map(Value::from));
    }
    if let Some(after) = after {
        conditions.push("(begun_ms, number) < (?, ?)".to_owned());
        values.extend([after.begun_ms.into(), after.number.into()]);
    }
    let filter =
        if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
    values.push(signed(limit as u64).into());
    Ok((format!("SELECT {COLUMNS} FROM runs {filter} ORDER BY begun_ms DESC, number DESC LIMIT ?"), values))
}

/// The tools that a name means: a whole name, or what follows the server in one.
fn tool_numbers(connection: &Connection, name: &str) -> Result<Vec<i64>, DatabaseError> {
    let mut statement = connection.prepare("SELECT number, name FROM tools")?;
    let mut rows = statement.query([])?;
    let ending = format!("__{name}");
    let mut numbers = Vec::new();
    while let Some(row) = rows.next()? {
        let known: String = row.get(1)?;
        if known == name || known.ends_with(&ending) {
            numbers.push(row.get(0)?);
        }
    }
    Ok(numbers)
}

/// What became of the owners of runs, each looked up once.
pub(crate) struct OwnerStates<'a> {
    pub(crate) directory: &'a JournalDirectory,
    pub(crate) known: HashMap<String, OwnerState>,
}

impl OwnerStates<'_> {
    /// The state of a run: what the row says, and what its owner's mark adds.
    pub(crate) fn state_of(&mut self, stored: RunState, owner: Option<String>) -> RunStanding {
        if stored != RunState::Running {
            return RunStanding { state: stored, process: None, has_losses: false };
        }
        let marks = self.directory.marks();
        let owner =
            owner.map(|name| *self.known.entry(name).or_insert_with_key(|name| owner_state(&marks, name)));
        match owner {
            Some(OwnerState::Alive { process }) => {
                RunStanding { state: stored, process: Some(process), has_losses: false }
            }
            gone => RunStanding {
                state: RunState::Interrupted,
                process: None,
                has_losses: gone == Some(OwnerState::GoneWithLosses),
            },
        }
    }
}

/// How a run stands now.
pub(crate) struct RunStanding {
    pub(crate) state: RunState,
    pub(crate) process: Option<u32>,
    pub(crate) has_losses: bool,
}

fn summary(
    connection: &Connection,
    row: &Row<'_>,
    owners: &mut OwnerStates<'_>,
) -> Result<RunSummary, DatabaseError> {
    let id: String = row.get(1)?;
    let damaged =
        |what: &str| DatabaseError::Damaged { run: id.clone(), reason: format!("it has no valid {what}") };
    let stored = row.get::<_, String>(3)?.parse().map_err(|_| damaged("state"))?;
    let standing = owners.state_of(stored, row.get(4)?);
    let (mut calls, mut bytes) = (unsigned(row, 10)?, unsigned(row, 15)?);
    if !stored.is_final() {
        // Its row gets these numbers when it ends.
        let sql =
            "SELECT coalesce(sum(is_call), 0), coalesce(sum(length(entry)), 0) FROM entries WHERE run = ?1";
        let number: i64 = row.get(0)?;
        let counted: (u64, u64) = connection
            .prepare_cached(sql)?
            .query_row([number], |row| Ok((unsigned(row, 0)?, unsigned(row, 1)?)))?;
        (calls, bytes) = (counted.0, counted.1.max(bytes));
    }
    Ok(RunSummary {
        id: RunId::parse(&id).map_err(|_| damaged("id"))?,
        begun_ms: unsigned(row, 2)?,
        state: standing.state,
        is_complete: !row.get::<_, bool>(5)? && !standing.has_losses,
        process: standing.process,
        origin: row.get::<_, String>(6)?.parse().map_err(|_| damaged("origin"))?,
        caller: row.get(7)?,
        name: row.get(8)?,
        title: row.get(9)?,
        calls,
        failed_calls: unsigned(row, 11)?,
        wall_ms: optional(row, 12)?,
        ended_ms: optional(row, 13)?,
        error: row.get(14)?,
        bytes,
    })
}

fn optional(row: &Row<'_>, column: usize) -> Result<Option<u64>, rusqlite::Error> {
    Ok(row.get::<_, Option<i64>>(column)?.and_then(|number| u64::try_from(number).ok()))
}
