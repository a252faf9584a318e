//! Programs that go on after their caller has an answer: `wait_program` and `cancel_program` find them by the run's id.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mortise_script::{OutputSink, Stream};
use mortise_server::CallContext;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::journal::RunId;
use crate::kept::lasting_caller;
use crate::limits::{BACKGROUND_ENDED, BACKGROUND_RUNS};
use crate::progress::RunProgress;
use crate::run::{ExecuteError, Executor, Resume, ResumeError, Run, RunOutcome};

/// The programs of one executor that run in the background, and the newest that have ended.
#[derive(Debug, Default)]
pub(crate) struct BackgroundRuns {
    runs: Mutex<HashMap<RunId, Arc<BackgroundRun>>>,
    /// Those that have ended, the oldest first.
    ended: Mutex<VecDeque<RunId>>,
    tasks: Mutex<JoinSet<()>>,
}

/// One program in the background.
#[derive(Debug)]
pub(crate) struct BackgroundRun {
    pub(crate) id: RunId,
    /// The client whose program it is, as it calls itself.
    caller: String,
    printed: Arc<Mutex<String>>,
    pub(crate) progress: watch::Receiver<RunProgress>,
    outcome: watch::Receiver<Option<Arc<Result<RunOutcome, BackgroundError>>>>,
    cancel: CancellationToken,
}

/// Why a program in the background has no outcome.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackgroundError {
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    #[error(transparent)]
    Resume(#[from] ResumeError),
}

/// A program to run in the background.
pub(crate) enum BackgroundWork {
    New(Box<Run>),
    Resumed(Resume),
}

/// Why a program does not start in the background.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NotStarted {
    #[error(
        "{BACKGROUND_RUNS} programs run in the background, which is the limit: wait for one, or cancel one"
    )]
    TooMany,
    #[error("run `{run}` is running: wait_program waits for it")]
    Running { run: RunId },
}

impl BackgroundRuns {
    /// Starts a program that goes on whatever its caller does, unless `bound_to` says that it ends with its client.
    pub(crate) fn start(
        &self,
        executor: &Arc<Executor>,
        id: RunId,
        context: &CallContext,
        work: BackgroundWork,
        bound_to: Option<CancellationToken>,
    ) -> Result<Arc<BackgroundRun>, NotStarted> {
        let (progress, shown) = watch::channel(RunProgress::default());
        let (ends, outcome) = watch::channel(None);
        let cancel = CancellationToken::new();
        let printed: Arc<Mutex<String>> = Arc::default();
        let run = Arc::new(BackgroundRun {
            id: id.clone(),
            caller: lasting_caller(Some(context)),
            printed: Arc::clone(&printed),
            progress: shown,
            outcome,
            cancel: cancel.clone(),
        });
        {
            let mut runs = self.runs.lock();
            if runs.get(&id).is_some_and(|run| run.outcome.borrow().is_none()) {
                return Err(NotStarted::Running { run: id });
            }
            let running = runs.values().filter(|run| run.outcome.borrow().is_none()).count();
            if running >= BACKGROUND_RUNS {
                return Err(NotStarted::TooMany);
            }
            runs.insert(id.clone(), Arc::clone(&run));
            // It has not ended any more.
            self.ended.lock().retain(|ended| *ended != id);
        }
        let sink = PrintedSoFar { printed, limit: executor.limits().output };
        let executor = Arc::clone(executor);
        let mut tasks = self.tasks.lock();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            let left = async {
                match bound_to {
                    Some(left) => left.cancelled().await,
                    None => std::future::pending().await,
                }
            };
            let running = async {
                match work {
                    BackgroundWork::New(run) => executor
                        .run_program(*run, sink, progress, &cancel)
                        .await
                        .map_err(BackgroundError::from),
                    BackgroundWork::Resumed(resume) => executor
                        .resume_run(&id, resume, sink, progress, &cancel)
                        .await
                        .map_err(BackgroundError::from),
                }
            };
            let outcome = tokio::select! {
                outcome = running => outcome,
                // Dropped, it can go on later.
                () = left => return executor.background().forget(&id),
            };
            ends.send_replace(Some(Arc::new(outcome)));
            executor.background().note_end(id);
        });
        Ok(run)
    }

    /// The run of this id, if this client may know of it.
    pub(crate) fn find(&self, id: &RunId, context: &CallContext) -> Option<Arc<BackgroundRun>> {
        let caller = lasting_caller(Some(context));
        self.runs.lock().get(id).filter(|run| run.caller == caller).cloned()
    }

    fn forget(&self, id: &RunId) {
        self.runs.lock().remove(id);
    }

    fn note_end(&self, id: RunId) {
        let mut ended = self.ended.lock();
        ended.push_back(id);
        while ended.len() > BACKGROUND_ENDED {
            if let Some(oldest) = ended.pop_front() {
                self.forget(&oldest);
            }
        }
    }
}

impl BackgroundRun {
    /// Waits for the end, at most this long.
    pub(crate) async fn ended_within(
        &self,
        time: Duration,
    ) -> Option<Arc<Result<RunOutcome, BackgroundError>>> {
        let mut outcome = self.outcome.clone();
        let ended = tokio::time::timeout(time, outcome.wait_for(Option::is_some)).await;
        ended.ok()?.ok()?.clone()
    }

    /// What it has printed so far, as much as is kept.
    pub(crate) fn printed(&self) -> String {
        self.printed.lock().clone()
    }

    pub(crate) fn cancel(&self) {
        self.cancel.cancel();
    }
}

/// Keeps the beginning of what is printed.
struct PrintedSoFar {
    printed: Arc<Mutex<String>>,
    limit: usize,
}

impl OutputSink for PrintedSoFar {
    fn write(&mut self, _: Stream, text: &str) {
        let mut printed = self.printed.lock();
        let room = self.limit.saturating_sub(printed.len());
        printed.push_str(&text[..text.floor_char_boundary(room)]);
    }
}
