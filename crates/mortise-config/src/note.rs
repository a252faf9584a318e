//! What was left out of a configuration, or is worth knowing about it.

use std::fmt;

use crate::located::ConfigPlace;

/// A remark about one entry. Nothing is wrong enough to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where the entry stands.
    pub place: ConfigPlace,
    /// The server it is about, as it is written.
    pub server: String,
    /// What the note says.
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
    /// An imported entry whose name is taken.
    #[error("is skipped: the name is already defined at {first}")]
    AlreadyDefined {
        /// Where the name is defined first.
        first: ConfigPlace,
    },
    /// An entry that `mortise init` can't take over.
    #[error("is skipped: {reason}")]
    Unusable {
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// A key of an imported entry that means nothing here.
    #[error("has the key `{key}`, which means nothing here")]
    UnknownKey { key: String },
    /// A question that another program asks its user.
    #[error("takes `${{{variable}}}` where the other program asks for `{input}`")]
    Input {
        /// What the other program calls it.
        input: String,
        /// The variable to set here.
        variable: String,
    },
    /// A secret that is written out.
    #[error("has a secret written out in `{key}`: a variable or a file is safer")]
    LiteralSecret {
        /// The variable or header that holds it.
        key: String,
    },
    /// A credential that travels unencrypted.
    #[error("sends a credential over plain http to a host that is not this machine")]
    PlainHttpCredential,
}

impl Note {
    /// Whether the server was left out.
    pub fn is_skipped(&self) -> bool {
        matches!(
            self.kind,
            NoteKind::Disabled
                | NoteKind::OwnExecutable { .. }
                | NoteKind::AlreadyDefined { .. }
                | NoteKind::Unusable { .. }
        )
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: server `{}` {}", self.place, self.server, self.kind)
    }
}
