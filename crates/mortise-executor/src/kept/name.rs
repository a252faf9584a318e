//! Names of kept values.

use std::fmt;

use super::KeptError;
use crate::journal::RunId;

/// How the address of a kept value begins, as a resource.
pub const KEPT_URI: &str = "mortise://kept/";

/// The name of a kept value. Invariant: 1 to 64 letters, digits, `_`, `-` and `.` of ASCII.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeptName(String);

impl KeptName {
    /// Characters of the longest name.
    pub const LONGEST: usize = 64;

    /// Reads one.
    ///
    /// # Errors
    ///
    /// When it is empty, too long, or has other characters.
    pub fn parse(text: &str) -> Result<Self, KeptError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        match (1..=Self::LONGEST).contains(&text.len()) && text.bytes().all(is_plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(KeptError::Name { text: mortise_contract::text::cut(text, Self::LONGEST) }),
        }
    }

    /// The name under which the output of a run is kept.
    pub fn of_output(run: &RunId) -> Self {
        Self(format!("output-{run}"))
    }

    /// Its address as a resource.
    pub fn uri(&self) -> String {
        format!("{KEPT_URI}{self}")
    }

    /// The name that an address means.
    pub fn from_uri(uri: &str) -> Option<Self> {
        Self::parse(uri.strip_prefix(KEPT_URI)?).ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeptName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
