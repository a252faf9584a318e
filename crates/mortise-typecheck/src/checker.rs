//! A warm type checker that programs share.
//!
//! One thread owns the database and checks one program after another: a check takes some milliseconds, and
//! so nothing that was worked out for one program has to be worked out again for the next. Whatever goes wrong
//! there, time included, ends in a report that says so; the program runs unchecked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use mortise_contract::limits::{CHECK_TIME, CHECKS_WAITING};

use crate::finding::{Report, Unchecked};
use crate::request::{CheckRequest, Mode};
use crate::work::{WARM_UP, Work};

/// The stack of the thread that checks: programs are walked by recursion.
const STACK: usize = 64 << 20;
/// Threads that may go on with checks that were given up.
const LOST: usize = 3;

/// A type checker. Cloning it shares it.
#[derive(Clone, Debug, Default)]
pub struct Checker {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    threads: Mutex<Threads>,
}

#[derive(Debug, Default)]
struct Threads {
    /// The one that takes jobs.
    current: Option<Thread>,
    /// What those at work on that were given up; gone when they are.
    lost: Vec<Weak<Mutex<Option<AtWork>>>>,
}

/// The thread that checks.
#[derive(Clone, Debug)]
struct Thread {
    jobs: SyncSender<Job>,
    at_work: Arc<Mutex<Option<AtWork>>>,
    waiting: Arc<AtomicUsize>,
}

/// The check under way.
#[derive(Debug)]
struct AtWork {
    since: Instant,
    given_up: Arc<AtomicBool>,
    cancellation: salsa::CancellationToken,
}

struct Job {
    what: What,
    given_up: Arc<AtomicBool>,
}

enum What {
    /// What most programs need, in steps between which programs take their turn.
    WarmUp,
    /// What this program needs.
    WarmUpFor(String),
    Check(Box<CheckRequest>, SyncSender<Report>),
}

impl Checker {
    /// A checker that does nothing yet; its thread starts with the first program, or by [`Checker::warm_up`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Works out in the background what most programs need, so that the first need not wait for it.
    pub fn warm_up(&self) {
        if let Ok(thread) = self.thread() {
            // If programs wait already, they warm it.
            let _ = thread.send(What::WarmUp, Arc::default());
        }
    }

    /// Works out in the background what one program needs, before it is known what its tools declare.
    pub fn warm_up_for(&self, source: &str) {
        if let Ok(thread) = self.thread() {
            let _ = thread.send(What::WarmUpFor(source.to_owned()), Arc::default());
        }
    }

    /// Checks one program; waits for it, [`Checker::longest`] at most.
    pub fn check(&self, request: CheckRequest) -> Report {
        self.check_within(request, Self::longest())
    }

    /// The longest that a check may take. Without optimisation the checker is some twenty times slower.
    pub fn longest() -> Duration {
        if cfg!(debug_assertions) { 30 * CHECK_TIME } else { CHECK_TIME }
    }

    /// Checks one program; waits for it as long as is said.
    pub fn check_within(&self, request: CheckRequest, limit: Duration) -> Report {
        if request.mode == Mode::Off {
            return Report::default();
        }
        let thread = match self.thread() {
            Ok(thread) => thread,
            Err(why) => return Report::unchecked(why),
        };
        let (answer, answered) = sync_channel(1);
        let given_up = Arc::new(AtomicBool::new(false));
        if let Err(error) = thread.send(What::Check(Box::new(request), answer), given_up.clone()) {
            return Report::unchecked(error);
        }
        match answered.recv_timeout(limit) {
            Ok(report) => report,
            Err(RecvTimeoutError::Timeout) => {
                given_up.store(true, Ordering::Relaxed);
                thread.cancel(&given_up);
                let milliseconds = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
                Report::unchecked(Unchecked::Time { milliseconds })
            }
            Err(RecvTimeoutError::Disconnected) => Report::unchecked(Unchecked::Failed),
        }
    }

    /// Whether programs wait for the one that is being checked.
    pub fn is_busy(&self) -> bool {
        let threads = self.shared.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.current.as_ref().is_some_and(|thread| thread.waiting.load(Ordering::Relaxed) > 0)
    }

    /// The thread; a new one if there is none, or if the last one does not come back.
    fn thread(&self) -> Result<Thread, Unchecked> {
        let mut threads = self.shared.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.current(Thread::is_stuck)
    }
}

impl Threads {
    fn current(&mut self, is_stuck: impl Fn(&Thread) -> bool) -> Result<Thread, Unchecked> {
        if let Some(thread) = &self.current {
            if !is_stuck(thread) {
                return Ok(thread.clone());
            }
            self.lost.retain(|lost| lost.strong_count() > 0);
            let threads = self.lost.len() + 1;
            if threads > LOST {
                return Err(Unchecked::Stuck { threads });
            }
            tracing::warn!(
                event = "mortise.check.stuck",
                threads,
                limit = LOST + 1,
                "a check that was given up does not end; others go on without it"
            );
            // Without anybody who can send it jobs, it ends after the one that it is at.
            self.lost.push(Arc::downgrade(&thread.at_work));
        }
        self.current = Thread::start();
        self.current.clone().ok_or(Unchecked::Failed)
    }
}

impl Thread {
    fn start() -> Option<Self> {
        let (jobs, to_do) = sync_channel(CHECKS_WAITING);
        let at_work: Arc<Mutex<Option<AtWork>>> = Arc::default();
        let waiting: Arc<AtomicUsize> = Arc::default();
        let (shown, counted) = (at_work.clone(), waiting.clone());
        std::thread::Builder::new()
            .name("check".to_owned())
            .stack_size(STACK)
            .spawn(move || run(&to_do, &shown, &counted))
            .ok()?;
        Some(Self { jobs, at_work, waiting })
    }

    fn send(&self, what: What, given_up: Arc<AtomicBool>) -> Result<(), Unchecked> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.jobs.try_send(Job { what, given_up }).map_err(|error| {
            let waiting = self.waiting.fetch_sub(1, Ordering::Relaxed) - 1;
            match error {
                TrySendError::Full(_) => Unchecked::Busy { waiting },
                TrySendError::Disconnected(_) => Unchecked::Failed,
            }
        })
    }

    /// Stops the check if it is the one under way.
    fn cancel(&self, given_up: &Arc<AtomicBool>) {
        let at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = at_work.as_ref().filter(|work| Arc::ptr_eq(&work.given_up, given_up)) {
            work.cancellation.cancel();
        }
    }

    /// Whether a check goes on long after it was given up.
    fn is_stuck(&self) -> bool {
        let at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        at_work.as_ref().is_some_and(|work| {
            work.given_up.load(Ordering::Relaxed) && work.since.elapsed() > 2 * Checker::longest()
        })
    }
}

/// Does one job after another until nobody can send any more; between jobs it warms up.
fn run(to_do: &Receiver<Job>, shown: &Mutex<Option<AtWork>>, waiting: &AtomicUsize) {
    let mut work = None;
    let mut to_warm: Vec<&str> = Vec::new();
    loop {
        let job = match to_warm.last() {
            None => to_do.recv().map_err(|_| TryRecvError::Disconnected),
            Some(_) => to_do.try_recv(),
        };
        let job = match (job, to_warm.last()) {
            (Ok(job), _) => {
                waiting.fetch_sub(1, Ordering::Relaxed);
                job
            }
            (Err(TryRecvError::Empty), Some(step)) => {
                let job = Job { what: What::WarmUpFor((*step).to_owned()), given_up: Arc::default() };
                to_warm.pop();
                job
            }
            (Err(_), _) => return,
        };
        if matches!(job.what, What::WarmUp) {
            to_warm = WARM_UP.into_iter().rev().collect();
        } else if !job.given_up.load(Ordering::Relaxed) {
            work = done(work.take().unwrap_or_else(Work::new), job, shown);
        }
    }
}

/// Does one job; what a panic or a cancellation leaves behind is not used again.
fn done(mut work: Work, job: Job, shown: &Mutex<Option<AtWork>>) -> Option<Work> {
    *shown.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(AtWork { since: Instant::now(), given_up: job.given_up, cancellation: work.cancellation() });
    let done = catch_unwind(AssertUnwindSafe(|| {
        match job.what {
            What::WarmUp => {}
            What::WarmUpFor(source) => work.warm_up(&source),
            What::Check(request, answer) => {
                let report = work.check(&request);
                // Nobody waits for it any more: it came too late.
                let _ = answer.send(report);
            }
        }
        work
    }));
    *shown.lock().unwrap_or_else(PoisonError::into_inner) = None;
    if done.is_err() {
        tracing::warn!("the type checker failed or was stopped; it starts afresh");
    }
    done.ok()
}

#[cfg(test)]
mod tests;
