//! Waits for the disk, on behalf of the runs that ask for it.
//!
//! All who ask while one wait is under way share the next one. The writer never waits for the disk.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use mortise_executor::journal::JournalError;
use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::journal_error::file_failed;

/// Answers of those who wait.
pub(crate) type KeptAnswer = oneshot::Sender<Result<(), JournalError>>;

#[derive(Debug, Default)]
pub(crate) struct SyncQueue {
    state: Mutex<SyncContent>,
    filled: Condvar,
}

#[derive(Debug, Default)]
struct SyncContent {
    /// The logs that the answers are about: one, or two while the database is opened anew.
    logs: Vec<Arc<File>>,
    waiting: Vec<KeptAnswer>,
    is_closed: bool,
}

impl SyncQueue {
    /// What is written into `log` now must be on the disk before these get their answer.
    pub(crate) fn ask(&self, log: &Arc<File>, waiting: impl IntoIterator<Item = KeptAnswer>) {
        let mut content = self.state.lock();
        if !content.logs.iter().any(|known| Arc::ptr_eq(known, log)) {
            content.logs.push(Arc::clone(log));
        }
        content.waiting.extend(waiting);
        self.filled.notify_one();
    }

    pub(crate) fn close(&self) {
        self.state.lock().is_closed = true;
        self.filled.notify_all();
    }

    /// Answers until the queue is closed and empty.
    pub(crate) fn serve(&self, path: &Path) {
        while let Some((logs, waiting)) = self.take() {
            let synced = logs.iter().try_for_each(|log| log.sync_data());
            let result = synced.map_err(|error| file_failed("write", path)(error).unwritable(path));
            if let Err(error) = &result {
                tracing::warn!(%error, "entries of runs may not survive the end of the machine");
            }
            for answer in waiting {
                let _ = answer.send(result.clone());
            }
        }
    }

    fn take(&self) -> Option<(Vec<Arc<File>>, Vec<KeptAnswer>)> {
        let mut content = self.state.lock();
        loop {
            if !content.waiting.is_empty() {
                return Some((std::mem::take(&mut content.logs), std::mem::take(&mut content.waiting)));
            }
            if content.is_closed {
                return None;
            }
            self.filled.wait(&mut content);
        }
    }
}
