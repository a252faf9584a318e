//! Ctrl-C and requests to stop: the first ends the work, the second ends the process at once.

use std::time::Duration;

use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::exit::Exit;
use crate::failure::Failure;

/// How long tidying up may take before the process ends anyway.
const TIDYING: Duration = Duration::from_secs(8);

/// Runs `work` on one thread.
///
/// That is enough for a command that waits for others most of the time, and starts fastest.
pub(crate) fn block_on<T>(work: impl AsyncFnOnce(&StopSignal) -> Result<T, Failure>) -> Result<T, Failure> {
    run(Builder::new_current_thread(), async { work(&StopSignal::listen()?).await })
}

/// Runs `work` on one thread per core, for servers with many clients.
pub(crate) fn block_on_many_threads<T>(
    work: impl AsyncFnOnce(&StopSignal) -> Result<T, Failure>,
) -> Result<T, Failure> {
    run(Builder::new_multi_thread(), async { work(&StopSignal::listen()?).await })
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

/// A write past the limit on file sizes (`ulimit -f`) fails like one to a full disk from now on,
/// instead of ending the process by SIGXFSZ.
///
/// A handler and not an ignored signal, which programs that we start would inherit.
#[cfg(unix)]
pub(crate) fn survive_file_size_limit() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(runtime) = Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    // tokio's handler stays for the life of the process. Without it the process ends as it would have.
    _ = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
}

/// Other systems have no such signal.
#[cfg(not(unix))]
pub(crate) fn survive_file_size_limit() {}

/// Fires when a signal asks to stop. Asked again, the process ends at once, whatever it is doing.
///
/// Servers end with it: their watchdogs see that we are gone.
#[derive(Debug)]
pub(crate) struct StopSignal(CancellationToken);

impl StopSignal {
    /// Starts listening; from now on these signals no longer end the process by themselves.
    fn listen() -> Result<Self, Failure> {
        let mut signals = ProcessSignals::listen()?;
        let asked = CancellationToken::new();
        let first = asked.clone();
        tokio::spawn(async move {
            signals.next().await;
            first.cancel();
            signals.next().await;
            end_at_once();
        });
        Ok(Self(asked))
    }

    /// Waits until a signal asks, or has asked.
    pub(crate) async fn asked(&self) {
        self.0.cancelled().await;
    }

    /// Waits for `work`; when a signal asks to stop, it is dropped, which cancels what it waits for.
    pub(crate) async fn unless_asked<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            outcome = work => outcome,
            () = self.asked() => Err(Failure::new(Exit::Interrupted, "interrupted")),
        }
    }

    /// Closes what was opened, within bounds.
    ///
    /// A first request to stop changes nothing here: clients close a server's input first and send
    /// SIGTERM a moment later.
    pub(crate) async fn tidy_up(&self, work: impl Future<Output = ()>) {
        _ = tokio::time::timeout(TIDYING, work).await;
    }
}

#[expect(clippy::exit, reason = "the user asked twice: nothing may hold the process up any longer")]
fn end_at_once() {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}

/// The signals that ask a process to stop.
#[cfg(unix)]
struct ProcessSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl ProcessSignals {
    fn listen() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| {
            signal(kind).map_err(|error| Failure::new(Exit::Bug, "cannot listen for signals").because(&error))
        };
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
struct ProcessSignals;

#[cfg(not(unix))]
impl ProcessSignals {
    fn listen() -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn next(&mut self) {
        _ = tokio::signal::ctrl_c().await;
    }
}
