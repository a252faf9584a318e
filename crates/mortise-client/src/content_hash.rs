//! The hash that stands for what a file or a configured server says.

use std::fmt;

use mortise_contract::text::hex;
use serde::{Deserialize, Serialize};

/// SHA-256 of a file's content, in hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentHash(String);

impl ContentHash {
    /// The hash of `content`.
    pub fn of(content: &[u8]) -> Self {
        Self(hex(&hmac_sha256::Hash::hash(content)))
    }

    /// The hash as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
