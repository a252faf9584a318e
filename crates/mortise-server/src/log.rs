//! Levels of log messages to a client.

use std::collections::HashMap;

use parking_lot::Mutex;

/// The level of a log message: those of syslog, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LogLevel {
    /// For debugging the tool.
    Debug,
    /// For following its work.
    Info,
    /// Normal, but significant.
    Notice,
    /// Something is off.
    Warning,
    /// Something failed.
    Error,
    /// A part of the server is down.
    Critical,
    /// Someone must act now.
    Alert,
    /// Nothing works.
    Emergency,
}

impl LogLevel {
    /// Its string form in the protocol.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The level of that name.
    pub fn parse(name: &str) -> Option<Self> {
        use LogLevel::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
        [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency]
            .into_iter()
            .find(|level| level.as_str() == name)
    }
}

/// The levels that sessions have asked for, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct LogLevels(Mutex<HashMap<u64, LogLevel>>);

impl LogLevels {
    /// Notes what a session wants; the most detailed level that any wants.
    pub(crate) fn set(&self, session: u64, level: LogLevel) -> LogLevel {
        let mut levels = self.0.lock();
        levels.insert(session, level);
        levels.values().min().copied().unwrap_or(level)
    }

    pub(crate) fn forget(&self, session: u64) {
        self.0.lock().remove(&session);
    }
}
