//! Lines out of a byte stream, bounded.

use bytes::BytesMut;

/// Splits bytes into lines of at most `limit` bytes. A longer one is thrown away piece by piece.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    buffer: BytesMut,
    /// How much of the buffer was searched for a line end already.
    searched: usize,
    limit: usize,
    /// What is kept of a line that is being thrown away.
    oversized: Option<LineEnds>,
}

/// How much is kept of each end of a line that is too long.
const END_KEPT: usize = 512;

/// A line over this many bytes does not leave its allocation to the lines after it.
const LARGE_LINE: usize = 1024 * 1024;

/// What the splitter found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FrameLine {
    /// A line without its end.
    Whole(BytesMut),
    /// A line that was too long.
    Oversized(LineEnds),
}

/// Both ends of a line that was too long to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineEnds {
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl LineSplitter {
    pub(crate) fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit, oversized: None }
    }

    /// Where the next bytes go.
    pub(crate) fn buffer(&mut self) -> &mut BytesMut {
        self.buffer.reserve(8 * 1024);
        &mut self.buffer
    }

    /// The next line, if it is all there.
    pub(crate) fn next_line(&mut self) -> Option<FrameLine> {
        loop {
            let Some(offset) = memchr::memchr(b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                self.drop_excess();
                return None;
            };
            let end = self.searched + offset;
            let mut line = self.buffer.split_to(end + 1);
            self.searched = 0;
            if line.len() > LARGE_LINE {
                // What follows shares the allocation, and would keep it for as long as the connection lasts.
                self.buffer = BytesMut::from(&self.buffer[..]);
            }
            line.truncate(end);
            if line.last() == Some(&b'\r') {
                line.truncate(end - 1);
            }
            if let Some(mut ends) = self.oversized.take() {
                ends.extend(&line);
                return Some(FrameLine::Oversized(ends));
            }
            if line.len() > self.limit {
                return Some(FrameLine::Oversized(LineEnds::of(&line)));
            }
            if !line.is_empty() {
                return Some(FrameLine::Whole(line));
            }
        }
    }

    /// What is left when the stream has ended.
    pub(crate) fn rest(&mut self) -> Option<FrameLine> {
        self.searched = 0;
        let rest = self.buffer.split();
        if let Some(mut ends) = self.oversized.take() {
            ends.extend(&rest);
            return Some(FrameLine::Oversized(ends));
        }
        (!rest.is_empty()).then_some(FrameLine::Whole(rest))
    }

    /// A line that has already grown too long though its end has not come.
    pub(crate) fn oversized(&self) -> Option<&LineEnds> {
        self.oversized.as_ref()
    }

    fn drop_excess(&mut self) {
        if let Some(ends) = &mut self.oversized {
            ends.extend(&self.buffer);
            self.buffer.clear();
            self.searched = 0;
        } else if self.buffer.len() > self.limit {
            self.oversized = Some(LineEnds::of(&self.buffer));
            // A new buffer, so that the large allocation is given back.
            self.buffer = BytesMut::new();
            self.searched = 0;
        }
    }
}

impl LineEnds {
    fn of(line: &[u8]) -> Self {
        let mut ends = Self { head: line[..line.len().min(END_KEPT)].to_vec(), tail: Vec::new() };
        ends.extend(line);
        ends
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(END_KEPT)..]);
        let excess = self.tail.len().saturating_sub(END_KEPT);
        self.tail.drain(..excess);
    }

    /// The start of the line, to be shown.
    pub(crate) fn head(&self) -> String {
        String::from_utf8_lossy(&self.head).into_owned()
    }

    /// The id of the answer when it stands before the result.
    pub(crate) fn id_in_head(&self) -> Option<u64> {
        leading_number(after_id(&String::from_utf8_lossy(&self.head))?)
    }

    /// The id of the answer when it stands after the result. Only once the line has ended.
    pub(crate) fn id_in_tail(&self) -> Option<u64> {
        let text = String::from_utf8_lossy(&self.tail);
        let members = text.trim_end().strip_suffix('}')?;
        let (_, after) = members.rsplit_once("\"id\"")?;
        let value = after.trim_start().strip_prefix(':')?.trim_start();
        let number = leading_number(value)?;
        // Nothing but `jsonrpc` may follow, or the id belongs to something inside the result.
        let rest = value.trim_start_matches(|c: char| c == '"' || c.is_ascii_digit()).trim();
        let known = rest.is_empty()
            || (rest.starts_with(',')
                && rest.contains("\"jsonrpc\"")
                && !rest.contains(['{', '}', '[', ']']));
        known.then_some(number)
    }
}

/// The id of the request that a text was meant to answer, though it can't be read as a whole.
pub(crate) fn answered_id(text: &str) -> Option<u64> {
    let value = after_id(text)?;
    let rest = value.trim_start_matches(|letter: char| letter == '"' || letter.is_ascii_digit());
    let next = rest.trim_start().strip_prefix(',')?.trim_start();
    let is_answer = next.starts_with("\"result\"") || next.starts_with("\"error\"");
    leading_number(value).filter(|_| is_answer)
}

/// What follows `"id":` when at most `jsonrpc` stands before it.
fn after_id(text: &str) -> Option<&str> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('{')?;
    loop {
        let (key, after) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
        let after = after.trim_start().strip_prefix(':')?.trim_start();
        match key {
            "id" => return Some(after),
            "jsonrpc" => {
                let (_, next) = after.strip_prefix('"')?.split_once('"')?;
                rest = next.trim_start().strip_prefix(',')?;
            }
            _ => return None,
        }
    }
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.strip_prefix('"').unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests;
