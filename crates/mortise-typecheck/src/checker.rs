//! A warm type checker that programs share.
//!
//! One thread owns the database and checks one program after another: a check takes some milliseconds, and what was
//! inferred for one program is known for the next. A panic ends in a report that says so. Nothing here bounds the time,
//! the memory or the stack of a check: [`serve`](crate::serve()) does that, in a process that can be killed.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel, sync_channel};

use mortise_contract::CheckMode;

use crate::finding::{Report, Unchecked};
use crate::request::CheckRequest;
use crate::work::{WARM_UP, Work};

/// The stack of the thread that checks: programs are walked by recursion.
const STACK: usize = 64 << 20;

/// A type checker. Cloning it shares it; its thread ends with the last clone.
#[derive(Clone, Debug)]
pub struct Checker {
    jobs: Sender<Job>,
}

type Answer = Box<dyn FnOnce(Report) + Send>;

enum Job {
    /// Infers what most programs need, in steps between which programs take their turn.
    WarmUp,
    /// Infers what this program needs.
    WarmUpFor(String),
    Check(Box<CheckRequest>, Answer),
}

impl Checker {
    /// Starts the thread that checks.
    pub fn new() -> Self {
        // Without a thread every job is answered with `Unchecked::Failed`.
        Self::start().unwrap_or_else(|_| Self { jobs: channel().0 })
    }

    /// Starts the thread that checks, or says why the system has none.
    pub(crate) fn start() -> io::Result<Self> {
        let (jobs, to_do) = channel();
        std::thread::Builder::new().name("check".to_owned()).stack_size(STACK).spawn(move || run(&to_do))?;
        Ok(Self { jobs })
    }

    /// Infers in the background what most programs need, so that the first need not wait for it.
    pub fn warm_up(&self) {
        _ = self.jobs.send(Job::WarmUp);
    }

    /// Infers in the background what one program needs, before its tools are known.
    pub fn warm_up_for(&self, source: &str) {
        _ = self.jobs.send(Job::WarmUpFor(source.to_owned()));
    }

    /// Checks one program and waits for the report.
    pub fn check(&self, request: CheckRequest) -> Report {
        let (answer, answered) = sync_channel(1);
        self.submit(request, Box::new(move |report| _ = answer.send(report)));
        answered.recv().unwrap_or_else(|_| Report::unchecked(Unchecked::Failed))
    }

    /// Checks one program; the thread that checks hands over the report.
    pub(crate) fn submit(&self, request: CheckRequest, answer: Answer) {
        if request.mode == CheckMode::Off {
            return answer(Report { mode: request.mode, ..Report::default() });
        }
        _ = self.jobs.send(Job::Check(Box::new(request), answer));
    }
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}

/// Does one job after another until no handle is left; between jobs it warms up.
fn run(to_do: &Receiver<Job>) {
    let mut work = None;
    let mut to_warm: Vec<&str> = Vec::new();
    loop {
        let job = match to_warm.last() {
            None => to_do.recv().map_err(|_| TryRecvError::Disconnected),
            Some(_) => to_do.try_recv(),
        };
        match job {
            Ok(Job::WarmUp) => to_warm = WARM_UP.into_iter().rev().collect(),
            Ok(Job::WarmUpFor(source)) => work = warmed(work, &source),
            Ok(Job::Check(request, answer)) => work = checked(work, &request, answer),
            Err(TryRecvError::Empty) => {
                if let Some(step) = to_warm.pop() {
                    work = warmed(work, step);
                }
            }
            Err(TryRecvError::Disconnected) => return,
        }
    }
}

fn warmed(work: Option<Work>, source: &str) -> Option<Work> {
    attempt(work, |work| work.warm_up(source)).map(|(work, ())| work)
}

fn checked(work: Option<Work>, request: &CheckRequest, answer: Answer) -> Option<Work> {
    match attempt(work, |work| work.check(request)) {
        Some((work, report)) => {
            answer(report);
            Some(work)
        }
        None => {
            answer(Report { mode: request.mode, ..Report::unchecked(Unchecked::Failed) });
            None
        }
    }
}

/// A database that a panic left behind is not used again.
fn attempt<T>(work: Option<Work>, job: impl FnOnce(&mut Work) -> T) -> Option<(Work, T)> {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let mut work = work.unwrap_or_else(Work::new);
        let outcome = job(&mut work);
        (work, outcome)
    }));
    if done.is_err() {
        tracing::warn!("the type checker failed; it starts afresh");
    }
    done.ok()
}

#[cfg(test)]
mod tests;
