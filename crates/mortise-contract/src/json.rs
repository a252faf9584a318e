//! A JSON text kept exactly as its sender wrote it.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

/// One well-formed JSON text, verbatim: digits, key order and white space survive.
///
/// Cheap to clone. Use [`RawJson::value`] to look inside; what is forwarded,
/// shown or handed to a program is always [`RawJson::text`].
#[derive(Clone, Debug)]
pub struct RawJson(Arc<RawValue>);

/// Why a text is not JSON that can be worked with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// The text is not JSON.
    #[error("not JSON: {message}")]
    Syntax {
        /// The parser's own words, with line and column.
        message: String,
    },
    /// The value nests deeper than the bound.
    #[error("JSON nests deeper than {limit} levels")]
    TooDeep {
        /// The bound that was passed.
        limit: usize,
    },
}

impl RawJson {
    /// Checks that `text` is one JSON value and keeps it.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let raw: Box<RawValue> =
            serde_json::from_str(text).map_err(|error| JsonError::Syntax { message: error.to_string() })?;
        Ok(Self(raw.into()))
    }

    /// The text, as sent.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// The parsed value.
    pub fn value(&self) -> Result<Value, JsonError> {
        serde_json::from_str(self.text()).map_err(|error| JsonError::Syntax { message: error.to_string() })
    }
}
