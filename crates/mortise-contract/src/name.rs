//! Server, tool and callable names, and the reversible map between them.

#[cfg(feature = "names")]
mod log;
#[cfg(feature = "names")]
mod map;

use std::fmt;

use crate::limits;

#[cfg(feature = "names")]
pub use map::{NameLength, NameMap, RenameReason, Renamed};

/// The key under which a server is configured. Invariant: 1 to 128 characters, none of them a control character.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerName(String);

/// A tool's name exactly as its server spells it. Invariant: not empty.
///
/// Odd names are accepted, since servers in the wild have them; [`ToolName::warning`]
/// says what is wrong with one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(String);

/// `mcp__<server>__<tool>` as a program calls it. Invariant: a Python identifier of at most 128 characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallableName(String);

/// How every callable name begins.
pub const CALLABLE_START: &str = "mcp__";

/// What the source of a program says when it looks names up by text: it can then call tools that it does not name.
/// `getattr` alone is none of them: it needs the module first, and all ways to that are here.
pub const NAME_LOOK_UPS: [&str; 13] = [
    "globals",
    "locals",
    "vars",
    "eval",
    "exec",
    "modules",
    "import_module",
    "__import__",
    "__dict__",
    "__globals__",
    "f_globals",
    "f_locals",
    "currentframe",
];

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The text is empty.
    #[error("a {kind} name can't be empty")]
    Empty {
        /// `server` or `tool`.
        kind: &'static str,
    },
    /// The text is longer than the bound.
    #[error("the {kind} name is {length} characters long; the limit is {limit}")]
    TooLong {
        /// `server` or `tool`.
        kind: &'static str,
        /// Characters found.
        length: usize,
        /// Characters allowed.
        limit: usize,
    },
    /// The text has a character that a name can't have.
    #[error("the {kind} name has {character:?} in it")]
    BadCharacter {
        /// `server` or `tool`.
        kind: &'static str,
        /// The offending character.
        character: char,
    },
}

impl ServerName {
    /// Checks a configured server key.
    pub fn parse(raw: &str) -> Result<Self, NameError> {
        const KIND: &str = "server";
        if raw.is_empty() {
            return Err(NameError::Empty { kind: KIND });
        }
        let (length, limit) = (raw.chars().count(), limits::NAME_CHARS);
        if length > limit {
            return Err(NameError::TooLong { kind: KIND, length, limit });
        }
        match raw.chars().find(|character| character.is_control()) {
            Some(character) => Err(NameError::BadCharacter { kind: KIND, character }),
            None => Ok(Self(raw.to_owned())),
        }
    }

    /// The part of a text that can be a name, or `server` where nothing is left.
    pub fn lossy(text: &str) -> Self {
        let name: String =
            text.chars().filter(|character| !character.is_control()).take(limits::NAME_CHARS).collect();
        Self(if name.is_empty() { "server".to_owned() } else { name })
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How the callable names of the server's tools begin: `mcp__my_server__` for `my-server`.
    ///
    /// Only names that had to be cut to the longest length begin otherwise.
    pub fn callable_prefix(&self) -> String {
        format!("{CALLABLE_START}{}__", sanitise(&self.0))
    }
}

impl ToolName {
    /// Checks a tool name; only the empty one is refused.
    pub fn parse(raw: &str) -> Result<Self, NameError> {
        if raw.is_empty() { Err(NameError::Empty { kind: "tool" }) } else { Ok(Self(raw.to_owned())) }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the specification's naming guidance (1 to 128 of `A-Za-z0-9_.-`) says against this name.
    pub fn warning(&self) -> Option<String> {
        let length = self.0.chars().count();
        if length > limits::NAME_CHARS {
            return Some(format!(
                "the name is {length} characters long; the specification advises at most {}",
                limits::NAME_CHARS
            ));
        }
        let plain =
            |character: &char| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-');
        let odd = self.0.chars().find(|character| !plain(character))?;
        let hidden = odd.is_control() || !(odd.is_ascii() || odd.is_alphanumeric());
        let odd = if hidden { odd.escape_unicode().to_string() } else { odd.to_string() };
        Some(format!(
            "the name has `{odd}` in it; the specification advises A-Z, a-z, 0-9, `_`, `.` and `-` only"
        ))
    }
}

impl CallableName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Every character outside `A-Za-z0-9_` becomes `_`.
fn sanitise(part: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    if part.is_empty() { "_".to_owned() } else { part.chars().map(plain).collect() }
}

impl fmt::Display for ServerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
impl fmt::Display for ToolName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
impl fmt::Display for CallableName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
#[cfg(feature = "names")]
mod tests;
