//! A guest that has started before its program is there.
//!
//! Most of what a small program costs is the start of its interpreter, which is the same for all of them. So one
//! guest can start while nothing else is to do, and wait where it would be given its program. It is a guest like any
//! other: it runs one program, and nothing of any program is in it before. Whether it was of use makes no difference
//! but time: a program whose spare guest came to grief on the way gets a fresh one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, oneshot};

use super::guest::Trace;
use super::run::Ending;
use crate::calls::Desk;
use crate::capacity::Place;
use crate::limits::Limits;
use crate::names::ToolNames;
use crate::program::{Gate, MountedFile};
use crate::schedule::Task;

/// Whether a guest starts before its program is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spare {
    /// Every program waits for its own interpreter to start: about two milliseconds.
    #[default]
    Never,
    /// One starts together with the engine, for the first program.
    First,
    /// Another one starts whenever a program has ended and there is room. It costs about 5 MB while it waits.
    Always,
}

/// The memory that a guest may have before its program is there; the interpreter's own is 40 MiB. A program that may
/// have less starts afresh.
pub(super) const SPARE_MEMORY: u64 = 64 << 20;

/// One program on its way to a guest.
pub(super) struct Work {
    /// What the boot code asks for, as JSON.
    pub(super) start: Vec<u8>,
    pub(super) tools: ToolNames,
    pub(super) files: Vec<MountedFile>,
    pub(super) gate: Option<Gate>,
    pub(super) limits: Limits,
    pub(super) trace: Arc<Trace>,
    pub(super) desk: Desk,
    pub(super) place: Place,
    pub(super) deadline: Instant,
}

/// Where a guest that waits is given its program.
#[derive(Default)]
pub(super) struct Inbox {
    work: Mutex<Option<Work>>,
    arrived: Notify,
}

impl Inbox {
    fn put(&self, work: Work) {
        *self.lock() = Some(work);
        self.arrived.notify_one();
    }

    /// Waits for the program.
    pub(super) async fn receive(&self) -> Work {
        loop {
            if let Some(work) = self.take() {
                return work;
            }
            self.arrived.notified().await;
        }
    }

    fn take(&self) -> Option<Work> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A guest on the scheduler. It is stopped when this is dropped.
pub(super) struct Started {
    pub(super) task: Task,
    pub(super) ended: oneshot::Receiver<(Ending, std::time::Duration)>,
    /// Of a guest that started before its program.
    pub(super) inbox: Option<Arc<Inbox>>,
}

impl Started {
    /// The program that this guest did not take before it ended.
    pub(super) fn not_taken(&mut self) -> Option<Work> {
        self.inbox.take().and_then(|inbox| inbox.take())
    }
}

/// A guest that waits for its program.
pub(super) struct Waiting {
    pub(super) guest: Started,
    /// Its program's deadline, from when on it has one.
    pub(super) deadline: oneshot::Sender<Instant>,
}

impl Waiting {
    /// Gives it its program.
    pub(super) fn give(self, work: Work) -> Started {
        // One that has ended hears nothing; whoever waits for its end sees that it did not take the program.
        let _ = self.deadline.send(work.deadline);
        if let Some(inbox) = &self.guest.inbox {
            inbox.put(work);
        }
        self.guest
    }
}

/// The place where a spare guest is kept.
#[derive(Default)]
pub(super) struct Shelf(Mutex<Option<Waiting>>);

impl Shelf {
    pub(super) fn take(&self) -> Option<Waiting> {
        self.lock().take()
    }

    /// Puts one there, unless there is one already.
    pub(super) fn fill(&self, boot: impl FnOnce() -> Option<Waiting>) {
        let mut shelf = self.lock();
        if shelf.is_none() {
            *shelf = boot();
        }
    }

    /// Whether there is one.
    #[cfg(test)]
    pub(super) fn is_full(&self) -> bool {
        self.number().is_some()
    }

    /// Which one is there.
    #[cfg(test)]
    pub(super) fn number(&self) -> Option<u64> {
        self.lock().as_ref().map(|waiting| waiting.guest.task.number())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
