//! Lines out of a byte stream, for a witness.

use std::collections::VecDeque;

use crate::limits::FRAME_BYTES;

/// The lines that have come so far.
#[derive(Default)]
pub(super) struct RelayLines {
    partial: Vec<u8>,
    /// The line is longer than any message may be, and nothing of it is kept.
    is_too_long: bool,
}

impl RelayLines {
    /// Takes in bytes; complete lines go to `out`, without their ends. Empty lines are left out.
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut VecDeque<String>) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.extend(&rest[..end]);
            out.extend(self.line());
            rest = &rest[end + 1..];
        }
        self.extend(rest);
    }

    /// What is left when the stream has ended.
    pub(super) fn line(&mut self) -> Option<String> {
        if std::mem::take(&mut self.is_too_long) {
            return Some(format!("[a message of more than {FRAME_BYTES} bytes]"));
        }
        let mut line = std::mem::take(&mut self.partial);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        let text = match String::from_utf8(line) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        (!text.is_empty()).then_some(text)
    }

    fn extend(&mut self, piece: &[u8]) {
        if self.is_too_long || self.partial.len() + piece.len() > FRAME_BYTES {
            self.is_too_long = true;
            self.partial = Vec::new();
            return;
        }
        self.partial.extend_from_slice(piece);
    }
}

#[cfg(test)]
mod tests;
