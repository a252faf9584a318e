//! Checks programs in processes of their own, so that no program can end, hang or fill ours.
//!
//! One process is kept warm. A check that takes too long, or too much memory or stack, costs its process and nothing
//! else: the program counts as not checked, and another process takes over. While one check holds a process for long,
//! another process is started for the rest; sessions take turns, and no session gets all processes.

mod process;
mod suspects;
mod turns;

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

pub use mortise_typecheck::serve;
use mortise_typecheck::{CheckMode, CheckRequest, TypecheckReport, Unchecked};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use process::{CheckExchange, CheckerProcess, Happened, Task, log_lines, milliseconds};
use suspects::Suspects;
use turns::Turns;

use crate::limits::{CHECK_TIME, CHECK_TURN, CHECKER_MEMORY, CHECKER_RESIDENT, CHECKERS, CHECKS_WAITING};

/// Requests on their way to the dispatcher; there they wait in their session's line.
const INBOX: usize = 64;
/// Tasks on their way to a process: warming up, and one check.
const TASKS: usize = 4;
/// The part of a check's time after which others no longer wait for its process.
const LONG: u32 = 20;
/// How long a further process is kept without work.
const IDLE: Duration = Duration::from_secs(10);

/// How programs are checked.
#[derive(Clone, Debug)]
pub struct CheckerOptions {
    /// What starts a process that runs [`serve`] on its standard input and output.
    pub command: CheckerCommand,
    /// How long one check may take.
    pub time: Duration,
    /// How long a check may wait for its turn.
    pub turn: Duration,
    /// The address space of one process, in bytes.
    pub memory: u64,
    /// The resident memory, in bytes, above which a process is replaced after its check.
    pub resident: u64,
    /// Processes at once, two at least: one of them is never held by a session that lost one.
    pub processes: usize,
}

/// A program and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckerCommand {
    /// The executable.
    pub program: PathBuf,
    /// What lists of processes show as its name.
    pub name: OsString,
    pub arguments: Vec<OsString>,
}

impl CheckerOptions {
    /// The limits of the table. Without optimisation the checker is some twenty times slower, and gets more time.
    pub fn new(command: CheckerCommand) -> Self {
        let factor = if cfg!(debug_assertions) { 30 } else { 1 };
        Self {
            command,
            time: factor * CHECK_TIME,
            turn: factor * CHECK_TURN,
            memory: CHECKER_MEMORY as u64,
            resident: CHECKER_RESIDENT as u64,
            processes: CHECKERS,
        }
    }
}

/// Checks programs in other processes. Cloning it shares it; they end with the last clone.
#[derive(Clone, Debug)]
pub struct CheckerPool(Arc<CheckerPoolState>);

#[derive(Debug)]
struct CheckerPoolState {
    options: CheckerOptions,
    /// The task that owns the processes and its inbox, once something was asked of it.
    dispatcher: OnceLock<(mpsc::Sender<CheckerAsk>, AbortOnDropHandle<()>)>,
    waiting: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum CheckerAsk {
    WarmUp,
    WarmUpFor(String),
    Check { session: String, job: Box<Job> },
}

/// A program that waits for its turn.
#[derive(Debug)]
struct Job {
    exchange: CheckExchange,
    turn: Duration,
    /// Until when its check must have begun.
    until: Instant,
}

impl CheckerPool {
    /// Starts nothing yet.
    pub fn new(options: CheckerOptions) -> Self {
        Self(Arc::new(CheckerPoolState { options, dispatcher: OnceLock::new(), waiting: Arc::default() }))
    }

    /// Starts a process that infers what most programs need. Must be called inside a tokio runtime.
    pub fn warm_up(&self) {
        // If the inbox is full, programs warm it.
        _ = self.inbox().try_send(CheckerAsk::WarmUp);
    }

    /// Starts a process that infers what this program needs, before its tools are known.
    pub fn warm_up_for(&self, source: &str) {
        _ = self.inbox().try_send(CheckerAsk::WarmUpFor(source.to_owned()));
    }

    /// Checks one program of a session. It waits for its turn no longer than a quarter of `wall`, and the check takes
    /// no longer than another quarter. Dropping the future ends the check.
    pub async fn check_in_process(
        &self,
        request: CheckRequest,
        session: &str,
        wall: Duration,
    ) -> TypecheckReport {
        let mode = request.mode;
        if mode == CheckMode::Off {
            return TypecheckReport { mode, ..TypecheckReport::default() };
        }
        let (time, turn) = (self.0.options.time.min(wall / 4), self.0.options.turn.min(wall / 4));
        let (reply, replied) = oneshot::channel();
        let exchange = CheckExchange { request, time, reply };
        let job = Box::new(Job { exchange, turn, until: Instant::now() + turn });
        let sent = self.inbox().send(CheckerAsk::Check { session: session.to_owned(), job }).await;
        let report = match sent {
            Ok(()) => replied.await.ok(),
            Err(_) => None,
        };
        report.unwrap_or_else(|| TypecheckReport { mode, ..TypecheckReport::unchecked(Unchecked::Failed) })
    }

    /// The longest that [`CheckerPool::check_in_process`] takes, whatever the program's own time.
    pub fn longest(&self) -> Duration {
        self.0.options.time + self.0.options.turn
    }

    /// Whether programs wait for their check.
    pub fn is_busy(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed) > 0
    }

    fn inbox(&self) -> &mpsc::Sender<CheckerAsk> {
        let (inbox, _) = self.0.dispatcher.get_or_init(|| {
            let (inbox, asked) = mpsc::channel(INBOX);
            let dispatcher = Dispatcher::new(self.0.options.clone(), self.0.waiting.clone());
            let dispatcher = AbortOnDropHandle::new(tokio::spawn(dispatcher.run(asked)));
            (inbox, dispatcher)
        });
        inbox
    }
}

/// Owns the processes and the queues for them.
struct Dispatcher {
    options: CheckerOptions,
    turns: Turns<Box<Job>>,
    waiting: Arc<AtomicUsize>,
    suspects: Suspects,
    seats: HashMap<u64, Seat>,
    running: JoinSet<()>,
    happened: mpsc::UnboundedSender<(u64, Happened)>,
    happenings: mpsc::UnboundedReceiver<(u64, Happened)>,
    next_seat: u64,
}

/// A process as the dispatcher sees it.
struct Seat {
    tasks: mpsc::Sender<Task>,
    check: Option<CheckUnderWay>,
    /// Since when it checks, or has nothing to do.
    since: Instant,
    has_answered: bool,
}

struct CheckUnderWay {
    session: String,
    is_suspect: bool,
}

impl Dispatcher {
    fn new(options: CheckerOptions, waiting: Arc<AtomicUsize>) -> Self {
        let (happened, happenings) = mpsc::unbounded_channel();
        Self {
            options,
            turns: Turns::new(CHECKS_WAITING),
            waiting,
            suspects: Suspects::default(),
            seats: HashMap::new(),
            running: JoinSet::new(),
            happened,
            happenings,
            next_seat: 0,
        }
    }

    async fn run(mut self, mut asked: mpsc::Receiver<CheckerAsk>) {
        loop {
            let wake = self.next_wake();
            tokio::select! {
                ask = asked.recv() => match ask {
                    Some(ask) => self.take(ask),
                    None => return,
                },
                Some((seat, happened)) = self.happenings.recv() => self.note(seat, happened),
                Some(_) = self.running.join_next() => {}
                () = sleep_until(wake) => {}
            }
            self.dispatch();
            self.end_idle();
            self.waiting.store(self.turns.waiting(), Ordering::Relaxed);
        }
    }

    fn take(&mut self, ask: CheckerAsk) {
        match ask {
            CheckerAsk::WarmUp => self.warm(Task::WarmUp),
            CheckerAsk::WarmUpFor(source) => self.warm(Task::WarmUpFor(source)),
            CheckerAsk::Check { session, job } => {
                if let Some(job) = self.turns.push(&session, job) {
                    let waiting = self.turns.waiting();
                    job.exchange.give_up(Unchecked::Busy { waiting });
                }
            }
        }
    }

    /// Warms the first process up; starts it if there is none.
    fn warm(&mut self, task: Task) {
        let seat = match self.seats.keys().min().copied() {
            Some(seat) => Some(seat),
            None => self.start(),
        };
        if let Some(seat) = seat.and_then(|seat| self.seats.get(&seat)) {
            // A process with this much to do is warm soon anyway.
            _ = seat.tasks.try_send(task);
        }
    }

    fn note(&mut self, id: u64, happened: Happened) {
        let now = Instant::now();
        let Some(seat) = self.seats.get_mut(&id) else { return };
        let check = seat.check.take();
        seat.since = now;
        if happened == Happened::Answered {
            seat.has_answered = true;
            return;
        }
        let had_worked = seat.has_answered || check.is_some();
        self.seats.remove(&id);
        if let (Happened::Lost, Some(check)) = (happened, check) {
            self.suspects.add(check.session, now);
        }
        // One that ends as soon as it starts is tried again with the next program.
        if self.seats.is_empty() && had_worked {
            self.warm(Task::WarmUp);
        }
    }

    /// Hands programs to processes, in turn, for as long as there are both.
    fn dispatch(&mut self) {
        let now = Instant::now();
        for job in self.turns.remove(|job| job.until <= now || job.exchange.reply.is_closed()) {
            let milliseconds = milliseconds(job.turn);
            job.exchange.give_up(Unchecked::Turn { milliseconds });
        }
        loop {
            let (idle, can_start) = (self.idle(), self.can_start(now));
            let most = self.options.processes.saturating_sub(1).max(1);
            let (seats, suspects) = (&self.seats, &self.suspects);
            let held = |is_one: &dyn Fn(&CheckUnderWay) -> bool| {
                seats.values().filter_map(|seat| seat.check.as_ref()).filter(|check| is_one(check)).count()
            };
            let next = self.turns.next(|session| {
                let is_suspect = suspects.contains(session, now);
                // A session that lost a process leaves one for the others.
                let has_room =
                    if is_suspect { idle.len() > 1 || can_start } else { !idle.is_empty() || can_start };
                has_room
                    && held(&|check| check.session == session) < most
                    && (!is_suspect || held(&|check| check.is_suspect) < most)
            });
            let Some((session, job)) = next else { return };
            let is_suspect = self.suspects.contains(&session, now);
            // The process that has been there longest is the warmest; a suspect gets the newest.
            let id = match (is_suspect, idle.first(), idle.last()) {
                (false, Some(first), _) => Some(*first),
                (true, _, Some(last)) if idle.len() > 1 => Some(*last),
                _ => self.start(),
            };
            let Some((id, seat)) = id.and_then(|id| Some((id, self.seats.get_mut(&id)?))) else {
                job.exchange.give_up(Unchecked::NotStarted);
                continue;
            };
            let (turn, until) = (job.turn, job.until);
            match seat.tasks.try_send(Task::Check(Box::new(job.exchange))) {
                Ok(()) => {
                    seat.check = Some(CheckUnderWay { session, is_suspect });
                    seat.since = now;
                }
                // It has ended, which is about to be noted: the program waits for another.
                Err(TrySendError::Closed(task) | TrySendError::Full(task)) => {
                    self.seats.remove(&id);
                    if let Task::Check(exchange) = task {
                        self.turns.push(&session, Box::new(Job { exchange: *exchange, turn, until }));
                    }
                }
            }
        }
    }

    /// Processes without a check, oldest first.
    fn idle(&self) -> Vec<u64> {
        let mut idle: Vec<u64> =
            self.seats.iter().filter(|(_, seat)| seat.check.is_none()).map(|(id, _)| *id).collect();
        idle.sort_unstable();
        idle
    }

    /// Whether a further process may start: there is none, or each has been held by one check for long, or is kept from
    /// those who wait.
    fn can_start(&self, now: Instant) -> bool {
        let is_short = |seat: &Seat| seat.check.is_some() && now < seat.since + self.long();
        self.seats.len() < self.options.processes && !self.seats.values().any(is_short)
    }

    fn long(&self) -> Duration {
        self.options.time / LONG
    }

    fn start(&mut self) -> Option<u64> {
        let (process, stderr) = match CheckerProcess::start(&self.options) {
            Ok(started) => started,
            Err(error) => {
                let program = self.options.command.program.display();
                tracing::error!(%program, %error, "the type checker process can't be started");
                return None;
            }
        };
        let (tasks, to_do) = mpsc::channel(TASKS);
        let (id, happened) = (self.next_seat, self.happened.clone());
        self.next_seat += 1;
        self.running.spawn(log_lines(stderr));
        self.running.spawn(process.run(to_do, move |what| _ = happened.send((id, what))));
        self.seats.insert(id, Seat { tasks, check: None, since: Instant::now(), has_answered: false });
        Some(id)
    }

    /// Ends further processes that had nothing to do for a while; the oldest stays.
    fn end_idle(&mut self) {
        let now = Instant::now();
        let oldest = self.seats.keys().min().copied();
        self.seats.retain(|id, seat| Some(*id) == oldest || seat.check.is_some() || now < seat.since + IDLE);
    }

    /// When something changes on its own.
    fn next_wake(&self) -> Option<Instant> {
        let turn = self.turns.jobs().map(|job| job.until).min();
        let can_grow = turn.is_some() && self.seats.len() < self.options.processes;
        let busy = self.seats.values().filter(|seat| seat.check.is_some());
        let long = busy.map(|seat| seat.since + self.long()).max().filter(|_| can_grow);
        let idle = self.seats.values().filter(|seat| seat.check.is_none()).map(|seat| seat.since + IDLE);
        let idle = idle.min().filter(|_| self.seats.len() > 1);
        // What is past has been acted on.
        let now = Instant::now();
        [turn, long.filter(|at| *at > now), idle].into_iter().flatten().min()
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests;
