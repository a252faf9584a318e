//! What belongs to one running guest, and what it leaves behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mortise_contract::RawJson;
use parking_lot::{Mutex, MutexGuard};
use wasmtime::{Caller, Memory, ResourceLimiter};

use super::boot::BootCode;
use super::course::{RepeatedMoment, RunCourse};
use super::errno::{Errno, code};
use super::files::Files;
use super::memory::GuestMemory;
use super::spare::{GuestInbox, GuestWork};
use crate::calls::{Desk, Refused};
use crate::capacity::{Charge, NoMemory, RunPlace};
use crate::history::{Divergence, HostAction};
use crate::limits::Limits;
use crate::names::ToolNames;
use crate::output::Capture;
use crate::program::Gate;
use crate::report::ProgramError;
use crate::schedule::SchedulerHandle;

/// What belongs to one running guest.
pub(super) struct Guest {
    /// Set once the instance exists.
    pub(super) memory: Option<Memory>,
    pub(super) limiter: Limiter,
    pub(super) tools: ToolNames,
    pub(super) files: Files,
    /// `None` once the program has passed it.
    pub(super) gate: Option<Gate>,
    pub(super) trace: Arc<GuestTrace>,
    pub(super) desk: Desk,
    pub(super) limits: Limits,
    pub(super) scheduler: SchedulerHandle,
    pub(super) boot: Arc<BootCode>,
    /// The interpreter's command line.
    pub(super) start_arguments: [&'static str; 3],
    pub(super) start: Start,
    /// The reply that the guest has not taken yet, and what pays for it.
    pub(super) reply: Option<Vec<u8>>,
    pub(super) reply_charges: Vec<Charge>,
    pub(super) course: RunCourse,
    /// The fuel that it was given at its start.
    pub(super) fuel: u64,
}

/// What the boot code asks for once: the program and its names, as JSON.
pub(super) enum Start {
    Given(Vec<u8>),
    /// A spare guest waits for it.
    Waits(Arc<GuestInbox>),
    Taken,
}

impl Guest {
    /// Whether the guest has nothing of its program yet, so that all it does is ours.
    pub(super) fn is_untouched(&self) -> bool {
        !matches!(self.start, Start::Taken)
    }

    /// What the boot code asks for, as soon as it is there; once.
    pub(super) async fn start(&mut self) -> Option<Vec<u8>> {
        match std::mem::replace(&mut self.start, Start::Taken) {
            Start::Given(start) => Some(self.course.begin(start)),
            Start::Waits(inbox) => {
                let work = inbox.receive().await;
                let start = self.take(work);
                Some(self.course.begin(start))
            }
            Start::Taken => None,
        }
    }

    /// Whatever follows happens at a new moment, when the guest has computed this much.
    pub(super) fn enter(&mut self, burnt: u64) {
        self.trace.has_burnt(burnt);
        self.course.enter(burnt);
    }

    /// Suspends the guest until it may make calls. Its clock does not see the wait.
    pub(super) async fn pass_gate(&mut self) {
        let Some(gate) = self.gate.take().filter(|gate| !gate.is_open()) else { return };
        self.course.hold();
        self.limiter.place.lock().pause();
        gate.opened().await;
        self.limiter.place.lock().resume();
        self.course.release();
    }

    /// Goes on after the end of a recording, once it may make calls.
    pub(super) async fn go_on(&mut self) {
        self.pass_gate().await;
        self.course.go_on();
        self.desk.go_on();
    }

    /// Becomes the guest of this program.
    fn take(&mut self, work: GuestWork) -> Vec<u8> {
        self.limiter.place.lock().pass_to(work.place);
        self.limiter.limit = work.limits.memory;
        self.limiter.trace = Arc::clone(&work.trace);
        work.trace.memory.fetch_max(self.trace.memory(), Ordering::Relaxed);
        self.trace = work.trace;
        self.tools = work.tools;
        self.files.mount(work.files);
        self.gate = work.gate;
        self.desk = work.desk;
        self.limits = work.limits;
        self.course.give(work.course);
        work.start
    }
}

/// What a guest leaves behind, whatever becomes of it.
pub(super) struct GuestTrace {
    record: Mutex<GuestRecord>,
    memory: AtomicU64,
    /// What it had computed when it last did something that others could notice.
    fuel: AtomicU64,
}

/// The part of a [`GuestTrace`] that needs a lock.
pub(super) struct GuestRecord {
    pub(super) capture: Capture,
    pub(super) emitted: Option<(RawJson, Charge)>,
    /// How often a value was emitted.
    pub(super) emits: u64,
    /// Images and sounds as content blocks.
    pub(super) media: Vec<(RawJson, Charge)>,
    /// Why the guest did not get memory that it asked for, the last time.
    pub(super) denied: Option<NoMemory>,
    /// What the guest said about the program's end, if it came that far.
    pub(super) end: Option<Option<ProgramError>>,
    /// Calls refused for lack of budget.
    pub(super) refused: Refused,
}

impl GuestTrace {
    pub(super) fn new(capture: Capture) -> Self {
        let record = GuestRecord {
            capture,
            emitted: None,
            emits: 0,
            media: Vec::new(),
            denied: None,
            end: None,
            refused: Refused::default(),
        };
        Self { record: Mutex::new(record), memory: AtomicU64::new(0), fuel: AtomicU64::new(0) }
    }

    pub(super) fn record(&self) -> MutexGuard<'_, GuestRecord> {
        self.record.lock()
    }

    /// The most memory the guest had.
    pub(super) fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// What the guest has computed, in units of fuel.
    pub(super) fn fuel(&self) -> u64 {
        self.fuel.load(Ordering::Relaxed)
    }

    pub(super) fn has_burnt(&self, fuel: u64) {
        self.fuel.fetch_max(fuel, Ordering::Relaxed);
    }

    /// Why the guest did not get memory that it asked for, if that ever was so.
    pub(super) fn denied(&self) -> Option<NoMemory> {
        self.record().denied
    }
}

/// Why a guest stops before its code has come to an end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stop {
    /// The boot code has said how the program ended.
    #[error("the program has ended")]
    Finished,
    /// The process exit of the guest, such as `os._exit`.
    #[error("the program left with status {0}")]
    Exit(i32),
    /// More output than a program may write.
    #[error("the program printed too much")]
    Flood,
    /// A repeated run is not the recorded one.
    #[error(transparent)]
    Diverged(Box<Divergence>),
    /// The host ended the recorded run here.
    #[error("the recorded run was ended here")]
    EndedByHost,
}

/// Keeps a guest's memory within its own limit and that of all guests together.
pub(super) struct Limiter {
    pub(super) limit: u64,
    pub(super) place: Arc<Mutex<RunPlace>>,
    pub(super) trace: Arc<GuestTrace>,
}

impl Limiter {
    fn grow(&self, current: usize, desired: usize) -> Result<(), NoMemory> {
        match desired as u64 > self.limit {
            true => Err(NoMemory::Own { limit: self.limit }),
            false if current == 0 => Ok(()),
            false => self.place.lock().grow((desired - current) as u64),
        }
    }
}

impl ResourceLimiter for Guest {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.course.enter_unmeasured();
        let granted = match self.course.repeated() {
            RepeatedMoment::Event(HostAction::MemoryRefused) => {
                Err(NoMemory::Own { limit: self.limiter.limit })
            }
            RepeatedMoment::Event(_) => return Err(self.course.other_moment().into()),
            _ => self.limiter.grow(current, desired),
        };
        match granted {
            Ok(()) => _ = self.limiter.trace.memory.fetch_max(desired as u64, Ordering::Relaxed),
            Err(denied) => {
                if !matches!(denied, NoMemory::Own { .. }) {
                    self.course.record(HostAction::MemoryRefused);
                }
                self.limiter.trace.record().denied = Some(denied);
            }
        }
        Ok(granted.is_ok())
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= 100_000)
    }
}

/// What a guest has computed so far, in units of fuel.
pub(super) fn burnt(caller: &Caller<'_, Guest>) -> u64 {
    // Fuel is always counted, so the question has an answer.
    caller.data().fuel.saturating_sub(caller.get_fuel().unwrap_or_default())
}

/// Runs a shim function on the guest's memory and state.
pub(super) fn with(
    caller: &mut Caller<'_, Guest>,
    body: impl FnOnce(&mut GuestMemory<'_>, &mut Guest) -> Result<(), Errno>,
) -> i32 {
    let Some(memory) = caller.data().memory else { return code(Err(Errno::FAULT)) };
    let (bytes, guest) = memory.data_and_store_mut(caller);
    code(body(&mut GuestMemory(bytes), guest))
}
