//! What a server writes to its standard error: always read, the last part kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::limits;
use crate::secret::Secrets;
use crate::wire::{excerpt, printable};

/// Lines logged in one second; the rest are only kept.
const LOGGED_PER_SECOND: u32 = 100;
/// The longest line that is logged whole.
const LINE_BYTES: usize = 4096;

/// The last 64 KiB of standard error.
#[derive(Debug, Default)]
pub(crate) struct StderrRing {
    kept: Mutex<Kept>,
    secrets: Secrets,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Something came before it.
    is_cut: bool,
}

impl StderrRing {
    /// Reads `input` to its end in a task of its own.
    pub(super) fn drain(input: impl AsyncRead + Unpin + Send + 'static, secrets: Secrets) -> Arc<Self> {
        let ring = Arc::new(Self { secrets, ..Self::default() });
        tokio::spawn(read_all(input, ring.clone()));
        ring
    }

    /// What is kept, as text and without secrets.
    pub(crate) fn text(&self) -> String {
        let kept = self.kept.lock();
        let (head, tail) = kept.bytes.as_slices();
        let bytes = [head, tail].concat();
        // A line whose start is lost may begin in the middle of a secret.
        let start = bytes.iter().position(|byte| *byte == b'\n').filter(|_| kept.is_cut);
        let text = String::from_utf8_lossy(&bytes[start.map_or(0, |end| end + 1)..]);
        self.secrets.hide(&text).into_owned()
    }

    /// The last lines, at most `limit` bytes of them, control characters escaped.
    pub(crate) fn last_lines(&self, limit: usize) -> String {
        let text = self.text();
        let mut start = text.len().saturating_sub(limit);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text[start..].trim_end().lines().map(printable).collect::<Vec<_>>().join("\n")
    }

    fn push(&self, chunk: &[u8]) {
        let chunk = &chunk[chunk.len().saturating_sub(limits::UPSTREAM_STDERR)..];
        let mut kept = self.kept.lock();
        let excess = (kept.bytes.len() + chunk.len()).saturating_sub(limits::UPSTREAM_STDERR);
        kept.bytes.drain(..excess);
        kept.bytes.extend(chunk);
        kept.is_cut |= excess > 0;
    }
}

async fn read_all(mut input: impl AsyncRead + Unpin, ring: Arc<StderrRing>) {
    let mut chunk = vec![0; 16 * 1024];
    let mut log = LineLog::new();
    while let Ok(count @ 1..) = input.read(&mut chunk).await {
        ring.push(&chunk[..count]);
        log.feed(&chunk[..count], &ring.secrets);
    }
}

/// Logs lines, but not too many of them.
struct LineLog {
    line: Vec<u8>,
    window: Instant,
    logged: u32,
}

impl LineLog {
    fn new() -> Self {
        Self { line: Vec::new(), window: Instant::now(), logged: 0 }
    }

    fn feed(&mut self, chunk: &[u8], secrets: &Secrets) {
        if !tracing::enabled!(tracing::Level::DEBUG) {
            return;
        }
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let room = LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                self.log(secrets);
                self.line.clear();
            }
        }
    }

    fn log(&mut self, secrets: &Secrets) {
        if self.window.elapsed() >= Duration::from_secs(1) {
            self.window = Instant::now();
            self.logged = 0;
        }
        self.logged += 1;
        if self.logged <= LOGGED_PER_SECOND {
            let line = String::from_utf8_lossy(&self.line);
            tracing::debug!(line = excerpt(&secrets.hide(line.trim_end())), "server wrote to standard error");
        }
    }
}
