//! The thread that keeps the journal small: it removes old runs, and moves the log into the database.

use std::time::Duration;

use mortise_executor::kept::KeptBounds;
use parking_lot::{Condvar, Mutex};
use rusqlite::OptionalExtension;

use crate::directory::{JournalDirectory, note};
use crate::journal_error::DatabaseError;
use crate::kept_table::remove_expired;
use crate::limits;
use crate::live_run::signed;
use crate::prune::{self, PruneRules};
use crate::sqlite_journal::JournalOptions;
use crate::wall_clock::now_ms;

/// The note that has when the journal was last pruned.
const PRUNED: &str = "pruned_ms";

#[derive(Debug)]
pub(crate) struct Keeper {
    rules: PruneRules,
    state: Mutex<KeeperOrders>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct KeeperOrders {
    is_log_large: bool,
    is_closed: bool,
}

impl Keeper {
    pub(crate) fn new(options: &JournalOptions) -> Self {
        let rules = PruneRules::for_keeping(options.keep_days, options.keep_bytes);
        Self { rules, state: Mutex::default(), changed: Condvar::new() }
    }

    /// The log has become large.
    pub(crate) fn nudge(&self) {
        self.state.lock().is_log_large = true;
        self.changed.notify_one();
    }

    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Works until it is closed.
    pub(crate) fn serve(&self, directory: &JournalDirectory) {
        loop {
            if let Err(error) = self.prune_if_due(directory) {
                tracing::debug!(%error, "old runs can't be removed now");
            }
            if !self.checkpoint_until(directory, limits::PRUNE_EVERY) {
                return;
            }
        }
    }

    /// Moves the log whenever it is large. Says whether the time was up, and not the journal closed.
    fn checkpoint_until(&self, directory: &JournalDirectory, time: Duration) -> bool {
        let end = std::time::Instant::now() + time;
        loop {
            {
                let mut state = self.state.lock();
                while !state.is_log_large && !state.is_closed {
                    if self.changed.wait_until(&mut state, end).timed_out() {
                        return true;
                    }
                }
                if state.is_closed {
                    return false;
                }
                state.is_log_large = false;
            }
            if let Err(error) = checkpoint(directory) {
                tracing::debug!(%error, "the log of the journal can't be moved into the database now");
            }
        }
    }

    fn prune_if_due(&self, directory: &JournalDirectory) -> Result<(), DatabaseError> {
        let Some(mut connection) = directory.open_existing()? else { return Ok(()) };
        let last: Option<i64> = connection
            .query_row("SELECT value FROM notes WHERE name = ?1", [PRUNED], |row| row.get(0))
            .optional()?;
        let now = now_ms();
        let due =
            last.unwrap_or_default() + i64::try_from(limits::PRUNE_EVERY.as_millis()).unwrap_or_default();
        // A clock that was set back must not stop it for long.
        if signed(now) < due && last.is_some_and(|last| last <= signed(now)) {
            return Ok(());
        }
        note(&connection, PRUNED, now)?;
        remove_expired(&connection, &KeptBounds::ON_DISK, now)?;
        let report =
            prune::prune(&mut connection, directory, &self.rules, now, &|| self.state.lock().is_closed)?;
        if report.runs > 0 {
            tracing::info!(runs = report.runs, bytes = report.bytes, "removed old runs from the journal");
        }
        Ok(())
    }
}

fn checkpoint(directory: &JournalDirectory) -> Result<(), DatabaseError> {
    let Some(connection) = directory.open_existing()? else { return Ok(()) };
    // Passive: neither readers nor the writer wait for it.
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    Ok(())
}
