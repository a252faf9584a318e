//! The one thread of a process that writes runs. Everything that waits is one transaction.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use mortise_executor::journal::{Durability, JournalError, RunEntry, RunId};
use rusqlite::{Connection, TransactionBehavior};

use crate::directory::OpenDatabase;
use crate::journal_error::DatabaseError;
use crate::limits;
use crate::live_run::{EntryFault, LiveRun, StillRuns};
use crate::process_mark::{self, OwnerState, ProcessMark};
use crate::queue::{KeptQuestion, WriteOrder};
use crate::sqlite_journal::JournalShared;

/// What an entry adds to the log beside its own bytes.
const PAGE_BYTES: usize = 4096;
/// Runs with missing entries that are remembered after their end.
const REMEMBERED: usize = 256;

pub(crate) struct JournalWriter {
    shared: Arc<JournalShared>,
    open: Option<OpenDatabase>,
    live: HashMap<RunId, LiveRun>,
    /// Runs with missing entries, until their end. Nothing more of them is written.
    lost: HashMap<RunId, JournalError>,
    /// Those of them whose row does not say so yet.
    unmarked: HashSet<RunId>,
    /// Those of them that have ended, the oldest first: kept for questions that come late.
    lost_and_ended: VecDeque<RunId>,
    /// The database that has the rows of `live`.
    inode: Option<u64>,
    retry_at: Option<Instant>,
    unchecked_bytes: usize,
}

impl JournalWriter {
    pub(crate) fn new(shared: Arc<JournalShared>) -> Self {
        let mut writer = Self {
            shared,
            open: None,
            live: HashMap::new(),
            lost: HashMap::new(),
            unmarked: HashSet::new(),
            lost_and_ended: VecDeque::new(),
            inode: None,
            retry_at: None,
            unchecked_bytes: 0,
        };
        if let Err(error) = writer.open() {
            writer.fail(&error);
        }
        writer
    }

    /// Writes until the queue is closed and empty.
    pub(crate) fn serve(mut self) {
        while let Some(orders) = self.shared.queue.take() {
            self.write(orders);
        }
    }

    fn write(&mut self, orders: Vec<WriteOrder>) {
        let changed = ChangedRun::all(&orders);
        let mut questions = Vec::new();
        match self.try_write(orders, &mut questions) {
            Ok(WriteResult::Nothing) => {}
            Ok(WriteResult::Written) => {
                self.retry_at = None;
                self.shared.set_fault(None);
            }
            Err(error) => {
                let fault = self.fail(&error);
                for changed in changed {
                    self.lose(changed.run.clone(), &fault, changed.row);
                    if changed.has_ended {
                        self.forget_later(changed.run);
                    }
                }
            }
        }
        self.answer(questions);
        self.nudge_keeper();
    }

    /// Writes the orders in one transaction, and collects the questions among them.
    fn try_write(
        &mut self,
        orders: Vec<WriteOrder>,
        questions: &mut Vec<KeptQuestion>,
    ) -> Result<WriteResult, DatabaseError> {
        let mut changes = Vec::new();
        for order in orders {
            match order {
                WriteOrder::Answer(question) => questions.push(question),
                change => changes.push(change),
            }
        }
        if changes.is_empty() && self.unmarked.is_empty() {
            return Ok(WriteResult::Nothing);
        }
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return Err(DatabaseError::Waiting);
        }
        let mut open = match self.open.take() {
            Some(open) if self.shared.directory.is_current(&open) => open,
            _ => {
                self.open()?;
                self.open.take().ok_or(DatabaseError::Waiting)?
            }
        };
        self.transact(&mut open.connection, changes)?;
        self.open = Some(open);
        Ok(WriteResult::Written)
    }

    fn transact(
        &mut self,
        connection: &mut Connection,
        changes: Vec<WriteOrder>,
    ) -> Result<(), DatabaseError> {
        let owner = self.shared.mark_name().ok_or(DatabaseError::Waiting)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for change in changes {
            let run = change.run().clone();
            match self.change(&transaction, change, &owner) {
                Ok(()) => {}
                Err(EntryFault::Database(error)) => return Err(error.into()),
                Err(EntryFault::Run(reason)) => {
                    let path = self.shared.directory.database();
                    tracing::warn!(%run, %reason, "the journal does not record this run any further");
                    self.lose(run, &JournalError::Unwritable { path, reason }, RunRow::Written);
                }
            }
        }
        for run in &self.unmarked {
            transaction.prepare_cached("UPDATE runs SET lost = 1 WHERE id = ?1")?.execute([run.as_str()])?;
        }
        transaction.commit()?;
        if !self.unmarked.is_empty() {
            self.unmarked.clear();
            self.shared.show_losses(false);
        }
        Ok(())
    }

    fn change(&mut self, connection: &Connection, change: WriteOrder, owner: &str) -> Result<(), EntryFault> {
        match change {
            WriteOrder::Begin(run, begun) => {
                let live = LiveRun::begin(connection, &run, *begun, owner)?;
                self.live.insert(run, live);
            }
            WriteOrder::Append(run, entry) => {
                if self.lost.contains_key(&run) {
                    if matches!(*entry, RunEntry::Ended(_)) {
                        self.forget_later(run);
                    }
                    return Ok(());
                }
                if !self.live.contains_key(&run)
                    && let Some(claimed) = LiveRun::claimed(connection, &run, owner)?
                {
                    self.live.insert(run.clone(), claimed);
                }
                let Some(live) = self.live.get_mut(&run) else {
                    return Err(EntryFault::Run("this process does not run it".to_owned()));
                };
                let before = live.bytes();
                let still = live.append(connection, *entry)?;
                let added = usize::try_from(live.bytes() - before).unwrap_or_default();
                self.unchecked_bytes += PAGE_BYTES + added;
                if let StillRuns::No = still {
                    self.live.remove(&run);
                }
            }
            WriteOrder::Lost(run) => {
                return Err(EntryFault::Run(format!(
                    "entry of run `{run}` dropped: {} bytes or {} entries wait to be written already",
                    limits::QUEUED_BYTES,
                    limits::QUEUED_ENTRIES
                )));
            }
            WriteOrder::Answer(_) => {}
        }
        Ok(())
    }

    /// Opens the database, and takes over what processes that are gone have left behind.
    fn open(&mut self) -> Result<(), DatabaseError> {
        let mut database = self.shared.directory.open_or_create()?;
        let lock = self.shared.directory.lock()?;
        let marks = self.shared.directory.marks();
        if !self.shared.has_mark() {
            self.shared.set_mark(ProcessMark::create(&marks)?);
        }
        take_over(&mut database.connection, &marks)?;
        drop(lock);
        if database.log.metadata().is_ok_and(|log| log.len() > limits::CHECKPOINT_BYTES as u64) {
            self.shared.keeper.nudge();
        }
        if self.inode.replace(database.inode).is_some_and(|before| before != database.inode) {
            self.lose_all();
        }
        self.open = Some(database);
        Ok(())
    }

    /// Notes that writing failed. A damaged database is set aside when it is next opened.
    fn fail(&mut self, error: &DatabaseError) -> JournalError {
        if let DatabaseError::Waiting = error
            && let Some(fault) = self.shared.fault()
        {
            return fault;
        }
        self.open = None;
        let path = self.shared.directory.database();
        self.retry_at = Some(Instant::now() + limits::RETRY_EVERY);
        if error.is_corrupt()
            && let Ok(_lock) = self.shared.directory.lock()
        {
            match self.shared.directory.set_aside(error) {
                // A new database needs no patience.
                Ok(()) => self.retry_at = None,
                Err(error) => tracing::warn!(%error, "the damaged journal can't be set aside"),
            }
        }
        let fault = error.unwritable(&path);
        if self.shared.set_fault(Some(fault.clone())) {
            tracing::warn!(%fault, "runs are not recorded");
        }
        fault
    }

    /// Nothing more of this run is written.
    fn lose(&mut self, run: RunId, fault: &JournalError, row: RunRow) {
        if self.lost.contains_key(&run) {
            return;
        }
        self.live.remove(&run);
        self.lost.insert(run.clone(), fault.clone());
        if row == RunRow::Written {
            self.unmarked.insert(run);
            self.shared.show_losses(true);
        }
    }

    /// The database with the rows of all runs is gone.
    fn lose_all(&mut self) {
        let path = self.shared.directory.database();
        let fault = JournalError::Unwritable { path, reason: "it was removed, or set aside".to_owned() };
        let runs: Vec<RunId> = self.live.keys().cloned().collect();
        for run in runs {
            self.lose(run, &fault, RunRow::Missing);
        }
    }

    /// A run with missing entries has ended: it is forgotten when some more have.
    fn forget_later(&mut self, run: RunId) {
        self.lost_and_ended.push_back(run);
        if self.lost_and_ended.len() > REMEMBERED
            && let Some(oldest) = self.lost_and_ended.pop_front()
        {
            self.lost.remove(&oldest);
        }
    }

    fn answer(&self, questions: Vec<KeptQuestion>) {
        let mut syncing = Vec::new();
        for question in questions {
            match (self.lost.get(&question.run), question.durability) {
                (Some(fault), _) => drop(question.answer.send(Err(fault.clone()))),
                (None, Durability::Process) => drop(question.answer.send(Ok(()))),
                (None, Durability::Machine) => syncing.push(question.answer),
            }
        }
        if syncing.is_empty() {
            return;
        }
        if let Some(open) = &self.open {
            self.shared.syncs.ask(&open.log, syncing);
        } else {
            let fault = self.shared.fault();
            for answer in syncing {
                let _ = answer.send(fault.clone().map_or(Ok(()), Err));
            }
        }
    }

    fn nudge_keeper(&mut self) {
        if self.unchecked_bytes >= limits::CHECKPOINT_BYTES {
            self.unchecked_bytes = 0;
            self.shared.keeper.nudge();
        }
    }
}

/// Marks the runs of processes that are gone and lost entries, and removes what those processes left behind.
fn take_over(connection: &mut Connection, marks: &std::path::Path) -> Result<(), DatabaseError> {
    for (name, state) in process_mark::left_behind(marks)? {
        if state == OwnerState::GoneWithLosses {
            connection.execute("UPDATE runs SET lost = 1 WHERE owner = ?1", [&name])?;
        }
        process_mark::remove(marks, &name);
    }
    Ok(())
}

/// What came of some orders that did not fail.
enum WriteResult {
    Written,
    /// There were only questions.
    Nothing,
}

/// Whether the database has a row for a run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RunRow {
    Written,
    Missing,
}

/// What some orders do to a run.
struct ChangedRun {
    run: RunId,
    /// Whether it has a row if the orders fail.
    row: RunRow,
    has_ended: bool,
}

impl ChangedRun {
    fn all(orders: &[WriteOrder]) -> Vec<Self> {
        let change = |order: &WriteOrder| {
            let (row, has_ended) = match order {
                WriteOrder::Begin(..) => (RunRow::Missing, false),
                WriteOrder::Append(_, entry) => (RunRow::Written, matches!(**entry, RunEntry::Ended(_))),
                WriteOrder::Lost(_) => (RunRow::Written, false),
                WriteOrder::Answer(_) => return None,
            };
            Some(Self { run: order.run().clone(), row, has_ended })
        };
        orders.iter().filter_map(change).collect()
    }
}

impl WriteOrder {
    fn run(&self) -> &RunId {
        match self {
            Self::Begin(run, _) | Self::Append(run, _) | Self::Lost(run) => run,
            Self::Answer(question) => &question.run,
        }
    }
}
