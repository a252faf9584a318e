//! A guest that has started before its program is there.
//!
//! Most of what a small program costs is the start of its interpreter, which is the same for all of them. So one
//! guest can start while nothing else is to do, and wait where it would be given its program. It is a guest like any
//! other: it runs one program, and nothing of any program is in it before. Whether it was of use makes no difference
//! but time: a program whose spare guest came to grief on the way gets a fresh one.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{Notify, oneshot};

use super::course::CourseOrigin;
use super::guest::GuestTrace;
use super::run::Ending;
use crate::calls::Desk;
use crate::capacity::RunPlace;
use crate::limits::Limits;
use crate::names::ToolNames;
use crate::program::{Gate, MountedFile};
use crate::schedule::GuestTask;

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
pub(super) struct GuestWork {
    /// What the boot code asks for, as JSON.
    pub(super) start: Vec<u8>,
    pub(super) tools: ToolNames,
    pub(super) files: Vec<MountedFile>,
    pub(super) gate: Option<Gate>,
    pub(super) limits: Limits,
    pub(super) trace: Arc<GuestTrace>,
    pub(super) desk: Desk,
    pub(super) place: RunPlace,
    pub(super) deadline: Instant,
    pub(super) course: CourseOrigin,
}

/// Where a guest that waits is given its program.
#[derive(Default)]
pub(super) struct GuestInbox {
    work: Mutex<Option<GuestWork>>,
    arrived: Notify,
}

impl GuestInbox {
    fn put(&self, work: GuestWork) {
        *self.lock() = Some(work);
        self.arrived.notify_one();
    }

    pub(super) async fn receive(&self) -> GuestWork {
        loop {
            if let Some(work) = self.take() {
                return work;
            }
            self.arrived.notified().await;
        }
    }

    fn take(&self) -> Option<GuestWork> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<GuestWork>> {
        self.work.lock()
    }
}

/// A guest on the scheduler. It is stopped when this is dropped.
pub(super) struct StartedGuest {
    pub(super) task: GuestTask,
    pub(super) ended: oneshot::Receiver<(Ending, std::time::Duration)>,
    /// Of a guest that started before its program.
    pub(super) inbox: Option<Arc<GuestInbox>>,
}

impl StartedGuest {
    /// The program that this guest did not take before it ended.
    pub(super) fn not_taken(&mut self) -> Option<GuestWork> {
        self.inbox.take().and_then(|inbox| inbox.take())
    }
}

/// A guest that waits for its program.
pub(super) struct Waiting {
    pub(super) guest: StartedGuest,
    /// Its program's deadline, from when on it has one.
    pub(super) deadline: oneshot::Sender<Instant>,
}

impl Waiting {
    pub(super) fn give(self, work: GuestWork) -> StartedGuest {
        // A guest that has ended receives nothing; `StartedGuest::not_taken` gives the program back.
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

    #[cfg(test)]
    pub(super) fn is_full(&self) -> bool {
        self.number().is_some()
    }

    /// The number of the guest that waits.
    #[cfg(test)]
    pub(super) fn number(&self) -> Option<u64> {
        self.lock().as_ref().map(|waiting| waiting.guest.task.number())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.lock()
    }
}
