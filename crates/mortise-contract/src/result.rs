//! A `tools/call` result read without losing anything.

use serde_json::{Map, Value};

use crate::RawJson;
use crate::json::JsonError;

/// What a server answered to `tools/call`, verbatim and tolerantly read.
#[derive(Clone, Debug)]
pub struct ToolResult {
    /// The `result` member as the server wrote it.
    pub raw: RawJson,
    /// Every content block in order, unknown kinds included.
    pub content: Vec<ContentBlock>,
    /// `structuredContent`, when the key is present; null counts as present.
    pub structured: Option<RawJson>,
    /// `isError`, false when absent.
    pub is_error: bool,
    /// `_meta`.
    pub meta: Option<Map<String, Value>>,
    /// What is not as the protocol wants it, e.g. `/isError is a string`.
    pub faults: Vec<ResultFault>,
}

/// One content block.
#[derive(Clone, Debug)]
pub struct ContentBlock {
    /// The block as sent.
    pub raw: RawJson,
    /// What it is.
    pub kind: ContentKind,
}

/// What a content block holds.
#[derive(Clone, Debug, PartialEq)]
pub enum ContentKind {
    /// Text.
    Text(String),
    /// An image; the size of the decoded data.
    Image {
        /// Media type.
        mime_type: String,
        /// Decoded bytes.
        bytes: usize,
    },
    /// Sound; the size of the decoded data.
    Audio {
        /// Media type.
        mime_type: String,
        /// Decoded bytes.
        bytes: usize,
    },
    /// A resource's content.
    Resource {
        /// Its address.
        uri: String,
        /// Media type.
        mime_type: Option<String>,
    },
    /// A link to a resource.
    ResourceLink {
        /// Its address.
        uri: String,
    },
    /// A kind we don't know; kept raw.
    Other {
        /// The value of `type`, empty if there is none.
        kind: String,
    },
}

/// Something in a result that is not as the protocol wants it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFault {
    /// JSON pointer into the result.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl ToolResult {
    /// Reads a result; only a text that is not a JSON object is refused.
    pub fn parse(_raw: RawJson) -> Result<Self, JsonError> {
        todo!()
    }

    /// The texts of all text blocks, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.content.iter().filter_map(|block| match &block.kind {
            ContentKind::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }
}
