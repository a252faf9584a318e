//! What a warden says of its server: one line each.

use std::fmt;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The server runs under this process id.
    Started(i32),
    /// The server can't be started: the system's error number.
    Failed(i32),
    /// The server has ended with this code.
    Exited(i32),
    /// A signal has ended the server.
    Signalled(i32),
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, number) = match self {
            Self::Started(pid) => ("started", pid),
            Self::Failed(error) => ("failed", error),
            Self::Exited(code) => ("exited", code),
            Self::Signalled(signal) => ("signalled", signal),
        };
        writeln!(formatter, "{word} {number}")
    }
}

impl Report {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (word, number) = line.trim_end().split_once(' ')?;
        let number = number.parse().ok()?;
        match word {
            "started" => Some(Self::Started(number)),
            "failed" => Some(Self::Failed(number)),
            "exited" => Some(Self::Exited(number)),
            "signalled" => Some(Self::Signalled(number)),
            _ => None,
        }
    }
}
