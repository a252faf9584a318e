//! Server-sent events out of a byte stream, bounded.

use memchr::memchr2;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    pub(crate) name: Option<String>,
    /// The data lines, joined; `None` when there were none.
    pub(crate) data: Option<Vec<u8>>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
}

/// An event has grown past the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EventTooLarge;

/// Splits bytes into events whose text has at most `limit` bytes.
#[derive(Debug)]
pub(crate) struct SseParser {
    limit: usize,
    line: Vec<u8>,
    /// The line so far is a comment; nothing of it is kept.
    comment: bool,
    after_carriage_return: bool,
    at_start: bool,
    event: SseEvent,
    has_fields: bool,
}

impl SseParser {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            comment: false,
            after_carriage_return: false,
            at_start: true,
            event: SseEvent::default(),
            has_fields: false,
        }
    }

    /// Takes in bytes; complete events go to `out`.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], out: &mut Vec<SseEvent>) -> Result<(), EventTooLarge> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_carriage_return) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = memchr2(b'\n', b'\r', bytes);
            self.extend(&bytes[..end.unwrap_or(bytes.len())])?;
            let Some(end) = end else { return Ok(()) };
            self.after_carriage_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            out.extend(self.end_line());
        }
        Ok(())
    }

    fn extend(&mut self, piece: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.is_empty() && piece.first() == Some(&b':') {
            self.comment = true;
        }
        if self.comment {
            return Ok(());
        }
        let held = self.event.data.as_ref().map_or(0, Vec::len);
        if held + self.line.len() + piece.len() > self.limit.saturating_add("data: ".len()) {
            return Err(EventTooLarge);
        }
        self.line.extend_from_slice(piece);
        Ok(())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        if std::mem::take(&mut self.comment) {
            return None;
        }
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.at_start) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_fields).then_some(event);
        }
        self.field(line);
        None
    }

    fn field(&mut self, mut line: Vec<u8>) {
        let colon = memchr::memchr(b':', &line).unwrap_or(line.len());
        let value_start = match line.get(colon + 1) {
            Some(b' ') => colon + 2,
            _ => (colon + 1).min(line.len()),
        };
        let name = line[..colon].to_vec();
        let text = |line: &[u8]| String::from_utf8_lossy(&line[value_start..]).into_owned();
        match name.as_slice() {
            b"data" => match &mut self.event.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(&line[value_start..]);
                }
                None => {
                    line.drain(..value_start);
                    self.event.data = Some(line);
                }
            },
            b"event" => self.event.name = Some(text(&line)),
            b"id" if !line.contains(&0) => self.event.id = Some(text(&line)),
            b"retry" => self.event.retry = text(&line).parse().ok(),
            _ => return,
        }
        self.has_fields = true;
    }
}

#[cfg(test)]
mod tests;
