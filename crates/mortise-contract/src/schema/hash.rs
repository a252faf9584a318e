//! The name of a schema by content.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::json::canonical_text;
use crate::text::hex;

/// SHA-256 of a schema's canonical text, in hex. Key order and white space make no difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SchemaHash(Arc<str>);

impl SchemaHash {
    /// The hash of a schema.
    pub fn of(schema: &Value) -> Self {
        Self(hex_digest(&canonical_text(schema)).into())
    }

    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SchemaHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn hex_digest(text: &str) -> String {
    hex(&hmac_sha256::Hash::hash(text.as_bytes()))
}
