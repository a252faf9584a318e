//! The thread that writes shapes, and looks at results that are too large to be looked at in a call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use mortise_contract::RawJson;
use mortise_contract::limits::MIB;

use super::KnownShapes;

/// Bytes of large results that may wait. One that finds no place is not looked at; the next one is.
const WAITING: usize = 32 * MIB;
/// Time between a change and its writing, in which further changes gather.
const PAUSE: Duration = Duration::from_secs(2);

pub(super) enum WriterMessage {
    /// A shape has changed, of which everything was written until then.
    Changed,
    /// A large value is to be looked at.
    Look { digest: String, json: RawJson, now: u64 },
    /// Write now, and say when it is done.
    Flush(SyncSender<()>),
}

/// The way to the thread, which starts with the first message and ends with this value.
pub(super) struct ShapeWriter {
    shapes: Arc<KnownShapes>,
    /// Bytes of the results that wait.
    waiting: Arc<AtomicUsize>,
    sender: OnceLock<Option<Sender<WriterMessage>>>,
}

impl ShapeWriter {
    pub(super) fn new(shapes: Arc<KnownShapes>) -> Self {
        Self { shapes, waiting: Arc::default(), sender: OnceLock::new() }
    }

    pub(super) fn send(&self, message: WriterMessage) {
        let start = || start(self.shapes.clone(), self.waiting.clone());
        let Some(sender) = self.sender.get_or_init(start) else { return };
        if let WriterMessage::Look { json, .. } = &message {
            let bytes = json.text().len();
            if self.waiting.fetch_add(bytes, Ordering::Relaxed) + bytes > WAITING {
                self.waiting.fetch_sub(bytes, Ordering::Relaxed);
                tracing::debug!(event = "mortise.observed.passed", "a large result was not looked at");
                return;
            }
        }
        // The thread lives as long as this value.
        let _ = sender.send(message);
    }

    /// Waits until all that was sent is written; there is nothing to write where there is no thread.
    pub(super) fn flush(&self, limit: Duration) {
        let Some(Some(sender)) = self.sender.get() else { return };
        let (done, is_done) = sync_channel(1);
        if sender.send(WriterMessage::Flush(done)).is_ok() {
            let _ = is_done.recv_timeout(limit);
        }
    }
}

fn start(shapes: Arc<KnownShapes>, waiting: Arc<AtomicUsize>) -> Option<Sender<WriterMessage>> {
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("observed-shapes".to_owned());
    match thread.spawn(move || write_until_closed(&shapes, &waiting, &receiver)) {
        Ok(_) => Some(sender),
        Err(error) => {
            tracing::warn!(event = "mortise.observed.unsaved", %error, "observed shapes are not kept");
            None
        }
    }
}

/// Writes what has changed a while after each first change, until the observer is gone.
fn write_until_closed(shapes: &KnownShapes, waiting: &AtomicUsize, receiver: &Receiver<WriterMessage>) {
    let mut due: Option<Instant> = None;
    loop {
        let message = match due {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => receiver.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        match message {
            Ok(WriterMessage::Changed) => due = due.or_else(|| Some(Instant::now() + PAUSE)),
            Ok(WriterMessage::Look { digest, json, now }) => {
                waiting.fetch_sub(json.text().len(), Ordering::Relaxed);
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
