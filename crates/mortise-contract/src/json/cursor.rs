//! Steps through a well-formed JSON text value by value, without parsing what is passed over.

use std::borrow::Cow;

use super::scan::{end_of_string, end_of_value, next_value};

/// A place in a text that is known to be one JSON value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextCursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> TextCursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: next_value(text.as_bytes(), 0) }
    }

    /// The first byte of the value at this place; 0 at the end of the text.
    pub(crate) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    /// Steps into the container at this place.
    pub(crate) fn enter(&mut self) {
        self.at = next_value(self.text.as_bytes(), self.at + 1);
    }

    /// Steps out of a container if it ends here with `end`, or with the text.
    pub(crate) fn leaves(&mut self, end: u8) -> bool {
        let is_end = self.at >= self.text.len() || self.peek() == end;
        if is_end {
            self.enter();
        }
        is_end
    }

    /// The key at this place, and on to its value; `None` for a key that is not Unicode.
    pub(crate) fn key(&mut self) -> Option<Cow<'a, str>> {
        let end = end_of_string(self.text.as_bytes(), self.at);
        let key = self.text.get(self.at..end).unwrap_or_default();
        self.at = next_value(self.text.as_bytes(), end);
        if key.contains('\\') {
            return serde_json::from_str::<String>(key).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key)))
    }

    /// The text of the string, number or word at this place, and on to the next value.
    pub(crate) fn scalar(&mut self) -> &'a str {
        let start = self.at;
        let end = end_of_value(self.text.as_bytes(), start);
        self.at = next_value(self.text.as_bytes(), end);
        self.text.get(start..end).unwrap_or_default()
    }

    pub(crate) fn skip_value(&mut self) {
        self.scalar();
    }
}
