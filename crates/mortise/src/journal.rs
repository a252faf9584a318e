//! The journal of this user's runs: where it is, and how commands open it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use mortise_client::environment::Environment;
use mortise_config::{JournalSettings, OnJournalFailure};
use mortise_executor::journal::{Journal as _, JournalError};
use mortise_executor::recording;
use mortise_executor::run::{Executor, JournalSetup};
use mortise_journal::{JournalOptions, JournalReader, KeptTable, QuestionTable, SqliteJournal};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;

/// The journal for a command that runs programs; `None` if runs are not recorded.
///
/// One that can't be written is returned too: it is tried again while programs run, and has a fault until then.
///
/// # Errors
///
/// When it can't be written, and the configuration says that programs stop then.
pub(crate) fn open(app: &App, settings: &JournalSettings) -> Result<Option<Arc<SqliteJournal>>, Failure> {
    if settings.is_off {
        return Ok(None);
    }
    let Some(directory) = directory(&app.environment) else {
        return match settings.on_failure {
            OnJournalFailure::GoOn => Ok(None),
            OnJournalFailure::Stop => Err(no_directory()),
        };
    };
    let mut options = JournalOptions::new(directory);
    options.keep_days = settings.keep_days.unwrap_or(options.keep_days);
    options.keep_bytes = settings.keep_bytes.unwrap_or(options.keep_bytes);
    let journal = SqliteJournal::open(&options);
    match (journal.fault(), settings.on_failure) {
        (Some(fault), OnJournalFailure::Stop) => {
            return Err(failed(&fault).hint("`journal: {on_failure: go_on}` runs programs unrecorded"));
        }
        (Some(fault), OnJournalFailure::GoOn) => {
            app.terminal.warn(&format!("runs are not recorded: {fault}"))
        }
        (None, _) => {}
    }
    Ok(Some(Arc::new(journal)))
}

/// The journal for a command that looks at runs.
pub(crate) fn reader(app: &App) -> Result<JournalReader, Failure> {
    directory(&app.environment).map(JournalReader::new).ok_or_else(no_directory)
}

/// Where the journal is; `None` without a state directory.
pub(crate) fn directory(environment: &Environment) -> Option<PathBuf> {
    environment.state_directory.as_ref().map(|state| state.join("journal"))
}

/// Why a run can't be found, read or claimed.
pub(crate) fn failed(error: &JournalError) -> Failure {
    let exit = match error {
        JournalError::Unreadable { .. } | JournalError::Unwritable { .. } => Exit::Configuration,
        _ => Exit::Usage,
    };
    let failure = Failure::from_error(exit, error);
    match error {
        JournalError::NoRun { .. } => failure.hint("`mortise runs` lists the runs that are kept"),
        JournalError::Ambiguous { .. } => failure.hint("write more of the id"),
        _ => failure,
    }
}

fn no_directory() -> Failure {
    Failure::new(Exit::Configuration, "there is no state directory, so runs are not kept")
        .hint("set HOME or XDG_STATE_HOME")
}

/// Records the runs of an executor, with their questions and the values that they keep. Without a journal, questions and
/// values are kept in memory.
pub(crate) fn attach(
    app: &App,
    executor: &Executor,
    journal: Option<Arc<SqliteJournal>>,
    on_failure: OnJournalFailure,
) {
    let Some(journal) = journal else { return };
    if let Some(directory) = directory(&app.environment) {
        executor.set_kept_values(Arc::new(KeptTable::new(directory.clone())));
        executor.approvals().set_store(Arc::new(QuestionTable::new(directory)));
    }
    let on_failure = match on_failure {
        OnJournalFailure::GoOn => recording::OnJournalFailure::GoOn,
        OnJournalFailure::Stop => recording::OnJournalFailure::Stop,
    };
    executor.set_journal(Some(JournalSetup { journal, on_failure }));
}

/// The questions about runs.
pub(crate) fn questions(app: &App) -> Result<QuestionTable, Failure> {
    directory(&app.environment).map(QuestionTable::new).ok_or_else(no_directory)
}

/// The values that programs keep.
pub(crate) fn kept(app: &App) -> Result<KeptTable, Failure> {
    directory(&app.environment).map(KeptTable::new).ok_or_else(no_directory)
}

/// Milliseconds since 1970, to say how old a run is.
pub(crate) fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}
