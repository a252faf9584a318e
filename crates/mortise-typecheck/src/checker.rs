//! A warm type checker that programs share.
//!
//! One thread owns the database and checks one program after another: a check takes some milliseconds, and what was
//! inferred for one program is known for the next. A panic ends in a report that says so. Nothing here bounds the time,
//! the memory or the stack of a check: [`serve`](crate::serve()) does that, in a process that can be killed.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel, sync_channel};

use mortise_contract::CheckMode;

use crate::check::{WARM_UP, WarmDatabase};
use crate::finding::{TypecheckReport, Unchecked};
use crate::request::CheckRequest;

/// The stack of the thread that checks: programs are walked by recursion.
const STACK: usize = 64 << 20;

/// A type checker. Cloning it shares it; its thread ends with the last clone.
#[derive(Clone, Debug)]
pub struct Checker {
    jobs: Sender<CheckJob>,
}

type ReportSink = Box<dyn FnOnce(TypecheckReport) + Send>;

enum CheckJob {
    /// Infers what most programs need, in steps between which programs take their turn.
    WarmUp,
    /// Infers what this program needs.
    WarmUpFor(String),
    Check(Box<CheckRequest>, ReportSink),
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
        std::thread::Builder::new()
            .name("check".to_owned())
            .stack_size(STACK)
            .spawn(move || run_jobs(&to_do))?;
        Ok(Self { jobs })
    }

    /// Infers in the background what most programs need, so that the first need not wait for it.
    pub fn warm_up(&self) {
        _ = self.jobs.send(CheckJob::WarmUp);
    }

    /// Infers in the background what one program needs, before its tools are known.
    pub fn warm_up_for(&self, source: &str) {
        _ = self.jobs.send(CheckJob::WarmUpFor(source.to_owned()));
    }

    /// Checks one program and waits for the report.
    pub fn check(&self, request: CheckRequest) -> TypecheckReport {
        let (answer, answered) = sync_channel(1);
        self.submit(request, Box::new(move |report| _ = answer.send(report)));
        answered.recv().unwrap_or_else(|_| TypecheckReport::unchecked(Unchecked::Failed))
    }

    /// Checks one program; the thread that checks hands over the report.
    pub(crate) fn submit(&self, request: CheckRequest, answer: ReportSink) {
        if request.mode == CheckMode::Off {
            return answer(TypecheckReport { mode: request.mode, ..TypecheckReport::default() });
        }
        _ = self.jobs.send(CheckJob::Check(Box::new(request), answer));
    }
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}

/// Does one job after another until no handle is left; between jobs it warms up.
fn run_jobs(to_do: &Receiver<CheckJob>) {
    let mut warm = None;
    let mut to_warm: Vec<&str> = Vec::new();
    loop {
        let job = match to_warm.last() {
            None => to_do.recv().map_err(|_| TryRecvError::Disconnected),
            Some(_) => to_do.try_recv(),
        };
        match job {
            Ok(CheckJob::WarmUp) => to_warm = WARM_UP.into_iter().rev().collect(),
            Ok(CheckJob::WarmUpFor(source)) => warm = warmed(warm, &source),
            Ok(CheckJob::Check(request, answer)) => warm = checked(warm, &request, answer),
            Err(TryRecvError::Empty) => {
                if let Some(step) = to_warm.pop() {
                    warm = warmed(warm, step);
                }
            }
            Err(TryRecvError::Disconnected) => return,
        }
    }
}

fn warmed(warm: Option<WarmDatabase>, source: &str) -> Option<WarmDatabase> {
    attempt(warm, |warm| warm.warm_up(source)).map(|(warm, ())| warm)
}

fn checked(warm: Option<WarmDatabase>, request: &CheckRequest, answer: ReportSink) -> Option<WarmDatabase> {
    match attempt(warm, |warm| warm.check(request)) {
        Some((warm, report)) => {
            answer(report);
            Some(warm)
        }
        None => {
            answer(TypecheckReport { mode: request.mode, ..TypecheckReport::unchecked(Unchecked::Failed) });
            None
        }
    }
}

/// A database that a panic left behind is not used again.
fn attempt<T>(
    warm: Option<WarmDatabase>,
    job: impl FnOnce(&mut WarmDatabase) -> T,
) -> Option<(WarmDatabase, T)> {
    let done = catch_unwind(AssertUnwindSafe(|| {
        let mut warm = warm.unwrap_or_else(WarmDatabase::new);
        let outcome = job(&mut warm);
        (warm, outcome)
    }));
    if done.is_err() {
        tracing::warn!("the type checker failed; it starts afresh");
    }
    done.ok()
}

#[cfg(test)]
mod tests;
