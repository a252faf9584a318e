//! `mortise run`: one program over all tools, from a shell.

mod approval;
mod explained;
mod needs;
mod print;
mod resume;
mod timeline;
mod trace;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use mortise_client::server_config::ServerConfig;
use mortise_config::Execution;
use mortise_contract::{CheckMode, LockMode};
use mortise_executor::RunProgress;
use mortise_executor::asks::AskRouter;
use mortise_executor::journal::RunId;
use mortise_executor::ledger::Excerpts;
use mortise_executor::limits::OBSERVED_WRITE;
use mortise_executor::registry::{Registry, ToolSnapshot};
use mortise_executor::run::{ExecuteError, Executor, Resume, Run, RunOutcome};
use mortise_script::{EngineError, FailureKind, MountedFile, OutputSink, Spare, Stream};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::cli::modes;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::journal;
use crate::locking;
use crate::programs;
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, ServerSession, StartFirst};
use crate::shell_word::shell_word;
use crate::terminal::StdoutReader;
use crate::terminal::spinner::Footer;
use crate::watching::{self, RunWatch, WatchedChange, WatchedEnd};
use approval::Questions;
use explained::ShownProgram;
use needs::{may_call, needed};
use timeline::TimelineFacts;

pub(crate) use resume::{ResumeArgs, resume};

/// Arguments of `mortise run`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// The program: a file, or - for stdin
    #[arg(required_unless_present = "code")]
    program: Option<String>,
    /// The program itself
    #[arg(short, long, value_name = "CODE", conflicts_with = "program")]
    code: Option<String>,
    /// Let the program read this file under its own name (repeatable)
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<PathBuf>,
    /// How strictly the program is checked before it runs, if not as configured
    #[arg(long, value_name = "MODE", value_parser = modes::check())]
    check: Option<CheckMode>,
    /// What happens to tools that are not as mortise.lock.json records them [default: as configured, else warn]
    #[arg(long, value_name = "MODE", value_parser = modes::lock())]
    lock: Option<LockMode>,
    /// Check the program against what the tools declare, and do not run it
    #[arg(long, conflicts_with = "trace")]
    check_only: bool,
    /// Allow the calls that the configuration asks about
    #[arg(short, long, conflicts_with = "check_only")]
    yes: bool,
    /// Show what was called on stderr
    #[arg(long)]
    trace: bool,
    /// Write a page that shows the calls over time, with arguments and results
    #[arg(long, value_name = "FILE.html", conflicts_with = "check_only")]
    timeline: Option<PathBuf>,
    /// Run again whenever the program, a file of --file or the configuration changes; servers stay connected
    #[arg(long, conflicts_with = "code")]
    watch: bool,
    /// What the program finds in sys.argv
    #[arg(last = true, value_name = "ARGUMENT")]
    arguments: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  mortise run --samples examples/revenue.py
  mortise run --samples examples/revenue.py --check-only
  mortise run --samples examples/revenue.py --timeline revenue.html
  mortise run --samples -c 'print(await mcp__weather__get_weather(city=\"Oslo\"))'
  mortise run report.py --server files='npx -y @modelcontextprotocol/server-filesystem .' -- 2025";

/// Runs the program, once or whenever it changes.
pub(crate) fn run(app: &App, args: &RunArgs) -> Result<Exit, Failure> {
    if !args.watch {
        return match run_connected(app, args, None)? {
            WatchedEnd::Ran(exit) => Ok(exit),
            WatchedEnd::Anew => Ok(Exit::Ok),
        };
    }
    let Some(program) = args.program.as_deref().filter(|program| *program != "-") else {
        return Err(Failure::new(
            Exit::Usage,
            "--watch needs a program in a file: stdin can be read only once",
        )
        .hint("write the program to a file, then `mortise run --watch program.py`"));
    };
    let files = std::iter::once(Path::new(program)).chain(args.files.iter().map(PathBuf::as_path));
    let files: Vec<PathBuf> = files.map(|file| app.environment.absolute(file)).collect();
    watching::run_again_on_change(app, &files, |watch| run_connected(app, args, Some(watch)))
}

/// Connects to the servers and runs the program; with `watch`, again over the same servers whenever it changes.
fn run_connected(app: &App, args: &RunArgs, watch: Option<&RunWatch<'_>>) -> Result<WatchedEnd, Failure> {
    let mut program = ProgramInput::read(args)?;
    let url = app.connect.url.as_deref();
    let if_none = if may_call(&program.source) { IfNone::TrySamples } else { IfNone::GoOn };
    let mut servers = servers::choose(app, &AdHocArgs::default(), url, if_none)?;
    let all = servers.configs.clone();
    servers.configs = needed(std::mem::take(&mut servers.configs), &program.source);
    let mut limits = programs::limits(&servers.execution);
    // On a shell, the time that was asked for is that of the whole program.
    limits.wall = wall(app.connect.timeout.unwrap_or(limits.wall))?;
    let locking = locking::read(app, args.lock, &servers)?;
    locking.print_warnings(app);
    let (engine, filter) = (programs::engine(app, &servers.execution, Spare::First), servers.tools.clone());
    let check = args.check.unwrap_or(servers.execution.check);
    let approvals = programs::approvals(servers.approvals.clone());
    let journal = journal::open(app, &servers.journal)?;
    let on_failure = servers.journal.on_failure;
    let observer = programs::observer(app, servers.observe);
    session::run(app, servers, StartFirst::All, async |session| {
        let registry = Arc::new(Registry::new(session.upstreams().to_vec(), filter));
        registry.set_lock(locking.policy);
        registry.set_observer(observer);
        let checker = programs::checker(app);
        let executor = Executor::new(registry.clone(), AskRouter::default(), limits, engine, checker);
        executor.approvals().set_rules(approvals);
        journal::attach(app, &executor, journal, on_failure);
        if check != CheckMode::Off {
            // While the servers start.
            executor.checker().warm_up_for(&program.source);
        }
        // The interpreter starts beside the servers. What keeps it from starting is said when it is needed.
        let interpreter = async {
            if !args.check_only {
                _ = executor.engine().await;
            }
        };
        let (connected, ()) = tokio::join!(session.connected(), interpreter);
        for failed in connected.iter().filter(|server| server.error.is_some()) {
            app.terminal.warn(&failed.warning());
        }
        print_deviations(app, &registry.snapshot());
        let started = Started { all, may_call: may_call(&program.source), unready: unready(session) };
        loop {
            let ended = run_program(app, args, &executor, program, check).await;
            registry.observer().flush(OBSERVED_WRITE);
            let Some(watch) = watch else { return ended.map(WatchedEnd::Ran) };
            program = match next_program(args, watch, ended).await {
                Some(program) if started.serves(session, &program.source) => program,
                _ => return Ok(WatchedEnd::Anew),
            };
        }
    })
}

/// Waits for a program that can be read; `None` if the configuration changed before.
async fn next_program(
    args: &RunArgs,
    watch: &RunWatch<'_>,
    mut ended: Result<Exit, Failure>,
) -> Option<ProgramInput> {
    loop {
        if watch.next(ended).await == WatchedChange::Configuration {
            return None;
        }
        match ProgramInput::read(args) {
            Ok(program) => return Some(program),
            Err(failure) => ended = Err(failure),
        }
    }
}

/// What was known when the servers were started.
struct Started {
    /// The servers that a program may use, started or not.
    all: Vec<ServerConfig>,
    may_call: bool,
    /// Servers that could not be used from the start.
    unready: usize,
}

impl Started {
    /// Whether the servers that run are those that this program needs.
    fn serves(&self, session: &ServerSession<'_>, source: &str) -> bool {
        let needed = needed(self.all.clone(), source);
        let runs = |config: &ServerConfig| session.upstreams().iter().any(|up| *up.name() == config.name);
        may_call(source) == self.may_call && unready(session) <= self.unready && needed.iter().all(runs)
    }
}

/// Servers that can't be called now.
fn unready(session: &ServerSession<'_>) -> usize {
    session.upstreams().iter().filter(|upstream| !upstream.state().is_usable()).count()
}

/// A program as it is read before each run.
struct ProgramInput {
    source: String,
    files: Vec<MountedFile>,
}

impl ProgramInput {
    fn read(args: &RunArgs) -> Result<Self, Failure> {
        let source = source(args)?;
        // An editor's byte order mark is no part of the program.
        let source = source.strip_prefix('\u{feff}').unwrap_or(&source).to_owned();
        Ok(Self { source, files: mounted(&args.files)? })
    }
}

/// Runs the program, prints what it prints while it runs.
async fn run_program(
    app: &App,
    args: &RunArgs,
    executor: &Executor,
    program: ProgramInput,
    check: CheckMode,
) -> Result<Exit, Failure> {
    let excerpts = if args.timeline.is_some() { Excerpts::ArgumentsAndResults } else { Excerpts::Arguments };
    let (asker, questions) = approval::channel(app, args.yes);
    let run = Run {
        source: program.source,
        name: args.program.clone().unwrap_or_default(),
        asker,
        arguments: args.arguments.clone(),
        files: program.files,
        check: Some(check),
        excerpts,
        ..Run::default()
    };
    if args.check_only {
        return check_only(app, args.shown(), executor, &run, check).await;
    }
    let Some(outcome) = execute(app, executor, StartedRun::New(Box::new(run)), questions).await? else {
        return Ok(Exit::Ok);
    };
    print::finish(app, args.shown(), args.trace, &outcome)?;
    if let Some(path) = &args.timeline {
        write_timeline(args.shown().name, path, &outcome)?;
    }
    Ok(outcome.report.error.as_ref().map_or(Exit::Ok, |error| exit(error.kind)))
}

impl RunArgs {
    /// What the program is called in messages.
    fn shown(&self) -> ShownProgram<'_> {
        match (&self.code, self.program.as_deref()) {
            (Some(_), _) | (None, None) => ShownProgram { name: "<program>", folder: None },
            (None, Some("-")) => ShownProgram { name: "<stdin>", folder: None },
            (None, Some(path)) => ShownProgram { name: path, folder: Path::new(path).parent() },
        }
    }
}

/// Writes the page of `--timeline`.
fn write_timeline(program: &str, path: &Path, outcome: &RunOutcome) -> Result<(), Failure> {
    let (report, calls) = (&outcome.report, outcome.ledger.records());
    let error = report.error.as_ref().map(|error| format!("{}: {}", error.exception, error.message));
    let facts = TimelineFacts {
        program,
        wall: report.stats.wall,
        error: error.as_deref(),
        unrecorded: outcome.ledger.calls() - calls.len(),
    };
    std::fs::write(path, timeline::render(&facts, calls)).map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot write the timeline to `{}`", path.display()))
            .because(&error)
    })
}

/// Tools that one run names; the rest are counted.
const DEVIATIONS: usize = 10;

/// Says which tools are not as the lock file records them.
fn print_deviations(app: &App, snapshot: &ToolSnapshot) {
    let all: Vec<_> = snapshot.deviations().collect();
    for (name, deviation) in all.iter().take(DEVIATIONS) {
        let verb = if snapshot.held(name).is_some() { "is held back" } else { "is offered" };
        app.terminal.warn(&format!("`{name}` {verb}: {}", deviation.detail()));
    }
    match all.len().saturating_sub(DEVIATIONS) {
        0 => {}
        more => app.terminal.warn(&format!("{more} more tools are not as the lock file records them")),
    }
    if !all.is_empty() {
        app.terminal.note("`mortise diff` shows what changed, `mortise lock` accepts it");
    }
}

/// The program can't be read. Code that was typed in its place needs `-c`.
fn not_a_program(path: &str, error: &std::io::Error) -> Failure {
    let failure = input::unreadable(Path::new(path), error);
    match error.kind() == std::io::ErrorKind::NotFound && path.contains(['(', '\n', '=', ' ']) {
        true => failure.hint(format!("to run code itself: mortise run -c {}", shell_word(path))),
        false => failure,
    }
}

fn source(args: &RunArgs) -> Result<String, Failure> {
    let unreadable = |what: &str, error: &std::io::Error| {
        Failure::new(Exit::Usage, format!("cannot read the program from {what}")).because(error)
    };
    match (&args.code, args.program.as_deref()) {
        (Some(code), _) => Ok(code.clone()),
        (None, Some("-")) => input::read("-").map_err(|error| unreadable("stdin", &error)),
        (None, program) => {
            let path = program.unwrap_or_default();
            input::read(path).map_err(|error| not_a_program(path, &error))
        }
    }
}

/// The time that a program may take, if it may take that long.
fn wall(asked: Duration) -> Result<Duration, Failure> {
    let most = Execution::MAX_TIMEOUT;
    if asked <= most {
        return Ok(asked);
    }
    let message =
        format!("--timeout {} is too long: a program may run for {} s", asked.as_secs_f64(), most.as_secs());
    Err(Failure::new(Exit::Usage, message).hint(format!("give {} or less", most.as_secs())))
}

/// The files under their own names, which must differ.
fn mounted(paths: &[PathBuf]) -> Result<Vec<MountedFile>, Failure> {
    let mut names: Vec<String> = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if let Some(at) = names.iter().position(|known| *known == name) {
            let (one, other) = (paths[at].display(), path.display());
            let message =
                format!("the program can't tell `{one}` and `{other}` apart: both are called `{name}`");
            return Err(Failure::new(Exit::Usage, message).hint("copy one of them to another name"));
        }
        std::fs::metadata(path).map_err(|error| input::unreadable(path, &error))?;
        files.push(MountedFile::open(&name, path).map_err(|error| Failure::from_error(Exit::Usage, &error))?);
        names.push(name);
    }
    Ok(files)
}

/// Says what a check finds, and runs nothing.
async fn check_only(
    app: &App,
    shown: ShownProgram<'_>,
    executor: &Executor,
    run: &Run,
    check: CheckMode,
) -> Result<Exit, Failure> {
    let report =
        executor.check_program(&run.source, check, &run.files, None, &CancellationToken::new()).await;
    print::checked(app, shown, check, &report)?;
    Ok(if report.is_refused() { exit(FailureKind::Check) } else { Exit::Ok })
}

/// A program that was refused before it ran is wrong as a command line is: nothing was called.
fn exit(kind: FailureKind) -> Exit {
    match kind {
        FailureKind::Time => Exit::TimedOut,
        FailureKind::Approval => Exit::NeedsApproval,
        FailureKind::Check | FailureKind::Syntax | FailureKind::Source => Exit::Usage,
        _ => Exit::ToolFailed,
    }
}

/// A run that begins, or one that goes on.
enum StartedRun {
    New(Box<Run>),
    Resumed(RunId, Resume),
}

impl StartedRun {
    async fn run(
        self,
        executor: &Executor,
        sink: impl OutputSink,
        progress: watch::Sender<RunProgress>,
        cancel: &CancellationToken,
    ) -> Result<RunOutcome, Failure> {
        match self {
            Self::New(run) => {
                executor.run_program(*run, sink, progress, cancel).await.map_err(|error| not_run(&error))
            }
            Self::Resumed(run, how) => {
                let resumed = executor.resume_run(&run, how, sink, progress, cancel).await;
                resumed.map_err(|error| resume::not_resumed(&error))
            }
        }
    }
}

/// Runs the program with its output live and, on a terminal, a line that shows what it waits for.
/// A program whose reader goes away is stopped, as the system does it with others; then there is no outcome.
async fn execute(
    app: &App,
    executor: &Executor,
    started_run: StartedRun,
    mut questions: Questions,
) -> Result<Option<RunOutcome>, Failure> {
    let (printed, mut to_print) = mpsc::unbounded_channel::<(Stream, String)>();
    // A program prints 16 MiB at most, so the channel is bounded by that.
    let sink = move |stream: Stream, text: &str| _ = printed.send((stream, text.to_owned()));
    let (progress, shown) = watch::channel(RunProgress::default());
    let cancel = CancellationToken::new();
    let _stop = cancel.clone().drop_guard();
    let started = Instant::now();
    let mut footer = Footer::new(&app.terminal);
    tokio::pin! {
        let running = started_run.run(executor, sink, progress, &cancel);
    }
    loop {
        tokio::select! {
            biased;
            Some((stream, text)) = to_print.recv() => {
                if print::live(app, &mut footer, stream, &text)? == StdoutReader::Gone {
                    return Ok(None);
                }
            }
            Some(question) = questions.recv() => {
                footer.hide();
                approval::answer(app, question).await?;
            }
            outcome = &mut running => {
                while let Ok((stream, text)) = to_print.try_recv() {
                    print::live(app, &mut footer, stream, &text)?;
                }
                return outcome.map(Some);
            }
            () = footer.due() => footer.show(&print::progress(&shown.borrow(), started.elapsed())),
        }
    }
}

fn not_run(error: &ExecuteError) -> Failure {
    match error {
        ExecuteError::Engine(EngineError::FileSize { .. }) => Failure::from_error(Exit::Configuration, error)
            .hint("raise the limit, for example with `ulimit -f unlimited`")
            .hint("or run mortise once without the limit: it then finds the interpreter in its cache"),
        _ => Failure::from_error(Exit::Bug, error),
    }
}
