//! `mortise resume`: goes on with a run where it stopped.

use std::sync::Arc;

use clap::Args;
use mortise_contract::CheckMode;
use mortise_executor::asks::AskRouter;
use mortise_executor::journal::RunState;
use mortise_executor::limits::OBSERVED_WRITE;
use mortise_executor::registry::Registry;
use mortise_executor::run::{Executor, Resume, ResumeError};
use mortise_script::Spare;

use super::explained::ShownProgram;
use super::{StartedRun, approval, execute, exit, needed, not_run, print, print_deviations, wall};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::locking;
use crate::programs;
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, StartFirst};

/// Arguments of `mortise resume`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ResumeArgs {
    /// The run: its id, the beginning of it, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Allow the calls that the configuration asks about, and make calls again whose outcome is not known
    #[arg(short, long)]
    yes: bool,
    /// Show what was called on stderr
    #[arg(long)]
    trace: bool,
}

const EXAMPLES: &str = "\
Calls that were answered are not made again. A call without an answer is
asked about, unless its tool says that it only reads or is idempotent.

Examples:
  mortise runs --state interrupted
  mortise resume last
  mortise approvals allow 7k2m && mortise resume 7k2m";

/// Goes on with the run, prints what it prints from its beginning.
pub(crate) fn resume(app: &App, args: &ResumeArgs) -> Result<Exit, Failure> {
    let reader = journal::reader(app)?;
    let id = reader.find(&args.run).map_err(|error| journal::failed(&error))?;
    let kept = reader.read(&id).map_err(|error| journal::failed(&error))?;
    if kept.state.is_final() {
        let message = format!("run `{id}` has ended: it {}", ended_as(kept.state));
        return Err(Failure::new(Exit::Usage, message).hint(format!(
            "`mortise runs show {id}` shows what came of it, `mortise replay {id}` repeats it"
        )));
    }
    let url = app.connect.url.as_deref();
    let mut servers = servers::choose(app, &AdHocArgs::default(), url, IfNone::GoOn)?;
    servers.configs = needed(std::mem::take(&mut servers.configs), &kept.begun.source);
    let mut limits = programs::limits(&servers.execution);
    limits.wall = wall(app.connect.timeout.unwrap_or(limits.wall))?;
    let locking = locking::read(app, None, &servers)?;
    locking.print_warnings(app);
    let (engine, filter) = (programs::engine(app, &servers.execution, Spare::Never), servers.tools.clone());
    let approvals = programs::approvals(servers.approvals.clone());
    let observer = programs::observer(app, servers.observe);
    let on_failure = servers.journal.on_failure;
    let Some(journal) = journal::open(app, &servers.journal)? else {
        return Err(Failure::new(
            Exit::Configuration,
            "runs are not recorded (`journal: off`), so none can go on",
        )
        .hint("remove `journal: off` from the configuration"));
    };
    session::run(app, servers, StartFirst::All, async |session| {
        let registry = Arc::new(Registry::new(session.upstreams().to_vec(), filter));
        registry.set_lock(locking.policy);
        registry.set_observer(observer);
        let checker = programs::checker(app);
        let executor = Executor::new(registry.clone(), AskRouter::default(), limits, engine, checker);
        executor.approvals().set_rules(approvals);
        journal::attach(app, &executor, Some(journal), on_failure);
        if kept.begun.check != CheckMode::Off {
            executor.checker().warm_up_for(&kept.begun.source);
        }
        for failed in session.connected().await.iter().filter(|server| server.error.is_some()) {
            app.terminal.warn(&failed.warning());
        }
        print_deviations(app, &registry.snapshot());
        let (asker, questions) = approval::channel(app, args.yes);
        let resume = Resume { asker, timeout: app.connect.timeout, ..Resume::default() };
        let outcome = execute(app, &executor, StartedRun::Resumed(id.clone(), resume), questions).await;
        registry.observer().flush(OBSERVED_WRITE);
        let Some(outcome) = outcome? else { return Ok(Exit::Ok) };
        let name = if kept.begun.name.is_empty() { "<program>" } else { &kept.begun.name };
        print::finish(app, ShownProgram { name, folder: None }, args.trace, &outcome)?;
        Ok(outcome.report.error.as_ref().map_or(Exit::Ok, |error| exit(error.kind)))
    })
}

/// Why a run does not go on.
pub(super) fn not_resumed(error: &ResumeError) -> Failure {
    match error {
        ResumeError::Journal(error) => journal::failed(error),
        ResumeError::Execute(error) => not_run(error),
        ResumeError::Off | ResumeError::Incomplete { .. } | ResumeError::Secret { .. } => {
            Failure::from_error(Exit::Configuration, error)
        }
    }
}

fn ended_as(state: RunState) -> &'static str {
    match state {
        RunState::Succeeded => "succeeded",
        RunState::Refused => "was refused by its check",
        RunState::Cancelled => "was cancelled",
        _ => "failed",
    }
}
