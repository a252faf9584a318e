//! Carrying out actions on a transport.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, oneshot};

use super::action::{MockAction, MockEnd, MockQuestion, Piece};
use super::server::Mock;

/// The longest that the mock does nothing on purpose.
pub(crate) const LONGEST: Duration = Duration::from_secs(3600);
/// Messages that are written at once when nothing is to happen between them.
const TOGETHER: usize = 256;
/// How long a client may take to answer a request of ours.
const ASK: Duration = Duration::from_secs(60);

pub(crate) type Stderr = Arc<Mutex<Box<dyn AsyncWrite + Send + Unpin>>>;

/// Where the bytes of an answer go.
pub(crate) trait Sink: Send {
    /// Writes one message with the transport's framing; nothing else gets in between.
    fn frame(&mut self, pieces: &[Piece]) -> impl Future<Output = io::Result<()>> + Send;
    /// Writes messages one after the other.
    fn frames(&mut self, frames: &[Vec<Piece>]) -> impl Future<Output = io::Result<()>> + Send {
        async move {
            for pieces in frames {
                self.frame(pieces).await?;
            }
            Ok(())
        }
    }
    fn raw(&mut self, pieces: &[Piece]) -> impl Future<Output = io::Result<()>> + Send;
}

/// Carries out actions in order. `Some` means that the mock itself ends.
pub(crate) async fn perform(
    mock: &Mock,
    actions: Vec<MockAction>,
    sink: &mut impl Sink,
    stderr: &Stderr,
) -> io::Result<Option<MockEnd>> {
    let mut actions = VecDeque::from(actions);
    while let Some(action) = actions.pop_front() {
        match action {
            MockAction::Frame(pieces) => {
                let mut frames = vec![pieces];
                let is_next =
                    |action: &MockAction| matches!(action, MockAction::Frame(_)) && !action.takes_time();
                while frames.len() < TOGETHER
                    && actions.front().is_some_and(is_next)
                    && let Some(MockAction::Frame(next)) = actions.pop_front()
                {
                    frames.push(next);
                }
                sink.frames(&frames).await?;
            }
            MockAction::Raw(pieces) => sink.raw(&pieces).await?,
            MockAction::Wait(pause) => tokio::time::sleep(pause.min(LONGEST)).await,
            MockAction::Hang => tokio::time::sleep(LONGEST).await,
            MockAction::Stderr { line, times } => flood(stderr, &line, times).await?,
            MockAction::End(end) => return Ok(Some(end)),
            MockAction::Ask(ask) => {
                for action in question(mock, &ask, sink).await?.into_iter().rev() {
                    actions.push_front(action);
                }
            }
        }
    }
    Ok(None)
}

/// Writes pieces one after the other, each after its pause.
pub(crate) async fn write_pieces(
    writer: &mut (impl AsyncWrite + Unpin + ?Sized),
    pieces: &[Piece],
) -> io::Result<()> {
    for piece in pieces {
        if !piece.pause.is_zero() {
            writer.flush().await?;
            tokio::time::sleep(piece.pause.min(LONGEST)).await;
        }
        writer.write_all(&piece.bytes).await?;
    }
    Ok(())
}

async fn question(mock: &Mock, ask: &MockQuestion, sink: &mut impl Sink) -> io::Result<Vec<MockAction>> {
    let (sender, receiver) = oneshot::channel();
    mock.shared.state.lock().asked.insert(ask.id.clone(), sender);
    sink.frame(&[Piece { pause: Duration::ZERO, bytes: ask.frame.clone().into_bytes() }]).await?;
    let answer = tokio::time::timeout(ASK, receiver).await;
    mock.shared.state.lock().asked.remove(&ask.id);
    Ok(match answer {
        Ok(Ok(answer)) => (ask.then)(&answer),
        Ok(Err(_)) | Err(_) => (ask.then)(&serde_json::Value::Null),
    })
}

async fn flood(stderr: &Stderr, line: &str, times: u64) -> io::Result<()> {
    let line = format!("{line}\n");
    let mut stderr = stderr.lock().await;
    for _ in 0..times {
        stderr.write_all(line.as_bytes()).await?;
    }
    stderr.flush().await
}
