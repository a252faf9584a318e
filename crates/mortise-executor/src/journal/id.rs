//! Names of runs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Digits and letters that are not mistaken for one another.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Characters of an id: 60 random bits, which cannot be guessed.
const LENGTH: usize = 12;

/// The name of a run, such as `7k2m9q4x0abc`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunId(String);

/// A text that is not the name of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of a run: it has {LENGTH} digits and lower-case letters")]
pub struct RunIdError {
    text: String,
}

impl RunId {
    /// A new one. `None` where the system has no randomness.
    pub fn random() -> Option<Self> {
        let mut bytes = [0_u8; LENGTH];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self(bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte % 32)])).collect()))
    }

    /// Reads one.
    ///
    /// # Errors
    ///
    /// When the text has other characters or another length.
    pub fn parse(text: &str) -> Result<Self, RunIdError> {
        let is_id = text.len() == LENGTH && text.bytes().all(|byte| DIGITS.contains(&byte));
        if is_id {
            Ok(Self(text.to_owned()))
        } else {
            Err(RunIdError { text: text.chars().take(40).collect() })
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for RunId {
    type Error = RunIdError;

    fn try_from(text: String) -> Result<Self, RunIdError> {
        Self::parse(&text)
    }
}

impl From<RunId> for String {
    fn from(id: RunId) -> Self {
        id.0
    }
}
