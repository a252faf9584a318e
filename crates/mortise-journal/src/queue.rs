//! What waits to be written: bounded, and never waited for by those who add to it.

use std::collections::HashSet;

use mortise_executor::journal::{Durability, JournalError, RunBegun, RunEntry, RunId};
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::content::large_bytes;
use crate::limits;

/// What every entry takes beside its large values.
const ENTRY_BYTES: usize = 512;

/// One thing for the writer to do.
#[derive(Debug)]
pub(crate) enum WriteOrder {
    Begin(RunId, Box<RunBegun>),
    Append(RunId, Box<RunEntry>),
    /// An entry of this run found no place in the queue.
    Lost(RunId),
    Answer(KeptQuestion),
}

/// Somebody waits until the entries of a run are kept.
#[derive(Debug)]
pub(crate) struct KeptQuestion {
    pub(crate) run: RunId,
    pub(crate) durability: Durability,
    pub(crate) answer: oneshot::Sender<Result<(), JournalError>>,
}

#[derive(Debug, Default)]
pub(crate) struct WriteQueue {
    state: Mutex<QueueContent>,
    filled: Condvar,
}

#[derive(Debug, Default)]
struct QueueContent {
    orders: Vec<WriteOrder>,
    bytes: usize,
    /// Runs of which an entry found no place. Nothing more of them is taken.
    lost: HashSet<RunId>,
    is_closed: bool,
}

impl WriteQueue {
    pub(crate) fn begin(&self, run: &RunId, mut begun: RunBegun) {
        let bytes = ENTRY_BYTES + large_bytes(&mut begun);
        self.add(run, bytes, IsLast::No, |run| WriteOrder::Begin(run, Box::new(begun)));
    }

    pub(crate) fn append(&self, run: &RunId, mut entry: RunEntry) {
        let bytes = ENTRY_BYTES + large_bytes(&mut entry);
        let is_last = if matches!(entry, RunEntry::Ended(_)) { IsLast::Yes } else { IsLast::No };
        self.add(run, bytes, is_last, |run| WriteOrder::Append(run, Box::new(entry)));
    }

    /// Puts a question behind all entries that were added before.
    pub(crate) fn ask(&self, question: KeptQuestion) {
        let mut content = self.state.lock();
        if content.is_closed {
            return;
        }
        content.orders.push(WriteOrder::Answer(question));
        self.filled.notify_one();
    }

    fn add(&self, run: &RunId, bytes: usize, is_last: IsLast, order: impl FnOnce(RunId) -> WriteOrder) {
        let mut content = self.state.lock();
        let is_lost = match is_last {
            IsLast::Yes => content.lost.remove(run),
            IsLast::No => content.lost.contains(run),
        };
        if is_lost || content.is_closed {
            return;
        }
        let is_full = content.bytes.saturating_add(bytes) > limits::QUEUED_BYTES
            || content.orders.len() >= limits::QUEUED_ENTRIES;
        if is_full {
            if is_last == IsLast::No {
                content.lost.insert(run.clone());
            }
            content.orders.push(WriteOrder::Lost(run.clone()));
        } else {
            content.bytes += bytes;
            content.orders.push(order(run.clone()));
        }
        self.filled.notify_one();
    }

    /// Waits for orders and takes all of them; `None` when the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<Vec<WriteOrder>> {
        let mut content = self.state.lock();
        while content.orders.is_empty() {
            if content.is_closed {
                return None;
            }
            self.filled.wait(&mut content);
        }
        content.bytes = 0;
        Some(std::mem::take(&mut content.orders))
    }

    /// Takes nothing more. What is there is still written.
    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.filled.notify_all();
    }
}

/// Whether an entry is the last of its run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsLast {
    Yes,
    No,
}
