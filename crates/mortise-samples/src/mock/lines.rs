//! The mock over a line stream: stdio, or a pair of pipes in process.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, broadcast};
use tokio::task::{AbortHandle, JoinSet};

use super::action::{MockAction, MockEnd, Piece};
use super::background;
use super::frame;
use super::perform::{LONGEST, Sink, Stderr, perform, write_pieces};
use super::server::{Announcement, Mock};

/// The longest line that is read.
const LINE: usize = 64 * 1024 * 1024;
/// How long the last bytes may take to be written.
const CLOSE: Duration = Duration::from_secs(1);

type Output = Arc<Mutex<Box<dyn AsyncWrite + Send + Unpin>>>;
type Tasks = JoinSet<io::Result<Option<MockEnd>>>;

/// Serves until the client closes its side or the mock ends itself.
pub(crate) async fn serve(
    mock: &Mock,
    reader: impl AsyncRead + Send + Unpin,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    stderr: Box<dyn AsyncWrite + Send + Unpin>,
) -> io::Result<MockEnd> {
    mock.shared.state.lock().meet();
    let output: Output = Arc::new(Mutex::new(Box::new(writer)));
    let stderr: Stderr = Arc::new(Mutex::new(stderr));
    let mut sink = LineSink { output: output.clone(), line_end: mock.shared.plan.line_end };
    if let Some(end) = perform(mock, mock.shared.plan.on_start.clone(), &mut sink, &stderr).await? {
        return Ok(end);
    }
    let mut tasks = Tasks::new();
    tasks.spawn(announce(mock.clone(), mock.shared.announcements.subscribe(), sink.clone()));
    background::start(mock, &mut tasks);
    if mock.shared.plan.process.deaf {
        tokio::time::sleep(LONGEST).await;
        return Ok(MockEnd::Closed);
    }
    let end = match converse(mock, BufReader::new(reader), sink, stderr, &mut tasks).await {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => MockEnd::Closed,
        end => end?,
    };
    if end == MockEnd::Closed && mock.shared.plan.process.ignores_end {
        tokio::time::sleep(LONGEST).await;
    }
    tasks.shutdown().await;
    // The client may be gone, or leave the pipe full: neither keeps the mock from ending.
    let _ = tokio::time::timeout(CLOSE, async { output.lock().await.shutdown().await }).await;
    Ok(end)
}

async fn converse(
    mock: &Mock,
    mut reader: impl AsyncBufRead + Send + Unpin,
    mut sink: LineSink,
    stderr: Stderr,
    tasks: &mut Tasks,
) -> io::Result<MockEnd> {
    let mut running: HashMap<String, AbortHandle> = HashMap::new();
    let mut partial = Vec::new();
    loop {
        let line = tokio::select! {
            line = next_line(&mut reader, &mut partial) => line?,
            Some(done) = tasks.join_next() => match done {
                Ok(Ok(Some(end))) => return Ok(end),
                Ok(Err(error)) => return Err(error),
                // A task that was cancelled, or one that is through.
                Ok(Ok(None)) | Err(_) => continue,
            },
        };
        let Some(line) = line else { return Ok(MockEnd::Closed) };
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            let refusal = frame::error(&Value::Null, -32700, "the line is not JSON", None);
            sink.frame(&[Piece { pause: Duration::ZERO, bytes: refusal.into_bytes() }]).await?;
            continue;
        };
        if message["method"] == "notifications/cancelled" && !mock.shared.plan.process.ignores_cancellation {
            running.remove(&message["params"]["requestId"].to_string()).inspect(AbortHandle::abort);
        }
        let actions = mock.respond(&message);
        if actions.iter().any(MockAction::takes_time) {
            let (mock, mut sink, stderr) = (mock.clone(), sink.clone(), stderr.clone());
            let task = async move { perform(&mock, actions, &mut sink, &stderr).await };
            running.retain(|_, task| !task.is_finished());
            running.insert(message["id"].to_string(), tasks.spawn(task));
        } else if let Some(end) = perform(mock, actions, &mut sink, &stderr).await? {
            return Ok(end);
        }
    }
}

/// Hands announcements on to the one client of this stream.
async fn announce(
    mock: Mock,
    mut announcements: broadcast::Receiver<Announcement>,
    mut sink: LineSink,
) -> io::Result<Option<MockEnd>> {
    loop {
        let announcement = match announcements.recv().await {
            Ok(announcement) => announcement,
            Err(broadcast::error::RecvError::Lagged(_)) => continue,
            Err(broadcast::error::RecvError::Closed) => return Ok(None),
        };
        for frame in frames(&mock, &announcement) {
            sink.frame(&[Piece { pause: Duration::ZERO, bytes: frame.into_bytes() }]).await?;
        }
    }
}

fn frames(mock: &Mock, announcement: &Announcement) -> Vec<String> {
    let state = mock.shared.state.lock();
    let mut frames: Vec<_> = state.subscriptions.iter().map(|id| announcement.tagged(id)).collect();
    if state.initialized || (frames.is_empty() && !announcement.subscribed_only) {
        frames.push(announcement.plain());
    }
    frames
}

/// Lines on the output, one writer at a time.
#[derive(Clone)]
struct LineSink {
    output: Output,
    line_end: &'static str,
}

impl Sink for LineSink {
    async fn frame(&mut self, pieces: &[Piece]) -> io::Result<()> {
        let mut output = self.output.lock().await;
        write_pieces(&mut **output, pieces).await?;
        output.write_all(self.line_end.as_bytes()).await?;
        output.flush().await
    }

    /// Every write to standard output is a trip to another thread, so a flood goes out in few.
    async fn frames(&mut self, frames: &[Vec<Piece>]) -> io::Result<()> {
        let [first, rest @ ..] = frames else { return Ok(()) };
        self.frame(first).await?;
        let mut together = Vec::new();
        for piece in rest {
            together.extend(piece.iter().flat_map(|piece| &piece.bytes));
            together.extend(self.line_end.as_bytes());
        }
        let mut output = self.output.lock().await;
        output.write_all(&together).await?;
        output.flush().await
    }

    async fn raw(&mut self, pieces: &[Piece]) -> io::Result<()> {
        let mut output = self.output.lock().await;
        write_pieces(&mut **output, pieces).await?;
        output.flush().await
    }
}

/// The next line; what was read of it stays in `partial` when the wait is cancelled.
async fn next_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    partial: &mut Vec<u8>,
) -> io::Result<Option<Vec<u8>>> {
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(None);
        }
        let newline = available.iter().position(|byte| *byte == b'\n');
        let taken = newline.unwrap_or(available.len());
        if partial.len() + taken > LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is longer than the mock reads"));
        }
        partial.extend_from_slice(&available[..taken]);
        reader.consume(taken + usize::from(newline.is_some()));
        if newline.is_some() {
            return Ok(Some(std::mem::take(partial)));
        }
    }
}
