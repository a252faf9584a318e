//! rmcp's transport over the standard streams of a process, with our own framing beneath.

use std::collections::VecDeque;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex, mpsc};

use super::exchange::ExchangeAnswer;
use super::framing::{FrameLine, LineSplitter};
use super::tap::{Outgoing, Tap};
use crate::error::CloseReason;
use crate::event::FaultKind;
use crate::limits;

/// Both directions of one process. Transports made from it may come and go; the process stays.
#[derive(Debug)]
pub(crate) struct StdioLink<R> {
    tap: Arc<Tap>,
    reader: Arc<Mutex<StdioReader<R>>>,
    queue: mpsc::Sender<Outgoing>,
    closing: mpsc::Sender<CloseReason>,
}

impl<R> Clone for StdioLink<R> {
    fn clone(&self) -> Self {
        Self {
            tap: self.tap.clone(),
            reader: self.reader.clone(),
            queue: self.queue.clone(),
            closing: self.closing.clone(),
        }
    }
}

#[derive(Debug)]
struct StdioReader<R> {
    input: R,
    lines: LineSplitter,
    ready: VecDeque<ServerJsonRpcMessage>,
    oversized_told: bool,
    ended: bool,
}

/// A message could not be queued.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendError {
    #[error("{waiting} messages wait to be read by the server")]
    Stalled { waiting: usize },
    #[error("the connection is closed")]
    Closed,
}

impl From<TrySendError<Outgoing>> for SendError {
    fn from(error: TrySendError<Outgoing>) -> Self {
        match error {
            TrySendError::Full(_) => Self::Stalled { waiting: limits::UPSTREAM_QUEUE },
            TrySendError::Closed(_) => Self::Closed,
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> StdioLink<R> {
    /// `closing` receives the reason why reading ended.
    pub(crate) fn new(
        tap: Arc<Tap>,
        input: R,
        queue: mpsc::Sender<Outgoing>,
        closing: mpsc::Sender<CloseReason>,
    ) -> Self {
        let reader = StdioReader {
            input,
            lines: LineSplitter::new(tap.frame_limit),
            ready: VecDeque::new(),
            oversized_told: false,
            ended: false,
        };
        Self { tap, reader: Arc::new(Mutex::new(reader)), queue, closing }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Transport<RoleClient> for StdioLink<R> {
    type Error = SendError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), SendError>> + Send + 'static {
        let queue = self.queue.clone();
        let outgoing = self.tap.outgoing(&message);
        async move {
            let Some(outgoing) = outgoing else { return Ok(()) };
            Ok(queue.try_send(outgoing)?)
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        let mut reader = self.reader.lock().await;
        let ended = reader.next(&self.tap).await;
        match ended {
            Ok(message) => Some(message),
            Err(reason) => {
                let _ = self.closing.try_send(reason);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), SendError> {
        Ok(())
    }
}

impl<R: AsyncRead + Unpin> StdioReader<R> {
    /// The next message for rmcp. Nothing is lost when the future is dropped.
    async fn next(&mut self, tap: &Tap) -> Result<ServerJsonRpcMessage, CloseReason> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(message);
            }
            if let Some(lines) = tap.inbox.too_noisy() {
                return Err(CloseReason::TooMuchNoise { lines });
            }
            if let Some(line) = self.lines.next_line() {
                self.take(line, tap);
                continue;
            }
            self.tell_oversized(tap);
            if !self.ready.is_empty() {
                continue;
            }
            if self.ended {
                return Err(CloseReason::OutputClosed);
            }
            match self.input.read_buf(self.lines.buffer()).await {
                Ok(0) | Err(_) => {
                    self.ended = true;
                    if let Some(line) = self.lines.rest() {
                        self.take(line, tap);
                    }
                }
                Ok(_) => {}
            }
        }
    }

    fn take(&mut self, line: FrameLine, tap: &Tap) {
        match line {
            FrameLine::Whole(bytes) => match std::str::from_utf8(&bytes) {
                Ok(text) if self.ended => tap.incoming_rest(text, &mut self.ready),
                Ok(text) => tap.incoming(text, None, &mut self.ready),
                Err(_) => {
                    let text = String::from_utf8_lossy(&bytes);
                    match self.ended {
                        true => tap.inbox.fault(FaultKind::NotUtf8, &text),
                        false => tap.unreadable(FaultKind::NotUtf8, &text, &mut self.ready),
                    }
                }
            },
            FrameLine::Oversized(ends) => {
                if !std::mem::take(&mut self.oversized_told) {
                    tap.inbox.fault(FaultKind::TooLarge, &ends.head());
                }
                self.fail_oversized(ends.id_in_head().or_else(|| ends.id_in_tail()), tap);
            }
        }
    }

    /// Fails the request whose answer is too large before the end of it has come.
    fn tell_oversized(&mut self, tap: &Tap) {
        let Some(ends) = self.lines.oversized().cloned() else { return };
        if !std::mem::replace(&mut self.oversized_told, true) {
            tap.inbox.fault(FaultKind::TooLarge, &ends.head());
            if let Some(id) = ends.id_in_head() {
                self.fail_oversized(Some(id), tap);
            }
        }
    }

    fn fail_oversized(&mut self, id: Option<u64>, tap: &Tap) {
        let waiting = tap.waiting();
        // With one request under way there is no doubt whose answer it was.
        let id = id.or(match waiting.as_slice() {
            [only] => Some(*only),
            _ => None,
        });
        if let Some(message) =
            id.and_then(|id| tap.fail(id, ExchangeAnswer::TooLarge { limit: tap.frame_limit }))
        {
            self.ready.push_back(message);
        }
    }
}

/// A frame as one line. Line ends in JSON can only stand between its parts, where a space does as well.
fn one_line(frame: String) -> Vec<u8> {
    let mut bytes = frame.into_bytes();
    if memchr::memchr2(b'\n', b'\r', &bytes).is_some() {
        for byte in &mut bytes {
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    bytes.push(b'\n');
    bytes
}

/// Writes queued messages until the queue or the output is closed.
///
/// A message whose request was given up is skipped. Returns the reason when the output failed or did not move for a
/// minute.
pub(crate) async fn write_frames<W: AsyncWrite + Unpin>(
    mut output: W,
    mut queue: mpsc::Receiver<Outgoing>,
    tap: Arc<Tap>,
) -> Option<CloseReason> {
    while let Some(outgoing) = queue.recv().await {
        if outgoing.exchange.as_ref().is_some_and(|exchange| exchange.is_abandoned()) {
            continue;
        }
        let frame = one_line(outgoing.frame);
        let mut rest = frame.as_slice();
        while !rest.is_empty() {
            match tokio::time::timeout(limits::UPSTREAM_STALL, output.write(rest)).await {
                Ok(Ok(0)) | Ok(Err(_)) => return Some(CloseReason::OutputClosed),
                Ok(Ok(written)) => rest = &rest[written..],
                Err(_) => return Some(CloseReason::InputStalled),
            }
        }
        if queue.is_empty() && output.flush().await.is_err() {
            return Some(CloseReason::OutputClosed);
        }
        tap.wrote();
    }
    None
}
