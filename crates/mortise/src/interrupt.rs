//! Ctrl-C and requests to stop: the first ends the work, the second ends the process at once.

use std::time::Duration;

use tokio::runtime::Builder;

use crate::exit::Exit;
use crate::failure::Failure;

/// How long tidying up may take before the process ends anyway.
const TIDYING: Duration = Duration::from_secs(8);

/// Runs `work` on one thread.
///
/// That is enough for a command that waits for others most of the time, and starts fastest.
pub(crate) fn block_on<T>(work: impl AsyncFnOnce(&mut Stop) -> Result<T, Failure>) -> Result<T, Failure> {
    run(Builder::new_current_thread(), async { work(&mut Stop::listen()?).await })
}

/// Runs `work` on one thread per core, for servers with many clients.
pub(crate) fn block_on_many_threads<T>(
    work: impl AsyncFnOnce(&mut Stop) -> Result<T, Failure>,
) -> Result<T, Failure> {
    run(Builder::new_multi_thread(), async { work(&mut Stop::listen()?).await })
}

/// Runs `work` on one thread and leaves signals as they are.
pub(crate) fn block_on_plainly<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    run(Builder::new_current_thread(), work)
}

fn run<T>(mut builder: Builder, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = builder
        .enable_all()
        .build()
        .map_err(|error| Failure::new(Exit::Bug, "cannot start the runtime").because(&error))?;
    let outcome = runtime.block_on(work);
    // A thread may still wait for a line on stdin; nobody needs it any more.
    runtime.shutdown_background();
    outcome
}

impl Stop {
    /// Waits for `work`; when somebody asks to stop, it is dropped, which cancels what it waits for.
    pub(crate) async fn unless_asked<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            outcome = work => outcome,
            () = self.asked() => Err(Failure::new(Exit::Interrupted, "interrupted")),
        }
    }

    /// Closes what was opened, within bounds; asked for the second time, the process ends at once.
    ///
    /// Nobody need have asked before: clients close a server's input first and send SIGTERM a moment later.
    pub(crate) async fn tidy_up(&mut self, work: impl Future<Output = ()>) {
        let work = tokio::time::timeout(TIDYING, work);
        tokio::pin!(work);
        loop {
            tokio::select! {
                _ = &mut work => return,
                () = self.asked() => {
                    if self.times >= 2 {
                        end_at_once();
                    }
                }
            }
        }
    }
}

#[expect(clippy::exit, reason = "the user asked twice: nothing may hold the process up any longer")]
fn end_at_once() {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}

/// The signals that ask a process to stop.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Stop {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// How often somebody has asked.
    times: u32,
}

#[cfg(unix)]
impl Stop {
    /// Starts listening; from now on these signals no longer end the process by themselves.
    fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::new(Exit::Bug, "cannot listen for signals").because(&error))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            times: 0,
        })
    }

    /// Waits until somebody asks.
    pub(crate) async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
        self.times += 1;
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Stop {
    /// How often somebody has asked.
    times: u32,
}

#[cfg(not(unix))]
impl Stop {
    /// Nothing to prepare.
    fn listen() -> Result<Self, Failure> {
        Ok(Self { times: 0 })
    }

    /// Waits until somebody asks.
    pub(crate) async fn asked(&mut self) {
        _ = tokio::signal::ctrl_c().await;
        self.times += 1;
    }
}
