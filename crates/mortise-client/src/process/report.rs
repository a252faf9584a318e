//! What a warden says of its server: one line each.

use std::fmt;
use std::str::FromStr;

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

impl FromStr for Report {
    type Err = ();

    fn from_str(line: &str) -> Result<Self, ()> {
        let (word, number) = line.trim_end().split_once(' ').ok_or(())?;
        let number = number.parse().map_err(|_| ())?;
        match word {
            "started" => Ok(Self::Started(number)),
            "failed" => Ok(Self::Failed(number)),
            "exited" => Ok(Self::Exited(number)),
            "signalled" => Ok(Self::Signalled(number)),
            _ => Err(()),
        }
    }
}
