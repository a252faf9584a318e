//! One guest from its first instruction to its last, and what its end means.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use wasmtime::{Instance, InstancePre, Store, Trap};

use super::guest::{Guest, Stop};
#[cfg(target_os = "linux")]
use super::stack::StackGauge;
use crate::capacity::{BACKGROUND_AFTER, NoMemory, RunPlace};
use crate::history::Divergence;
use crate::limits::{Limits, seconds, size};
use crate::report::{FailureKind, ProgramError};

/// How much a guest computes before others have their turn: about a millisecond.
const SLICE: u64 = 8_000_000;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The boot code is done.
    Left,
    /// The program left by a process exit.
    Exit(i32),
    Flood,
    Time,
    /// The interpreter stopped for want of memory.
    Memory(NoMemory),
    /// The interpreter stopped for want of stack.
    Stack,
    /// A repeated run is not the recorded one.
    Diverged(Divergence),
    /// The host ended the recorded run here.
    Repeated,
    /// The interpreter stopped for another reason.
    Crash(String),
}

/// Runs a guest until it ends or its time does, which is when `deadline` completes. What is left of it comes back too:
/// to drop it takes as long as a small program.
pub(super) async fn run_guest(
    pre: InstancePre<Guest>,
    guest: Guest,
    deadline: impl Future<Output = ()>,
) -> (Ending, Store<Guest>) {
    let place = Arc::clone(&guest.limiter.place);
    let mut store = Store::new(pre.module().engine(), guest);
    let computing = within_memory(compute(&pre, &mut store), &place);
    let ending = tokio::select! {
        biased;
        () = deadline => Ending::Time,
        ending = computing => ending,
    };
    let ending = match (&ending, store.data_mut().course.ended_early()) {
        (Ending::Left | Ending::Exit(_), Some(divergence)) => Ending::Diverged(divergence),
        _ => ending,
    };
    let fuel = store.data().fuel.saturating_sub(store.get_fuel().unwrap_or_default());
    store.data().trace.has_burnt(fuel);
    (ending, store)
}

/// Computes, and counts the stack that it takes as memory of the program.
#[cfg(target_os = "linux")]
async fn within_memory(computing: impl Future<Output = Ending>, place: &Mutex<RunPlace>) -> Ending {
    let gauge = Arc::new(StackGauge::default());
    let mut computing = pin!(computing);
    std::future::poll_fn(move |context| {
        let polled = gauge.during(|| computing.as_mut().poll(context));
        let grown = gauge.grown();
        match (polled, grown) {
            (Poll::Pending, 1..) => match place.lock().grow(grown) {
                Ok(()) => Poll::Pending,
                Err(denied) => Poll::Ready(Ending::Memory(denied)),
            },
            (polled, _) => polled,
        }
    })
    .await
}

/// Elsewhere nothing says how much of a stack is used.
#[cfg(not(target_os = "linux"))]
async fn within_memory(computing: impl Future<Output = Ending>, _place: &Mutex<RunPlace>) -> Ending {
    computing.await
}

async fn compute(pre: &InstancePre<Guest>, store: &mut Store<Guest>) -> Ending {
    let result = enter(pre, store).await;
    match result {
        Ok(status) => Ending::Exit(status),
        Err(error) => ending(&error, store.data().trace.denied()),
    }
}

async fn enter(pre: &InstancePre<Guest>, store: &mut Store<Guest>) -> wasmtime::Result<i32> {
    store.limiter(|guest| guest);
    let fuel = store.data().fuel;
    store.set_fuel(fuel)?;
    store.fuel_async_yield_interval(Some(SLICE))?;
    let instance = instantiate(pre, store).await?;
    store.data_mut().memory = instance.get_memory(&mut *store, "memory");
    let run = instance.get_typed_func::<(), i32>(&mut *store, "bashkit_run")?;
    run.call_async(store, ()).await
}

const ATTEMPTS: usize = 5;

/// Makes the instance. The kernel may be at work on the pages that its memory is a copy of, for a moment, and refuse
/// to seal them (`EBUSY`). Nothing has run then.
async fn instantiate(pre: &InstancePre<Guest>, store: &mut Store<Guest>) -> wasmtime::Result<Instance> {
    for _ in 1..ATTEMPTS {
        match pre.instantiate_async(&mut *store).await {
            Err(error) if error.root_cause().to_string().ends_with("(os error 16)") => {}
            made => return made,
        }
    }
    pre.instantiate_async(store).await
}

fn ending(error: &wasmtime::Error, denied: Option<NoMemory>) -> Ending {
    match (error.downcast_ref::<Stop>(), error.downcast_ref::<Trap>(), denied) {
        (Some(Stop::Finished), ..) => Ending::Left,
        (Some(Stop::Exit(status)), ..) => Ending::Exit(*status),
        (Some(Stop::Flood), ..) => Ending::Flood,
        (Some(Stop::Diverged(divergence)), ..) => Ending::Diverged(Divergence::clone(divergence)),
        (Some(Stop::EndedByHost), ..) | (None, Some(Trap::OutOfFuel), _) => Ending::Repeated,
        (None, Some(Trap::StackOverflow), _) => Ending::Stack,
        (None, _, Some(denied)) => Ending::Memory(denied),
        (None, Some(trap), None) => Ending::Crash(trap.to_string()),
        (None, None, None) => Ending::Crash(error.root_cause().to_string()),
    }
}

impl Ending {
    /// What went wrong. `end` is what the boot code said, if it came that far; after its word only time and output
    /// can still fail a program.
    pub(super) fn error(
        self,
        end: Option<Option<ProgramError>>,
        denied: Option<NoMemory>,
        limits: &Limits,
    ) -> Option<ProgramError> {
        let is_final = matches!(self, Self::Time | Self::Flood | Self::Diverged(_) | Self::Repeated);
        if let (Some(error), false) = (end, is_final) {
            return error.map(|error| explain_memory(error, denied));
        }
        let (kind, exception, message) = match self {
            Self::Left => return Self::Crash("it left without a word".to_owned()).error(None, None, limits),
            Self::Exit(status) => (
                FailureKind::Exit,
                "SystemExit",
                format!(
                    "os._exit({status}) ended the program on the spot: nothing was cleaned up, and output that was \
                     not flushed is lost"
                ),
            ),
            Self::Flood => (
                FailureKind::Output,
                "OutputLimitError",
                format!("the program printed more than {}", size(limits.output_flood)),
            ),
            Self::Time => (
                FailureKind::Time,
                "TimeoutError",
                format!("Execution exceeded {} limit", seconds(limits.wall)),
            ),
            Self::Memory(denied) => (FailureKind::Memory, "MemoryError", denied.to_string()),
            Self::Stack => (
                FailureKind::Crash,
                "RecursionError",
                "the interpreter ran out of stack: something nests or recurses too deeply".to_owned(),
            ),
            Self::Diverged(divergence) => (FailureKind::Diverged, "ReplayError", divergence.to_string()),
            Self::Repeated => {
                (FailureKind::Cancelled, "CancelledError", "the recorded run was ended here".to_owned())
            }
            Self::Crash(reason) => {
                (FailureKind::Crash, "SystemError", format!("the interpreter stopped: {reason}"))
            }
        };
        let traceback = format!("{exception}: {message}");
        Some(ProgramError { kind, exception: exception.to_owned(), message, traceback, line: None })
    }
}

/// CPython's own `MemoryError` has no text; we know what it means.
fn explain_memory(mut error: ProgramError, denied: Option<NoMemory>) -> ProgramError {
    if let (Some(denied), "MemoryError") = (denied, error.exception.as_str()) {
        error.kind = FailureKind::Memory;
        if error.message.is_empty() {
            error.message = denied.to_string();
            if let Some(head) = error.traceback.strip_suffix("MemoryError") {
                error.traceback = format!("{head}MemoryError: {}", error.message);
            }
        }
    }
    error
}

/// Lets a guest's place go once it has computed for long.
pub(super) struct Metered<F> {
    inner: Pin<Box<F>>,
    place: Arc<Mutex<RunPlace>>,
    computed: Duration,
}

impl<F: Future> Metered<F> {
    pub(super) fn new(inner: F, place: Arc<Mutex<RunPlace>>) -> Self {
        Self { inner: Box::pin(inner), place, computed: Duration::ZERO }
    }
}

impl<F: Future> Future for Metered<F> {
    /// What came out, and how long it computed.
    type Output = (F::Output, Duration);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let start = Instant::now();
        let polled = self.inner.as_mut().poll(context);
        self.computed += start.elapsed();
        if self.computed >= BACKGROUND_AFTER {
            self.place.lock().step_back();
        }
        polled.map(|output| (output, self.computed))
    }
}
