//! The limits of the journal.

use std::time::Duration;

use mortise_contract::limits::MIB;

mortise_contract::limits! {
    /// Age at which a run that has ended is removed.
    KEEP_DAYS: u64 = 30, "journal", "age of a run that has ended, in days", "30", Some("journal.keep_days");
    /// Bytes of all runs, above which the oldest of those that have ended are removed.
    KEEP_BYTES: usize = 1024 * MIB, "journal", "size of all runs", "1 GiB", Some("journal.keep_bytes");
    /// Age at which a run that waits or was interrupted is removed. It can be resumed until then.
    KEEP_RESUMABLE_DAYS: u64 = 90, "journal", "age of a run that can be resumed, in days", "90", None;
    /// How long apart old runs are looked for.
    PRUNE_EVERY: Duration = Duration::from_secs(3600), "journal", "time between two removals of old runs", "3600 s", None;
    /// Bytes of entries that wait to be written. A run whose entry does not fit is recorded no further.
    QUEUED_BYTES: usize = 64 * MIB, "journal", "entries waiting to be written", "64 MiB", None;
    /// Entries that wait to be written. A run whose entry does not fit is recorded no further.
    QUEUED_ENTRIES: usize = 65_536, "journal", "number of entries waiting to be written", "65,536", None;
    /// How long a write waits for another process.
    WRITE_TURN: Duration = Duration::from_secs(5), "journal", "waiting for another process to write", "5 s", None;
    /// How long apart writing is tried while the journal can't be written.
    RETRY_EVERY: Duration = Duration::from_secs(1), "journal", "time between two tries to write to a full disk", "1 s", None;
    /// How long a run that goes on waits for the journal to be opened.
    FIRST_OPEN: Duration = Duration::from_secs(5), "journal", "waiting for the journal to be opened", "5 s", None;
    /// How long the end of the process waits for entries to be written.
    LAST_WRITE: Duration = Duration::from_secs(5), "journal", "writing the last entries at the end", "5 s", None;
}

/// Bytes of a value above which it is kept once, by its digest.
pub(crate) const CONTENT_BYTES: usize = 1024;
/// Bytes written after which what is in the write-ahead log is moved into the database.
pub(crate) const CHECKPOINT_BYTES: usize = 8 * MIB;
/// Characters of a program's first line and of an error that a list shows.
pub(crate) const TITLE_CHARACTERS: usize = 200;
/// Databases that could not be read, and were set aside.
pub(crate) const SET_ASIDE: usize = 2;
