//! What was left out of a configuration, or is worth knowing about it.

use std::fmt;

use super::located::Place;

/// A remark about one entry. Nothing is wrong enough to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub place: Place,
    /// The server it is about, as it is written.
    pub server: String,
    /// What.
    pub kind: NoteKind,
}

/// What a [`Note`] says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoteKind {
    /// Switched off by the user.
    #[error("is disabled")]
    Disabled,
    /// It would start mortise again.
    #[error("is skipped: `{command}` is mortise itself")]
    OwnExecutable {
        /// The command as written.
        command: String,
    },
    /// A credential that travels unencrypted.
    #[error("sends a credential over plain http to a host that is not this machine")]
    PlainHttpCredential,
}

impl Note {
    /// Whether the server was left out.
    pub fn is_skipped(&self) -> bool {
        matches!(self.kind, NoteKind::Disabled | NoteKind::OwnExecutable { .. })
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: server `{}` {}", self.place, self.server, self.kind)
    }
}
