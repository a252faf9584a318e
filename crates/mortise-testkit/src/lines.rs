//! Frames of a line stream, read with a bound.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use crate::PeerError;

/// One line as it came, without its newline.
#[derive(Clone, Debug, PartialEq)]
pub struct LineFrame {
    /// The bytes, a carriage return at the end included.
    pub raw: Vec<u8>,
    /// The line as JSON, if it is that.
    pub json: Option<Value>,
}

impl LineFrame {
    pub(crate) fn new(raw: Vec<u8>) -> Self {
        let json = serde_json::from_slice(&raw).ok();
        Self { raw, json }
    }

    /// The line as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Whether this is the response to `id`.
    pub fn answers(&self, id: &Value) -> bool {
        self.json.as_ref().is_some_and(|json| json.get("method").is_none() && json.get("id") == Some(id))
    }

    /// The method, if this is a request or a notification.
    pub fn method(&self) -> Option<&str> {
        self.json.as_ref()?.get("method")?.as_str()
    }
}

/// The next line, `None` at the end of the stream. A last line without newline counts.
///
/// What was read of a line stays in `partial`, so a cancelled wait loses nothing.
pub(crate) async fn next_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    partial: &mut Vec<u8>,
    limit: usize,
) -> Result<Option<Vec<u8>>, PeerError> {
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(if partial.is_empty() { None } else { Some(std::mem::take(partial)) });
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.unwrap_or(available.len());
        if partial.len() + taken > limit {
            return Err(PeerError::LineTooLong { limit });
        }
        partial.extend_from_slice(&available[..taken]);
        reader.consume(taken + usize::from(newline.is_some()));
        if newline.is_some() {
            return Ok(Some(std::mem::take(partial)));
        }
    }
}
