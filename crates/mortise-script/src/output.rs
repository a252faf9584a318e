//! Collects what a program prints, as much as is kept.

/// Where a program wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// `sys.stdout`.
    Stdout,
    /// `sys.stderr`.
    Stderr,
}

/// Gets a program's output while it runs.
///
/// Called on the thread that computes, so an implementation must return at once: pass the text on, do no I/O
/// that can block.
pub trait OutputSink: Send + 'static {
    /// Takes the next piece: whole characters, not necessarily whole lines.
    fn write(&mut self, stream: Stream, text: &str);

    /// Whether a reader is attached. Without one nothing has to be kept.
    fn is_watched(&self) -> bool {
        true
    }
}

/// Output that is not shown while the program runs.
impl OutputSink for () {
    fn write(&mut self, _stream: Stream, _text: &str) {}

    fn is_watched(&self) -> bool {
        false
    }
}

impl<F: FnMut(Stream, &str) + Send + 'static> OutputSink for F {
    fn write(&mut self, stream: Stream, text: &str) {
        self(stream, text);
    }
}

/// The output of one program.
pub(crate) struct Capture {
    sink: Box<dyn OutputSink>,
    kept: String,
    limit: usize,
    flood: u64,
    total: u64,
    truncated: bool,
    /// The start of a character whose end has not been written yet, per stream.
    partial: [Vec<u8>; 2],
}

/// More was printed than a program may print.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flood;

impl Capture {
    pub(crate) fn new(limit: usize, flood: u64, sink: Box<dyn OutputSink>) -> Self {
        Self {
            sink,
            kept: String::new(),
            limit,
            flood,
            total: 0,
            truncated: false,
            partial: Default::default(),
        }
    }

    /// Takes what the program wrote. Bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn write(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), Flood> {
        let room = usize::try_from(self.flood - self.total).unwrap_or(usize::MAX);
        let (bytes, result) = if bytes.len() > room { (&bytes[..room], Err(Flood)) } else { (bytes, Ok(())) };
        self.total += bytes.len() as u64;
        let slot = stream as usize;
        let joined;
        let bytes = if self.partial[slot].is_empty() {
            bytes
        } else {
            let mut start = std::mem::take(&mut self.partial[slot]);
            start.extend_from_slice(bytes);
            joined = start;
            &joined
        };
        let whole = bytes.len() - unfinished(bytes);
        self.partial[slot] = bytes[whole..].to_vec();
        self.push(stream, &String::from_utf8_lossy(&bytes[..whole]));
        result
    }

    fn push(&mut self, stream: Stream, text: &str) {
        if text.is_empty() {
            return;
        }
        self.sink.write(stream, text);
        if self.truncated {
            return;
        }
        let room = self.limit - self.kept.len();
        self.truncated = text.len() > room;
        self.kept.push_str(&text[..text.floor_char_boundary(room)]);
    }

    /// What was kept, whether that is not all, and how many bytes were written.
    pub(crate) fn finish(&mut self) -> (String, bool, u64) {
        for (slot, stream) in [Stream::Stdout, Stream::Stderr].into_iter().enumerate() {
            let rest = std::mem::take(&mut self.partial[slot]);
            self.push(stream, &String::from_utf8_lossy(&rest));
        }
        (std::mem::take(&mut self.kept), self.truncated, self.total)
    }
}

/// How many bytes at the end are the start of a character that may still be completed.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            0x80..=0xBF => continue,
            _ => return 0,
        };
        return if length > back { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests;
