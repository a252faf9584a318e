//! Runs programs over the tools of the registry.
//!
//! `run.md` beside this file explains why its steps have this order.

mod recorded;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use mortise_contract::ServerName;
use mortise_script::{
    AfterHistory, Engine, EngineError, EngineOptions, FailureKind, Gate, Limits, MountedFile, OutputSink,
    Program, ProgramError, RunError, RunRecorder, RunReport, RunStats, Share,
};
use mortise_server::CallContext;
use mortise_typecheck::{CheckMode, TypecheckReport, plan_calls};
use parking_lot::RwLock;
use tokio::sync::{OnceCell, watch};
use tokio_util::sync::CancellationToken;

pub(crate) use self::recorded::mounted_files;
use self::recorded::{EndsRecord, state_of};
pub use self::recorded::{JournalSetup, Resume, ResumeError};
use crate::approvals::{
    ApprovalAsker, ApprovalDesk, CallsUnderWay, ClientAsker, RunApprovals, RunCourseKind, WaitingQuestion,
    caller_name,
};
use crate::asks::{AskRouter, UnderWay};
use crate::background::BackgroundRuns;
use crate::check;
use crate::checker::{CheckerOptions, CheckerPool};
use crate::held::Held;
use crate::host::Bridge;
use crate::journal::{JournalError, KeptRun, RunId, RunOrigin, RunState};
use crate::kept::{KeptOutput, KeptValues, MemoryKeptValues, keep_output, lasting_caller};
use crate::ledger::{Excerpts, Ledger};
use crate::progress::RunProgress;
use crate::registry::Registry;
use crate::starting::{settled, starting_and_named};

/// Runs programs. One per process; shared by reference.
pub struct Executor {
    registry: Arc<Registry>,
    asks: AskRouter,
    limits: ArcSwap<Limits>,
    engine_options: EngineOptions,
    engine: OnceCell<Arc<Engine>>,
    pub(crate) checker: CheckerPool,
    pub(crate) checks: check::Checks,
    approvals: ApprovalDesk,
    check: ArcSwap<CheckMode>,
    journal: ArcSwapOption<JournalSetup>,
    kept: RwLock<Arc<dyn KeptValues>>,
    background: BackgroundRuns,
    runs: AtomicU64,
    ended: AtomicU64,
}

/// One program to run.
#[derive(Debug, Default)]
pub struct Run {
    /// Python source.
    pub source: String,
    /// The name of the run, if it is known already.
    pub id: Option<RunId>,
    /// What the program is called in lists of runs: a file, or nothing.
    pub name: String,
    /// What asked for it.
    pub origin: RunOrigin,
    /// What follows the program's name in `sys.argv`.
    pub arguments: Vec<String>,
    /// Files it may read.
    pub files: Vec<MountedFile>,
    /// A shorter wall time than the configured one.
    pub timeout: Option<Duration>,
    /// How strictly it is checked before it runs, if not as configured.
    pub check: Option<CheckMode>,
    /// What its ledger keeps of the texts of calls.
    pub excerpts: Excerpts,
    /// The request that asked for it, if a client did: its servers' questions go there.
    pub context: Option<CallContext>,
    /// Who is asked about calls that need agreement, in place of the client.
    pub asker: Option<Arc<dyn ApprovalAsker>>,
    /// The run that it goes on with, which [`Executor::resume_run`] sets.
    pub resumed: Option<KeptRun>,
}

/// What came of a program.
#[derive(Debug)]
pub struct RunOutcome {
    /// What it printed, emitted, and why it failed.
    pub report: RunReport,
    /// What it called.
    pub ledger: Ledger,
    /// What the check before the run found.
    pub checked: TypecheckReport,
    /// The time that it was asked to take and did not get.
    pub cut_time: Option<CutTime>,
    /// The question without an answer that ended it, or kept it from starting.
    pub waits_for: Option<WaitingQuestion>,
    /// The name of the run in the journal, if it is recorded.
    pub run: Option<RunId>,
    /// Why it is not recorded as a whole, if it is not.
    pub unrecorded: Option<JournalError>,
    /// The output that was too long to show, if it is kept.
    pub kept_output: Option<KeptOutput>,
}

/// A time limit that was asked for, and the shorter configured one that held in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutTime {
    /// What was asked for.
    pub asked: Duration,
    /// What held.
    pub limit: Duration,
}

/// Why a program was not run at all.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The interpreter does not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Too many programs wait already.
    #[error(transparent)]
    Busy(#[from] RunError),
    /// The thread that loads the interpreter went away.
    #[error("the interpreter's loader stopped")]
    Loader,
}

impl Executor {
    /// An executor over these tools. The interpreter is loaded with the first program, or by [`Executor::warm_up`].
    pub fn new(
        registry: Arc<Registry>,
        asks: AskRouter,
        limits: Limits,
        engine_options: EngineOptions,
        checker: CheckerOptions,
    ) -> Self {
        let limits = ArcSwap::from_pointee(limits);
        Self {
            registry,
            asks,
            limits,
            engine_options,
            engine: OnceCell::new(),
            checker: CheckerPool::new(checker),
            checks: check::Checks::default(),
            approvals: ApprovalDesk::default(),
            check: ArcSwap::from_pointee(CheckMode::default()),
            journal: ArcSwapOption::empty(),
            kept: RwLock::new(Arc::new(MemoryKeptValues::default())),
            background: BackgroundRuns::default(),
            runs: AtomicU64::new(0),
            ended: AtomicU64::new(0),
        }
    }

    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// What a program may use.
    pub fn limits(&self) -> Arc<Limits> {
        self.limits.load_full()
    }

    /// Sets what programs that start from now on may use.
    pub fn set_limits(&self, limits: Limits) {
        self.limits.store(Arc::new(limits));
    }

    pub(crate) fn background(&self) -> &BackgroundRuns {
        &self.background
    }

    /// What decides about the calls of programs.
    pub fn approvals(&self) -> &ApprovalDesk {
        &self.approvals
    }

    /// The values that programs keep for later ones.
    pub fn kept_values(&self) -> Arc<dyn KeptValues> {
        self.kept.read().clone()
    }

    /// Keeps the values of programs that start from now on in this store.
    pub fn set_kept_values(&self, kept: Arc<dyn KeptValues>) {
        *self.kept.write() = kept;
    }

    /// How strictly programs are checked before they run, unless one says otherwise.
    pub fn check_mode(&self) -> CheckMode {
        **self.check.load()
    }

    /// Sets how strictly programs that start from now on are checked.
    pub fn set_check_mode(&self, mode: CheckMode) {
        self.check.store(Arc::new(mode));
    }

    /// Loads the interpreter now, so that the first program need not wait for it. The type checker warms up beside it.
    pub async fn warm_up(&self) -> Result<(), ExecuteError> {
        if self.check_mode() != CheckMode::Off {
            self.checker.warm_up();
        }
        self.engine().await.map(|_| ())
    }

    pub async fn engine(&self) -> Result<&Arc<Engine>, ExecuteError> {
        self.engine
            .get_or_try_init(|| async {
                let options = self.engine_options.clone();
                let engine = tokio::task::spawn_blocking(|| Engine::new(options)).await;
                Ok(Arc::new(engine.map_err(|_| ExecuteError::Loader)??))
            })
            .await
    }

    /// Runs one program to its end. Output goes to `sink` as it is printed, what it calls to `progress`.
    ///
    /// It is checked while it starts: until it has passed, its output is held back and its first call waits.
    pub async fn run_program(
        &self,
        run: Run,
        sink: impl OutputSink,
        progress: watch::Sender<RunProgress>,
        cancel: &CancellationToken,
    ) -> Result<RunOutcome, ExecuteError> {
        let engine = self.engine().await?;
        let _ended = Ended(&self.ended);
        let wall = run.timeout.unwrap_or(self.limits.load().wall);
        self.named_servers(&run.source, wall, &progress, cancel).await;
        let number = self.next_number();
        let owner = run.context.as_ref().map(owner).unwrap_or_default();
        let configured = self.limits.load_full();
        // A run that goes on keeps its limits: with others it would take another course.
        let resumed_limits = run.resumed.as_ref().map(|kept| kept.begun.limits.clone());
        let mut limits = resumed_limits.unwrap_or_else(|| Limits::clone(&configured));
        let mode = run.check.unwrap_or_else(|| self.check_mode());
        // The interpreter says that a program is too long.
        let is_too_long = run.source.len() > limits.source;
        let mode = if is_too_long { CheckMode::Off } else { mode };
        let snapshot = self.registry.snapshot();
        // Also a run that goes on in another process has the values of its caller.
        let lasting_caller = match &run.resumed {
            Some(kept) => kept.begun.caller.clone(),
            None => lasting_caller(run.context.as_ref()),
        };
        let record = self.record_of(&run, &limits, mode, &lasting_caller, &snapshot);
        let id = record.as_ref().map(|record| record.run.clone());
        let under_way = Arc::new(CallsUnderWay::default());
        let approvals = self.run_approvals(&run, id.as_ref(), number, cancel, &under_way);
        if let (Some(approvals), Some(kept)) = (&approvals, &run.resumed) {
            approvals.restore(kept, &snapshot).await;
        }
        // A question without an answer stops the run as its caller does.
        let cancel = approvals.as_ref().map_or(cancel, |approvals| approvals.stop());
        let client = run.context.map(|context| (self.asks.clone(), context));
        let registry = self.registry.clone();
        let mut bridge = Bridge::new(registry, cancel.clone(), progress, client, number, limits.call);
        bridge.snapshot = snapshot;
        bridge.caller = self.sharing(&owner);
        bridge.lasting_caller = lasting_caller;
        bridge.kept = self.kept_values();
        bridge.excerpts = run.excerpts;
        bridge.approvals = approvals.clone();
        bridge.record = record;
        bridge.under_way = under_way;
        let bridge = Arc::new(bridge);
        let ends = EndsRecord::new(bridge.record.as_ref());
        let limit = configured.wall;
        let cut_time = run.timeout.filter(|asked| *asked > limit).map(|asked| CutTime { asked, limit });
        limits.wall = run.timeout.map_or(limit, |timeout| timeout.min(limit));
        // Each call is held to its own time by the bridge, which knows whether it waits for a person or for a task.
        limits.call = limits.wall;
        let question = approvals
            .as_ref()
            .filter(|approvals| !is_too_long && !approvals.is_planned())
            .and_then(|approvals| approvals.question_about(&plan_calls(&run.source), &bridge.snapshot));
        let request = self.check_request(&run.source, mode, &bridge.snapshot, &run.files);
        // A check that is given up leaves the program time to run unchecked.
        let session = owner.clone();
        let checking = self.run_check(request, &session, limits.wall, cancel);
        // Nothing that the program does before its first call can be noticed, so it need not wait for the check.
        let (gate, held) = (Gate::default(), Held::new(sink, bridge.record.as_ref()));
        let program = Program {
            source: run.source,
            arguments: run.arguments,
            tools: bridge.snapshot.given().clone(),
            blocked: bridge.snapshot.withheld().clone(),
            files: run.files,
            limits,
            owner,
            gate: Some(gate.clone()),
            recorder: bridge.record.is_some().then(|| bridge.clone() as Arc<dyn RunRecorder>),
            history: run.resumed.and_then(|kept| kept.history(AfterHistory::GoOn)),
        };
        let running = engine.run_program(program, bridge.clone(), held.clone(), cancel);
        tokio::pin!(checking, running);
        // Where others wait for their check, or a person must be asked, a program that started now would only take up
        // room and use up its time.
        let starts_early = !self.checker.is_busy() && question.is_none();
        let mut ended = None;
        let checked = loop {
            tokio::select! {
                biased;
                checked = &mut checking => break checked,
                early = &mut running, if starts_early && ended.is_none() => ended = Some(early),
            }
        };
        if let Some(outcome) = check::refused(&checked) {
            ends.end(&outcome.report, &outcome.ledger, RunState::Refused);
            return Ok(RunOutcome { run: id, ..outcome });
        }
        if let (Some(approvals), Some(question)) = (&approvals, question) {
            let asked = cancel.run_until_cancelled(approvals.before_run(question)).await;
            if let Some(Err(unanswered)) = asked {
                ends.wait();
                return Ok(RunOutcome { run: id, ..RunOutcome::waiting(unanswered, checked) });
            }
        }
        // A program that was cancelled may not have been checked.
        if !cancel.is_cancelled() {
            held.release();
            gate.open();
        }
        let report = match ended {
            Some(report) => report,
            None => running.await,
        }?;
        let ledger = bridge.ledger(&report);
        let waits_for = approvals.as_ref().and_then(|approvals| approvals.stopped_by().cloned());
        let report = match &waits_for {
            Some(unanswered) => {
                ends.wait();
                RunReport { error: Some(needs_approval(unanswered)), ..report }
            }
            None => {
                ends.end(&report, &ledger, state_of(&report));
                report
            }
        };
        let unrecorded = match &bridge.record {
            Some(record) => record.fault().await,
            None => None,
        };
        let kept_output = match held.take_whole().filter(|_| report.truncated) {
            Some(whole) => keep_output(&*bridge.kept, &bridge.lasting_caller, id.as_ref(), &whole).await,
            None => None,
        };
        Ok(RunOutcome { report, ledger, checked, cut_time, waits_for, run: id, unrecorded, kept_output })
    }

    /// What holds the calls of a run; `None` if every call is allowed.
    fn run_approvals(
        &self,
        run: &Run,
        id: Option<&RunId>,
        number: u64,
        cancel: &CancellationToken,
        under_way: &Arc<CallsUnderWay>,
    ) -> Option<Arc<RunApprovals>> {
        let by_client = || Some(Arc::new(ClientAsker::new(run.context.clone()?)) as Arc<dyn ApprovalAsker>);
        let asker = run.asker.clone().or_else(by_client);
        // Rules about a caller hold for its run, whoever goes on with it.
        let resumed = run.resumed.as_ref().map(|kept| kept.begun.client.clone());
        let caller = resumed.unwrap_or_else(|| caller_name(run.context.as_ref()));
        let name = id.map_or_else(|| number.to_string(), RunId::to_string);
        let course = if run.resumed.is_some() { RunCourseKind::Resumed } else { RunCourseKind::New };
        self.approvals.open(name, caller, asker, cancel.child_token(), course, under_way.clone())
    }

    /// The owner by which calls share the places of a server; `None` where every program has one owner.
    fn sharing(&self, owner: &str) -> Option<Arc<str>> {
        (self.engine_options.capacity.share == Share::Half).then(|| owner.into())
    }

    /// By whom a request's calls share the places of a server.
    pub(crate) fn caller(&self, context: &CallContext) -> Option<Arc<str>> {
        self.sharing(&owner(context))
    }

    /// How many programs have ended, one way or another.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// Notes that a call of this request is under way on a server, until the value is dropped.
    pub(crate) fn under_way(&self, server: &ServerName, context: &CallContext) -> UnderWay {
        self.asks.enter(server, self.next_number(), context)
    }

    fn next_number(&self) -> u64 {
        self.runs.fetch_add(1, Ordering::Relaxed)
    }

    /// Waits for the servers that are starting and that the program names, no longer than the program itself may take.
    async fn named_servers(
        &self,
        source: &str,
        wall: Duration,
        progress: &watch::Sender<RunProgress>,
        cancel: &CancellationToken,
    ) {
        let starting = starting_and_named(&self.registry.servers(), source);
        if starting.is_empty() {
            return;
        }
        let names: Vec<&str> = starting.iter().map(|server| server.name().as_str()).collect();
        progress.send_modify(|progress| progress.waits_for(Some(&names.join(", "))));
        tokio::select! {
            biased;
            () = settled(&starting) => {}
            () = tokio::time::sleep(wall) => {}
            () = cancel.cancelled() => {}
        }
        progress.send_modify(|progress| progress.waits_for(None));
    }

    /// Waits for the servers that are starting and that a text names, until it is cancelled.
    pub(crate) async fn started(&self, text: &str, cancel: &CancellationToken) {
        let starting = starting_and_named(&self.registry.servers(), text);
        cancel.run_until_cancelled(settled(&starting)).await;
    }
}

impl RunOutcome {
    /// A program of which nothing ran.
    pub(crate) fn not_run(error: ProgramError, checked: TypecheckReport) -> Self {
        let report = RunReport {
            output: String::new(),
            truncated: false,
            emitted: None,
            media: Vec::new(),
            error: Some(error),
            calls: Vec::new(),
            stats: RunStats::default(),
        };
        let (ledger, cut_time) = (Ledger::default(), None);
        let (waits_for, run, unrecorded, kept_output) = (None, None, None, None);
        Self { report, ledger, checked, cut_time, waits_for, run, unrecorded, kept_output }
    }

    /// A program that can't start before a question is answered.
    fn waiting(unanswered: WaitingQuestion, checked: TypecheckReport) -> Self {
        Self { waits_for: Some(unanswered.clone()), ..Self::not_run(needs_approval(&unanswered), checked) }
    }
}

/// The failure of a program whose question has no answer.
fn needs_approval(unanswered: &WaitingQuestion) -> ProgramError {
    let message = unanswered.message();
    ProgramError {
        kind: FailureKind::Approval,
        exception: "ApprovalError".to_owned(),
        traceback: message.clone(),
        message,
        line: None,
    }
}

/// Counts a program as ended, also one that is dropped.
struct Ended<'a>(&'a AtomicU64);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Executor").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// On whose behalf a program runs: programs of different clients take turns. Two sessions are two clients, whatever
/// they call themselves; without sessions, requests with one name from one address are one client's.
pub(crate) fn owner(context: &CallContext) -> String {
    match context.session() {
        Some(session) => format!("session {session}"),
        None => {
            let peer = context.peer().map(|peer| format!(" at {peer}")).unwrap_or_default();
            format!("client {}{peer}", context.client().name().unwrap_or_default())
        }
    }
}
