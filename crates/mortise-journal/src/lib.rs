//! The journal of runs in SQLite: what programs did, kept across restarts.
//!
//! * [`SqliteJournal`]: writes the runs of this process, and implements the executor's
//!   [`Journal`](mortise_executor::journal::Journal).
//! * [`QuestionTable`]: what people were asked about runs, and what they decided.
//! * [`KeptTable`]: the values that programs keep for later ones.
//! * [`JournalReader`]: lists, reads and removes runs, also while other processes write.
//!
//! `journal.md` beside this file says which thread does what, and what is on disk.

mod claim;
mod content;
mod directory;
mod journal_error;
mod keeper;
mod kept_table;
pub mod limits;
mod listing;
mod live_run;
mod process_mark;
mod prune;
mod questions;
mod queue;
mod reader;
mod schema;
mod sqlite_journal;
mod syncer;
mod wall_clock;
mod writer;

pub use self::kept_table::KeptTable;
pub use self::listing::{RunCursor, RunPage, RunQuery, RunSummary};
pub use self::prune::{PruneReport, PruneRules};
pub use self::questions::{DecisionTaken, QuestionTable, RunQuestion};
pub use self::reader::JournalReader;
pub use self::sqlite_journal::{JournalOptions, SqliteJournal};
