//! Server, tool and callable names, and the reversible map between them.

use std::fmt;

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
        todo!("{raw}")
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ToolName {
    /// Checks a tool name; only the empty one is refused.
    pub fn parse(raw: &str) -> Result<Self, NameError> {
        todo!("{raw}")
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the specification's naming guidance (1 to 128 of `A-Za-z0-9_.-`) says against this name.
    pub fn warning(&self) -> Option<String> {
        todo!()
    }
}

impl CallableName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
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

/// The reversible map between `(server, tool)` and [`CallableName`].
///
/// Built from a whole catalogue at once; the result does not depend on the
/// order of the entries.
#[derive(Clone, Debug, Default)]
pub struct NameMap {}

impl NameMap {
    /// Names every tool; colliding tools all get a stable suffix.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a ServerName, &'a ToolName)>) -> Self {
        let _ = entries.into_iter().count();
        todo!()
    }

    /// The callable name of a tool.
    pub fn callable(&self, _server: &ServerName, _tool: &ToolName) -> Option<&CallableName> {
        todo!()
    }

    /// The tool behind a callable name.
    pub fn target(&self, _callable: &str) -> Option<(&ServerName, &ToolName)> {
        todo!()
    }
}
