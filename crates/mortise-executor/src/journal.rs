//! What is kept of every run, and the trait of the store that keeps it.
//!
//! A run is one append-only list of entries. `entry` has what an entry holds; the store decides how it is written.

mod document;
mod entry;
mod id;

use std::fmt;
use std::path::PathBuf;

use futures::future::BoxFuture;

pub use self::document::{RunDocumentError, SAVED_RUN_FORMAT};
pub use self::entry::{
    AnswerEntry, CallEntry, ContractUse, ENTRY_FORMAT, KeptFile, Repeatability, RunBegun, RunEnd, RunEntry,
    RunOrigin, RunState,
};
pub use self::id::{RunId, RunIdError};

/// Keeps runs. Owned by the executor, implemented by its user; `mortise-journal` keeps them in SQLite.
///
/// Entries of one run are kept in the order of the calls of [`Journal::append`]. No method blocks for longer than it
/// takes to put something into a queue, except those that read.
pub trait Journal: fmt::Debug + Send + Sync + 'static {
    /// A new run begins; this process runs it.
    fn begin(&self, run: &RunId, begun: RunBegun);

    /// Adds an entry to a run that this process runs.
    fn append(&self, run: &RunId, entry: RunEntry);

    /// Completes when all entries of this run up to now are kept so well.
    fn kept(&self, run: &RunId, durability: Durability) -> BoxFuture<'static, Result<(), JournalError>>;

    /// This process goes on with a run that no process runs.
    ///
    /// # Errors
    ///
    /// When there is no such run, it has ended, or another process runs it.
    fn claim(&self, run: &RunId) -> Result<(), JournalError>;

    /// A run with all its entries.
    ///
    /// # Errors
    ///
    /// When there is no such run, or what is kept of it can't be read.
    fn read(&self, run: &RunId) -> Result<KeptRun, JournalError>;

    /// The run that an id, the beginning of one, or `last` means.
    ///
    /// # Errors
    ///
    /// When there is none, or more than one.
    fn find(&self, name: &str) -> Result<RunId, JournalError>;

    /// Why entries can't be kept at the moment; `None` while they can.
    fn fault(&self) -> Option<JournalError>;
}

/// How well an entry must be kept before something goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of this process.
    Process,
    /// It survives the end of the machine.
    Machine,
}

/// A run as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    pub id: RunId,
    pub begun: RunBegun,
    pub state: RunState,
    /// In the order in which they were added.
    pub entries: Vec<RunEntry>,
    /// Whether no entry is missing. Otherwise the run can be looked at, and neither resumed nor replayed.
    pub is_complete: bool,
}

/// Why a run can't be kept or read.
#[derive(Clone, Debug, thiserror::Error)]
pub enum JournalError {
    /// No run has that id.
    #[error("there is no run `{name}`")]
    NoRun {
        /// What was asked for.
        name: String,
    },
    /// Several runs begin like that.
    #[error("`{name}` is the beginning of {} runs: {}", ids.len(), ids.join(", "))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// Some of them.
        ids: Vec<String>,
    },
    /// Another process runs it.
    #[error("run `{run}` is running in process {process}")]
    Running { run: RunId, process: u32 },
    /// It has ended.
    #[error("run `{run}` has ended")]
    Ended { run: RunId },
    /// Some of its entries were lost.
    #[error(
        "run `{run}` can't go on: the journal could not be written while it ran, so some of its entries are lost"
    )]
    Incomplete {
        /// The run.
        run: RunId,
    },
    /// The journal can't be written.
    #[error("the journal `{}` can't be written: {reason}", path.display())]
    Unwritable { path: PathBuf, reason: String },
    /// What is kept can't be read.
    #[error("the journal `{}` can't be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
}
