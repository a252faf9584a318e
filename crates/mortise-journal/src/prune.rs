//! Removes runs: by age, by number, by size.

use std::collections::HashMap;

use mortise_executor::journal::RunState;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::directory::JournalDirectory;
use crate::journal_error::DatabaseError;
use crate::kept_table::kept_bytes;
use crate::limits;
use crate::listing::OwnerStates;
use crate::live_run::unsigned;

const DAY_MS: u64 = 24 * 3600 * 1000;
/// Runs that are removed in one transaction, so that the writer waits a moment only.
const RUNS_AT_ONCE: usize = 16;
/// Pages that are given back to the system at once.
const PAGES_AT_ONCE: usize = 1024;

/// Which runs are removed. A run that a process runs never is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneRules {
    /// Runs that have ended, and began longer ago than this.
    pub ended_age_ms: Option<u64>,
    /// Runs that can be resumed, and began longer ago than this.
    pub resumable_age_ms: Option<u64>,
    /// Of those that have ended, all but this many of the newest.
    pub keep_newest: Option<usize>,
    /// The oldest of those that have ended, until the journal is not larger than this.
    pub keep_bytes: Option<u64>,
}

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PruneReport {
    pub runs: usize,
    /// Bytes of their entries. What other runs share with them stays.
    pub bytes: u64,
}

impl PruneRules {
    /// What the configuration asks for.
    pub fn for_keeping(days: u64, bytes: u64) -> Self {
        Self {
            ended_age_ms: Some(days.saturating_mul(DAY_MS)),
            resumable_age_ms: Some(days.max(limits::KEEP_RESUMABLE_DAYS).saturating_mul(DAY_MS)),
            keep_newest: None,
            keep_bytes: Some(bytes),
        }
    }

    /// Everything but what a process runs.
    pub fn all() -> Self {
        Self { ended_age_ms: Some(0), resumable_age_ms: Some(0), ..Self::default() }
    }
}

/// A run that can be removed.
struct PrunableRun {
    number: i64,
    bytes: u64,
}

/// Removes runs. Stops early when `is_over`.
pub(crate) fn prune(
    connection: &mut Connection,
    directory: &JournalDirectory,
    rules: &PruneRules,
    now_ms: u64,
    is_over: &dyn Fn() -> bool,
) -> Result<PruneReport, DatabaseError> {
    let mut report = PruneReport::default();
    let chosen = choose(connection, directory, rules, now_ms)?;
    for runs in chosen.chunks(RUNS_AT_ONCE) {
        if is_over() {
            return Ok(report);
        }
        remove(connection, runs)?;
        report.add(runs);
    }
    if let Some(limit) = rules.keep_bytes {
        let candidates = oldest_ended(connection)?;
        for runs in candidates.chunks(RUNS_AT_ONCE) {
            if is_over() || used_bytes(connection)? <= limit {
                break;
            }
            remove(connection, runs)?;
            report.add(runs);
        }
    }
    give_back(connection, is_over)?;
    Ok(report)
}

/// What [`prune`] would remove. By size it is a guess: runs share values.
pub(crate) fn preview(
    connection: &Connection,
    directory: &JournalDirectory,
    rules: &PruneRules,
    now_ms: u64,
) -> Result<PruneReport, DatabaseError> {
    let mut report = PruneReport::default();
    report.add(&choose(connection, directory, rules, now_ms)?);
    Ok(report)
}

impl PruneReport {
    fn add(&mut self, runs: &[PrunableRun]) {
        self.runs += runs.len();
        self.bytes += runs.iter().map(|run| run.bytes).sum::<u64>();
    }
}

fn choose(
    connection: &Connection,
    directory: &JournalDirectory,
    rules: &PruneRules,
    now_ms: u64,
) -> Result<Vec<PrunableRun>, DatabaseError> {
    let mut owners = OwnerStates { directory, known: HashMap::new() };
    let mut statement = connection.prepare(
        "SELECT number, bytes, begun_ms, state, owner FROM runs ORDER BY begun_ms DESC, number DESC",
    )?;
    let mut rows = statement.query([])?;
    let (mut chosen, mut ended) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let stored: RunState = row.get::<_, String>(3)?.parse().unwrap_or(RunState::Failed);
        let state = owners.state_of(stored, row.get(4)?).state;
        let age = now_ms.saturating_sub(unsigned(row, 2)?);
        let is_old = |limit: Option<u64>| limit.is_some_and(|limit| age >= limit);
        let is_chosen = if state.is_final() {
            ended += 1;
            is_old(rules.ended_age_ms) || rules.keep_newest.is_some_and(|keep| ended > keep)
        } else {
            state != RunState::Running && is_old(rules.resumable_age_ms)
        };
        if is_chosen {
            chosen.push(PrunableRun { number: row.get(0)?, bytes: unsigned(row, 1)? });
        }
    }
    chosen.reverse();
    Ok(chosen)
}

fn oldest_ended(connection: &Connection) -> Result<Vec<PrunableRun>, DatabaseError> {
    let sql = "SELECT number, bytes FROM runs WHERE state NOT IN ('running', 'waiting', 'interrupted')
        ORDER BY begun_ms, number";
    let mut statement = connection.prepare(sql)?;
    let runs =
        statement.query_map([], |row| Ok(PrunableRun { number: row.get(0)?, bytes: unsigned(row, 1)? }))?;
    Ok(runs.collect::<Result<_, _>>()?)
}

/// Removes runs, and the values that no other run needs.
fn remove(connection: &mut Connection, runs: &[PrunableRun]) -> Result<(), DatabaseError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for run in runs {
        let contents: Vec<i64> = transaction
            .prepare_cached("SELECT content FROM uses WHERE run = ?1")?
            .query_map([run.number], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        for table in ["uses", "entries", "run_tools"] {
            transaction
                .prepare_cached(&format!("DELETE FROM {table} WHERE run = ?1"))?
                .execute([run.number])?;
        }
        let questions = "DELETE FROM questions WHERE run = (SELECT id FROM runs WHERE number = ?1)";
        transaction.prepare_cached(questions)?.execute([run.number])?;
        transaction.prepare_cached("DELETE FROM runs WHERE number = ?1")?.execute([run.number])?;
        let unused = "DELETE FROM contents WHERE number = ?1
            AND NOT EXISTS (SELECT 1 FROM uses WHERE content = ?1)";
        for content in contents {
            transaction.prepare_cached(unused)?.execute(params![content])?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Bytes of the database that hold something of runs. Kept values have bounds of their own.
fn used_bytes(connection: &Connection) -> Result<u64, DatabaseError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| unsigned(row, 0));
    let pages = pragma("page_count")?.saturating_sub(pragma("freelist_count")?);
    Ok((pages * pragma("page_size")?).saturating_sub(kept_bytes(connection)?))
}

/// Gives the room of what was removed back to the system, when it is a tenth of the file.
fn give_back(connection: &Connection, is_over: &dyn Fn() -> bool) -> Result<(), DatabaseError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| unsigned(row, 0));
    let (pages, mut free) = (pragma("page_count")?, pragma("freelist_count")?);
    if free < pages / 10 {
        return Ok(());
    }
    while free > 0 && !is_over() {
        connection.execute_batch(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
        let left = pragma("freelist_count")?;
        if left >= free {
            break;
        }
        free = left;
    }
    Ok(())
}
