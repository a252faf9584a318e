//! Runs programs: CPython compiled to WebAssembly, a new instance for each. All that is known of either is in here.
//!
//! `engine.md` beside this file explains how a guest lives, waits and ends.

mod boot;
mod cache;
mod clock;
mod course;
mod door;
mod errno;
mod files;
mod guest;
mod interpreter;
mod media;
mod memory;
mod module;
mod operations;
mod random;
mod run;
mod spare;
#[cfg(target_os = "linux")]
mod stack;
mod wasi;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mortise_contract::limits::PROGRAM_WALL_MAX;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use wasmtime::{InstancePre, Linker};

use self::boot::BootCode;
use self::course::{CourseOrigin, RunCourse};
use self::files::Files;
use self::guest::{Guest, GuestTrace, Limiter, Start};
pub use self::module::ModuleStatus;
use self::run::{Ending, Metered};
pub use self::spare::Spare;
use self::spare::{GuestInbox, GuestWork, SPARE_MEMORY, Shelf, StartedGuest, Waiting};
use crate::calls::{CallHistory, Desk, RepeatedCalls, connect};
use crate::capacity::{Capacity, RunPlace, RunPlaces};
use crate::history::{AfterHistory, BootPath, Divergence, Repeating};
use crate::host::ToolHost;
use crate::limits::{Limits, size};
use crate::names::ToolNames;
use crate::output::{Capture, OutputSink};
use crate::program::{Gate, MountedFile, Program};
use crate::report::{FailureKind, ProgramError, RunReport, RunStats};
use crate::schedule::Scheduler;

/// Stack of a guest's machine code, used only as far as it is needed. CPython bounds its recursion by a stack of its
/// own and knows nothing of this one; with less, ordinary deep structures such as a linked list of a hundred thousand
/// nodes end in a trap.
const GUEST_STACK: usize = 64 << 20;
/// The guest's stack and what our own functions need on top.
const FIBER_STACK: usize = GUEST_STACK + (1 << 20);

/// Longer than anything runs, and short enough to be added to any time.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// Runs programs. One per process is enough; it is shared by reference.
///
/// Dropping it stops every program.
pub struct Engine {
    spare: Spare,
    shelf: Shelf,
    guests: InstancePre<Guest>,
    boot: Arc<BootCode>,
    places: RunPlaces,
    scheduler: Scheduler,
    module: ModuleStatus,
    longest_wall: Duration,
}

/// How an engine is set up.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// A directory of this user for the compiled interpreter, made if missing; without one it is inflated
    /// into memory, which costs 70 ms at the start and 47 MB.
    pub cache_directory: Option<PathBuf>,
    /// What all programs together may use.
    pub capacity: Capacity,
    /// The longest wall time that a program can be given: ten minutes, unless programs do work that a person
    /// watches and can stop.
    pub longest_wall: Duration,
    /// Whether an interpreter starts before its program is there.
    pub spare: Spare,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            cache_directory: None,
            capacity: Capacity::default(),
            longest_wall: PROGRAM_WALL_MAX,
            spare: Spare::default(),
        }
    }
}

/// Why an engine can't start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The interpreter does not load on this machine.
    #[error("cannot load the Python interpreter: {reason}")]
    Load {
        /// What the WebAssembly runtime said.
        reason: String,
    },
    /// The interpreter's memory is kept in a file that only this process sees, and the limit on file sizes is lower.
    #[error(
        "cannot load the Python interpreter: files of this process may have at most {limit} bytes (`ulimit -f`), \
         and its memory needs more"
    )]
    FileSize { limit: u64 },
    /// No thread could be started.
    #[error("cannot start the threads that programs run on")]
    Threads(#[source] std::io::Error),
}

/// Why a program was not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// Too many programs wait already.
    #[error("{waiting} programs are waiting to run, which is the limit")]
    Busy {
        /// How many may wait.
        waiting: usize,
    },
}

impl Engine {
    /// Loads the interpreter and starts the threads. Blocks for some milliseconds, or some hundred the first time.
    pub fn new(options: EngineOptions) -> Result<Self, EngineError> {
        let load = |error: wasmtime::Error| EngineError::Load { reason: format!("{error:#}") };
        let mut config = interpreter::engine_config();
        config.max_wasm_stack(GUEST_STACK).async_stack_size(FIBER_STACK).wasm_backtrace_max_frames(None);
        #[cfg(target_os = "linux")]
        config.with_host_stack(Arc::new(stack::MeasuredStacks));
        let engine = wasmtime::Engine::new(&config).map_err(load)?;
        let (module, status) =
            module::load_module(&engine, options.cache_directory.as_deref()).map_err(load)?;
        // Otherwise done with the first program, which would fail for a reason that is not its own.
        module.initialize_copy_on_write_image().map_err(|error| match file_size_limit(&error) {
            Some(limit) => EngineError::FileSize { limit },
            None => load(error),
        })?;
        let mut linker = Linker::new(&engine);
        wasi::link(&mut linker).map_err(load)?;
        operations::link(&mut linker).map_err(load)?;
        let engine = Self {
            spare: options.spare,
            shelf: Shelf::default(),
            guests: linker.instantiate_pre(&module).map_err(load)?,
            boot: Arc::default(),
            places: RunPlaces::new(options.capacity),
            scheduler: Scheduler::start(options.capacity.threads.max(1)).map_err(EngineError::Threads)?,
            module: status,
            longest_wall: options.longest_wall.min(FOREVER),
        };
        if engine.spare != Spare::Never {
            engine.prepare();
        }
        Ok(engine)
    }

    /// Where the interpreter came from.
    pub fn module(&self) -> &ModuleStatus {
        &self.module
    }

    /// The version of Python that programs are written in.
    pub fn python_version() -> &'static str {
        interpreter::PYTHON_VERSION
    }

    /// Runs one program to its end, its limits or its cancellation.
    ///
    /// A wall time beyond [`EngineOptions::longest_wall`] is cut to that.
    /// Tool calls are made on the current Tokio runtime through `host`; output goes to `sink` as it is printed.
    /// Dropping the future stops the program and its calls.
    pub async fn run_program<H: ToolHost>(
        &self,
        program: Program,
        host: Arc<H>,
        sink: impl OutputSink,
        cancel: &CancellationToken,
    ) -> Result<RunReport, RunError> {
        let mut limits = program.limits.clone();
        limits.wall = limits.wall.min(self.longest_wall);
        if program.source.len() > limits.source {
            return Ok(unstarted(source_too_long(program.source.len(), &limits), Duration::ZERO));
        }
        if let Some(history) = &program.history {
            if history.start.interpreter != interpreter::IMAGE.digest {
                return Ok(unstarted(diverged(&Divergence::Interpreter), Duration::ZERO));
            }
            self.boot_as(history.start.boot).await;
        }
        let Some(origin) = CourseOrigin::of(program.recorder.clone(), program.history.as_ref()) else {
            let message = "the system has no randomness to give".to_owned();
            return Ok(unstarted(plain(FailureKind::Crash, "OSError", message), Duration::ZERO));
        };
        let asked = Instant::now();
        if !self.places.has_memory() {
            // What a spare guest has is of more use to this program.
            drop(self.shelf.take());
        }
        let place = tokio::select! {
            biased;
            () = cancel.cancelled() => return Ok(unstarted(cancelled(), asked.elapsed())),
            place = self.places.enter(&program.owner, limits.memory) => place,
        };
        let place = place.map_err(|_| RunError::Busy { waiting: self.places.waiting_limit() })?;
        let _refill = (self.spare == Spare::Always).then(|| Refill(self));
        let started = Instant::now();
        let deadline = started + limits.wall;
        let calls = CallHistory {
            recorder: program.recorder.clone(),
            repeated: program.history.as_ref().map(|history| RepeatedCalls {
                calls: Arc::clone(&history.calls),
                after: history.after,
                live: Gate::default(),
            }),
        };
        let (desk, mut dispatcher) = connect(host, &limits, deadline, place.account().clone(), calls);
        let trace =
            Arc::new(GuestTrace::new(Capture::new(limits.output, limits.output_flood, Box::new(sink))));
        let mut guest = self.start(GuestWork {
            start: start_message(&program),
            tools: program.tools,
            files: program.files,
            gate: program.gate,
            limits: limits.clone(),
            trace: Arc::clone(&trace),
            desk,
            place,
            deadline,
            course: origin,
        });
        let ended = loop {
            let ended = tokio::select! {
                biased;
                () = cancel.cancelled() => break Err(cancelled()),
                ended = &mut guest.ended => ended,
                never = dispatcher.serve() => match never {},
            };
            match guest.not_taken() {
                Some(work) => guest = self.start_fresh(work),
                None => break Ok(ended),
            }
        };
        let computed = match &ended {
            Ok(Ok((_, computed))) => *computed,
            _ => guest.task.computed(),
        };
        drop(guest);
        let mut calls = dispatcher.finish();
        let mut record = trace.record();
        let refused = std::mem::take(&mut record.refused);
        calls.extend(refused.first);
        let (output, truncated, written) = record.capture.finish();
        let emitted = record.emitted.take().map(|(value, _)| value);
        let media = std::mem::take(&mut record.media).into_iter().map(|(block, _)| block).collect();
        let error = match ended {
            Err(cancelled) => Some(cancelled),
            Ok(Ok((ending, _))) => ending.error(record.end.take(), record.denied, &limits),
            // The guest's thread dropped it without a word: our own bug.
            Ok(Err(_)) => Ending::Crash("internal error".to_owned()).error(None, None, &limits),
        };
        let stats = RunStats {
            wall: started.elapsed(),
            queued: started - asked,
            computed,
            memory: trace.memory(),
            output: written,
            emits: record.emits,
            refused_calls: refused.count,
            fuel: trace.fuel(),
        };
        Ok(RunReport { output, truncated, emitted, media, error, calls, stats })
    }

    /// Gives the program to the spare guest, or to a fresh one.
    fn start(&self, work: GuestWork) -> StartedGuest {
        let may_spare = work.limits.memory >= SPARE_MEMORY && work.course.start.is_none();
        let spare = if may_spare { self.shelf.take() } else { None };
        match spare {
            Some(waiting) => waiting.give(work),
            None => self.start_fresh(work),
        }
    }

    fn start_fresh(&self, work: GuestWork) -> StartedGuest {
        let deadline = self.scheduler.handle().sleep_until(work.deadline);
        let place = Arc::new(Mutex::new(work.place));
        let boot = work.course.start.as_ref().map_or_else(|| self.boot.path(), |start| start.boot);
        let fuel = match work.course.repeating.as_ref().map(Repeating::after) {
            Some(AfterHistory::EndedByHost { fuel }) => fuel,
            _ => u64::MAX,
        };
        let guest = Guest {
            limiter: Limiter {
                limit: work.limits.memory,
                place: Arc::clone(&place),
                trace: Arc::clone(&work.trace),
            },
            start: Start::Given(work.start),
            tools: work.tools,
            files: Files::new(work.files),
            gate: work.gate,
            trace: work.trace,
            desk: work.desk,
            limits: work.limits,
            course: RunCourse::new(boot, work.course),
            fuel,
            ..self.empty_guest(Arc::clone(&place), boot)
        };
        self.spawn(guest, place, deadline, None)
    }

    /// Waits until a guest can boot in this way: one that gets compiled code needs another one to compile it.
    async fn boot_as(&self, path: BootPath) {
        if path == BootPath::Compiled && self.boot.path() == BootPath::Source {
            self.prepare();
            self.boot.compiled_soon().await;
        }
    }

    /// Starts a guest for a program to come, unless there is one or others need the room.
    fn prepare(&self) {
        self.shelf.fill(|| {
            let place = Arc::new(Mutex::new(self.places.spare()?));
            let inbox = Arc::new(GuestInbox::default());
            let empty = self.empty_guest(Arc::clone(&place), self.boot.path());
            let guest = Guest { start: Start::Waits(Arc::clone(&inbox)), ..empty };
            let (deadline, set) = oneshot::channel();
            let scheduler = self.scheduler.handle();
            let end_of_time = async move {
                match set.await {
                    Ok(deadline) => scheduler.sleep_until(deadline).await,
                    Err(_) => std::future::pending().await,
                }
            };
            Some(Waiting { guest: self.spawn(guest, place, end_of_time, Some(inbox)), deadline })
        });
    }

    /// A guest with nothing of any program.
    fn empty_guest(&self, place: Arc<Mutex<RunPlace>>, boot: BootPath) -> Guest {
        let trace = Arc::new(GuestTrace::new(Capture::new(0, 0, Box::new(()))));
        Guest {
            memory: None,
            limiter: Limiter { limit: SPARE_MEMORY, place, trace: Arc::clone(&trace) },
            start: Start::Taken,
            tools: ToolNames::default(),
            files: Files::new(Vec::new()),
            gate: None,
            trace,
            desk: Desk::closed(),
            limits: Limits::default(),
            scheduler: self.scheduler.handle(),
            start_arguments: BootCode::start_arguments(boot),
            boot: Arc::clone(&self.boot),
            reply: None,
            reply_charges: Vec::new(),
            course: RunCourse::new(boot, CourseOrigin::default()),
            fuel: u64::MAX,
        }
    }

    /// Puts a guest on the scheduler.
    fn spawn(
        &self,
        guest: Guest,
        place: Arc<Mutex<RunPlace>>,
        deadline: impl Future<Output = ()> + Send + 'static,
        inbox: Option<Arc<GuestInbox>>,
    ) -> StartedGuest {
        let (send, ended) = oneshot::channel();
        let running = Metered::new(run::run_guest(self.guests.clone(), guest, deadline), place);
        let task = self.scheduler.handle().spawn(async move {
            let ((ending, mut left), computed) = running.await;
            // Nothing more comes from it, and it computes no more; its memory counts until it is gone.
            left.data_mut().desk = Desk::closed();
            left.data().limiter.place.lock().pause();
            // The receiver of a cancelled program is gone.
            let _ = send.send((ending, computed));
            drop(left);
        });
        StartedGuest { task, ended, inbox }
    }
}

/// Starts the next spare guest when a run is over, however it ends.
struct Refill<'a>(&'a Engine);

impl Drop for Refill<'_> {
    fn drop(&mut self) {
        self.0.prepare();
    }
}

/// What the boot code needs to know, as JSON.
fn start_message(program: &Program) -> Vec<u8> {
    let message = json!({
        "source": program.source,
        "arguments": program.arguments,
        "tools": program.tools.usable_in(&program.source),
        "blocked": program.blocked.mentioned_in(&program.source),
        "files": program.files.iter().map(MountedFile::path).collect::<Vec<_>>(),
    });
    message.to_string().into_bytes()
}

fn source_too_long(length: usize, limits: &Limits) -> ProgramError {
    let message = format!(
        "the program is {} long; the limit is {} (max_source_bytes={})",
        size(length as u64),
        size(limits.source as u64),
        limits.source
    );
    plain(FailureKind::Source, "ValueError", message)
}

fn cancelled() -> ProgramError {
    plain(FailureKind::Cancelled, "CancelledError", "the program was cancelled".to_owned())
}

fn diverged(divergence: &Divergence) -> ProgramError {
    plain(FailureKind::Diverged, "ReplayError", divergence.to_string())
}

fn plain(kind: FailureKind, exception: &str, message: String) -> ProgramError {
    let traceback = format!("{exception}: {message}");
    ProgramError { kind, exception: exception.to_owned(), message, traceback, line: None }
}

fn unstarted(error: ProgramError, queued: Duration) -> RunReport {
    RunReport {
        output: String::new(),
        truncated: false,
        emitted: None,
        media: Vec::new(),
        error: Some(error),
        calls: Vec::new(),
        stats: RunStats { queued, ..RunStats::default() },
    }
}

/// The limit on the size of files, where it is the reason for `error`.
#[cfg(unix)]
fn file_size_limit(error: &wasmtime::Error) -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    let is_reason = error.downcast_ref::<std::io::Error>()?.kind() == std::io::ErrorKind::FileTooLarge;
    getrlimit(Resource::Fsize).current.filter(|_| is_reason)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
fn file_size_limit(_error: &wasmtime::Error) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests;
