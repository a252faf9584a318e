//! The thread that writes shapes, and looks at results that are too large to be looked at in a call.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use mortise_contract::RawJson;

use super::KnownShapes;

/// Messages that may wait. A large result that finds no place is not looked at; the next one is.
const WAITING: usize = 32;
/// Time between a change and its writing, in which further changes gather.
const PAUSE: Duration = Duration::from_secs(2);

pub(super) enum WriterMessage {
    /// A shape has changed.
    Changed,
    /// A large value is to be looked at.
    Look { digest: String, json: RawJson, now: u64 },
    /// Write now, and say when it is done.
    Flush(SyncSender<()>),
}

/// The way to the thread, which starts with the first message and ends with this value.
pub(super) struct ShapeWriter {
    shapes: Arc<KnownShapes>,
    sender: OnceLock<Option<SyncSender<WriterMessage>>>,
}

impl ShapeWriter {
    pub(super) fn new(shapes: Arc<KnownShapes>) -> Self {
        Self { shapes, sender: OnceLock::new() }
    }

    pub(super) fn send(&self, message: WriterMessage) {
        let Some(sender) = self.sender.get_or_init(|| start(self.shapes.clone())) else { return };
        if let Err(TrySendError::Full(WriterMessage::Look { .. })) = sender.try_send(message) {
            tracing::debug!(event = "mortise.observed.passed", "a large result was not looked at");
        }
    }

    /// Nothing was ever sent if there is no thread.
    pub(super) fn flush(&self, limit: Duration) {
        let Some(Some(sender)) = self.sender.get() else { return };
        let (done, is_done) = sync_channel(1);
        let until = Instant::now() + limit;
        let mut message = WriterMessage::Flush(done);
        // The thread takes messages off the queue even while it is busy with a file, one after the other.
        while let Err(TrySendError::Full(back)) = sender.try_send(message) {
            if Instant::now() >= until {
                return;
            }
            message = back;
            std::thread::yield_now();
        }
        let _ = is_done.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

fn start(shapes: Arc<KnownShapes>) -> Option<SyncSender<WriterMessage>> {
    let (sender, receiver) = sync_channel(WAITING);
    let thread = std::thread::Builder::new().name("observed-shapes".to_owned());
    match thread.spawn(move || write_until_closed(&shapes, &receiver)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(event = "mortise.observed.unsaved", %error, "observed shapes are not kept");
            None
        }
    }
}

/// Writes what has changed a while after each first change, until the observer is gone.
fn write_until_closed(shapes: &KnownShapes, receiver: &Receiver<WriterMessage>) {
    let mut due: Option<Instant> = None;
    loop {
        let message = match due {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => receiver.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match message {
            Ok(WriterMessage::Changed) => due = due.or_else(|| Some(Instant::now() + PAUSE)),
            Ok(WriterMessage::Look { digest, json, now }) => {
                shapes.look(&digest, &json, now);
                due = due.or_else(|| Some(Instant::now() + PAUSE));
            }
            Ok(WriterMessage::Flush(done)) => {
                shapes.save();
                due = None;
                let _ = done.try_send(());
            }
            Err(RecvTimeoutError::Timeout) => {
                shapes.save();
                due = None;
            }
            Err(RecvTimeoutError::Disconnected) => {
                shapes.save();
                return;
            }
        }
    }
}
