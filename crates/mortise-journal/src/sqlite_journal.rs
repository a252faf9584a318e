//! The journal that this process writes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use mortise_executor::journal::{Durability, Journal, JournalError, KeptRun, RunBegun, RunEntry, RunId};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::claim;
use crate::directory::JournalDirectory;
use crate::journal_error::{DatabaseError, file_failed};
use crate::keeper::Keeper;
use crate::limits;
use crate::process_mark::ProcessMark;
use crate::queue::{KeptQuestion, WriteQueue};
use crate::reader::JournalReader;
use crate::syncer::SyncQueue;
use crate::writer::JournalWriter;

/// Where runs are kept, and how long.
#[derive(Clone, Debug)]
pub struct JournalOptions {
    /// A folder for the journal alone. It is made if it is not there.
    pub directory: PathBuf,
    /// Age at which a run that has ended is removed.
    pub keep_days: u64,
    /// Bytes of all runs, above which the oldest that have ended are removed.
    pub keep_bytes: u64,
}

impl JournalOptions {
    /// The documented limits.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, keep_days: limits::KEEP_DAYS, keep_bytes: limits::KEEP_BYTES as u64 }
    }
}

/// Keeps the runs of this process in SQLite. Dropping it writes what waits, for at most
/// [`limits::LAST_WRITE`](crate::limits::LAST_WRITE).
#[derive(Debug)]
pub struct SqliteJournal {
    shared: Arc<JournalShared>,
    reader: JournalReader,
    /// Closed when the threads have ended.
    ended: Mutex<mpsc::Receiver<()>>,
}

/// What the threads of a journal share.
#[derive(Debug)]
pub(crate) struct JournalShared {
    pub(crate) directory: JournalDirectory,
    pub(crate) queue: WriteQueue,
    pub(crate) syncs: SyncQueue,
    pub(crate) keeper: Keeper,
    fault: Mutex<Option<JournalError>>,
    mark: Mutex<Option<ProcessMark>>,
}

impl SqliteJournal {
    /// Opens the journal, and makes it where there is none.
    ///
    /// Never fails: a journal that can't be written has a [`fault`](Journal::fault), and is tried again while runs
    /// begin.
    pub fn open(options: &JournalOptions) -> Self {
        let directory = JournalDirectory::new(options.directory.clone());
        let shared = Arc::new(JournalShared {
            directory: directory.clone(),
            queue: WriteQueue::default(),
            syncs: SyncQueue::default(),
            keeper: Keeper::new(options),
            fault: Mutex::new(None),
            mark: Mutex::new(None),
        });
        let (alive, ended) = mpsc::channel();
        let journal = Self {
            shared: Arc::clone(&shared),
            reader: JournalReader::new(options.directory.clone()),
            ended: Mutex::new(ended),
        };
        if let Err(error) = start_threads(&shared, &alive) {
            shared.set_fault(Some(error.unwritable(&directory.database())));
            shared.close();
        }
        journal
    }

    /// Lists and reads runs.
    pub fn reader(&self) -> &JournalReader {
        &self.reader
    }
}

fn start_threads(shared: &Arc<JournalShared>, alive: &mpsc::Sender<()>) -> Result<(), DatabaseError> {
    let path = shared.directory.database();
    let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let alive = alive.clone();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            work();
            drop(alive);
        });
        thread.map(drop).map_err(file_failed("start a thread for", &path))
    };
    let writer = JournalWriter::new(Arc::clone(shared));
    let for_writer = Arc::clone(shared);
    start(
        "journal-writer",
        Box::new(move || {
            writer.serve();
            for_writer.syncs.close();
        }),
    )?;
    let (for_syncer, log_path) = (Arc::clone(shared), path.clone());
    start("journal-syncer", Box::new(move || for_syncer.syncs.serve(&log_path)))?;
    let for_keeper = Arc::clone(shared);
    start("journal-keeper", Box::new(move || for_keeper.keeper.serve(&for_keeper.directory)))
}

impl Journal for SqliteJournal {
    fn begin(&self, run: &RunId, begun: RunBegun) {
        self.shared.queue.begin(run, begun);
    }

    fn append(&self, run: &RunId, entry: RunEntry) {
        self.shared.queue.append(run, entry);
    }

    fn kept(&self, run: &RunId, durability: Durability) -> BoxFuture<'static, Result<(), JournalError>> {
        let (answer, kept) = oneshot::channel();
        self.shared.queue.ask(KeptQuestion { run: run.clone(), durability, answer });
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            kept.await.unwrap_or_else(|_| {
                let closed = || JournalError::Unwritable {
                    path: shared.directory.database(),
                    reason: "it is closed".to_owned(),
                };
                Err(shared.fault().unwrap_or_else(closed))
            })
        })
    }

    fn claim(&self, run: &RunId) -> Result<(), JournalError> {
        let path = self.shared.directory.database();
        let owner = self
            .shared
            .mark_name_soon()
            .ok_or_else(|| self.shared.fault().unwrap_or_else(|| DatabaseError::Waiting.unwritable(&path)))?;
        claim::claim(&self.shared.directory, run, &owner)
    }

    fn read(&self, run: &RunId) -> Result<KeptRun, JournalError> {
        self.reader.read(run)
    }

    fn find(&self, name: &str) -> Result<RunId, JournalError> {
        self.reader.find(name)
    }

    fn fault(&self) -> Option<JournalError> {
        self.shared.fault()
    }
}

impl Drop for SqliteJournal {
    fn drop(&mut self) {
        self.shared.close();
        // An error means that the threads have ended, or that the time is up.
        let _ = self.ended.get_mut().recv_timeout(limits::LAST_WRITE);
        drop(self.shared.mark.lock().take());
    }
}

impl JournalShared {
    pub(crate) fn fault(&self) -> Option<JournalError> {
        self.fault.lock().clone()
    }

    /// Notes what is wrong; says whether that is news.
    pub(crate) fn set_fault(&self, fault: Option<JournalError>) -> bool {
        let is_news = fault.is_some();
        let before = std::mem::replace(&mut *self.fault.lock(), fault);
        is_news && before.is_none()
    }

    /// The name of the mark of this process.
    pub(crate) fn mark_name(&self) -> Option<String> {
        self.mark.lock().as_ref().map(|mark| mark.name().to_owned())
    }

    /// The name of the mark of this process, which the writer makes when it starts.
    fn mark_name_soon(&self) -> Option<String> {
        let until = Instant::now() + limits::FIRST_OPEN;
        loop {
            match self.mark_name() {
                None if self.fault().is_none() && Instant::now() < until => {
                    thread::sleep(Duration::from_millis(2));
                }
                name => return name,
            }
        }
    }

    /// Whether others can see the mark of this process: the folder may have been removed.
    pub(crate) fn has_mark(&self) -> bool {
        self.mark.lock().as_ref().is_some_and(ProcessMark::is_there)
    }

    pub(crate) fn set_mark(&self, mark: ProcessMark) {
        *self.mark.lock() = Some(mark);
    }

    pub(crate) fn show_losses(&self, are_lost: bool) {
        if let Some(mark) = &*self.mark.lock() {
            mark.show_losses(are_lost);
        }
    }

    fn close(&self) {
        self.queue.close();
        self.keeper.close();
    }
}
