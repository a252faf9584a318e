//! Takes over a run that no process runs.

use mortise_executor::journal::{JournalError, RunId, RunState};
use rusqlite::{OptionalExtension, TransactionBehavior, params};

use crate::directory::JournalDirectory;
use crate::journal_error::DatabaseError;
use crate::process_mark::{OwnerState, owner_state};

/// Makes `owner` the process that runs it. Of two that try at once, one gets it.
pub(crate) fn claim(directory: &JournalDirectory, run: &RunId, owner: &str) -> Result<(), JournalError> {
    let path = directory.database();
    let no_run = || JournalError::NoRun { name: run.to_string() };
    let Some(mut connection) = directory.open_existing().map_err(|error| error.unreadable(&path))? else {
        return Err(no_run());
    };
    let failed = |error: rusqlite::Error| DatabaseError::from(error).unwritable(&path);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    let row: Option<(String, Option<String>, bool)> = transaction
        .query_row("SELECT state, owner, lost FROM runs WHERE id = ?1", [run.as_str()], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()
        .map_err(failed)?;
    let (state, known_owner, is_lost) = row.ok_or_else(no_run)?;
    if state.parse().is_ok_and(RunState::is_final) {
        return Err(JournalError::Ended { run: run.clone() });
    }
    let owner_state = known_owner.map(|name| owner_state(&directory.marks(), &name));
    if let Some(OwnerState::Alive { process }) = owner_state {
        return Err(JournalError::Running { run: run.clone(), process });
    }
    if is_lost || owner_state == Some(OwnerState::GoneWithLosses) {
        return Err(JournalError::Incomplete { run: run.clone() });
    }
    transaction
        .execute("UPDATE runs SET state = 'running', owner = ?2 WHERE id = ?1", params![run.as_str(), owner])
        .map_err(failed)?;
    transaction.commit().map_err(failed)
}
