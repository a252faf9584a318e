//! What a server writes to its standard error: always read, the last part kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mortise_contract::text::printable;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::task::AbortOnDropHandle;

use crate::limits;
use crate::secret::Secrets;
use crate::wire::excerpt;

/// Lines logged in one second; the rest are only kept.
const LOGGED_PER_SECOND: u32 = 100;
/// The longest line that is logged whole.
const LINE_BYTES: usize = 4096;

/// The last 64 KiB of standard error.
#[derive(Debug)]
pub(crate) struct StderrRing {
    kept: Arc<Mutex<Kept>>,
    secrets: Secrets,
    /// Stops reading when the ring is dropped.
    _reader: AbortOnDropHandle<()>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// Something came before it.
    is_cut: bool,
}

impl StderrRing {
    /// Reads `input` to its end, or until the ring is dropped.
    pub(super) fn drain(input: impl AsyncRead + Unpin + Send + 'static, secrets: Secrets) -> Arc<Self> {
        let kept: Arc<Mutex<Kept>> = Arc::default();
        let reader = tokio::spawn(read_all(input, kept.clone(), secrets.clone()));
        Arc::new(Self { kept, secrets, _reader: AbortOnDropHandle::new(reader) })
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
        let start = text.ceil_char_boundary(text.len().saturating_sub(limit));
        text[start..].trim_end().lines().map(printable).collect::<Vec<_>>().join("\n")
    }
}

impl Kept {
    fn push(&mut self, chunk: &[u8]) {
        let chunk = &chunk[chunk.len().saturating_sub(limits::UPSTREAM_STDERR)..];
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(limits::UPSTREAM_STDERR);
        self.bytes.drain(..excess);
        self.bytes.extend(chunk);
        self.is_cut |= excess > 0;
    }
}

async fn read_all(mut input: impl AsyncRead + Unpin, kept: Arc<Mutex<Kept>>, secrets: Secrets) {
    let mut chunk = vec![0; 16 * 1024];
    let mut log = LineLog::new();
    while let Ok(count @ 1..) = input.read(&mut chunk).await {
        kept.lock().push(&chunk[..count]);
        log.feed(&chunk[..count], &secrets);
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
