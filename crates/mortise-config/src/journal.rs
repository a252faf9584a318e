//! Whether runs are recorded, and how long.

/// Whether runs are recorded, how long they are kept, and what happens when they can't be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct JournalSettings {
    /// Whether runs are not recorded at all.
    pub is_off: bool,
    /// Days after which a run that has ended is removed; `None` is the journal's default.
    pub keep_days: Option<u64>,
    /// Bytes of all runs, above which the oldest are removed; `None` is the journal's default.
    pub keep_bytes: Option<u64>,
    pub on_failure: OnJournalFailure,
}

impl JournalSettings {
    /// The most days that can be set.
    pub const MAX_KEEP_DAYS: usize = 36_500;
    /// The most bytes that can be set.
    pub const MAX_KEEP_BYTES: usize = 1024 * 1024 * 1024 * 1024;
}

/// What programs do while the journal can't be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnJournalFailure {
    /// They run unrecorded.
    #[default]
    GoOn,
    /// They stop before their next call.
    Stop,
}
