//! `mortise runs`: what programs did. Nothing is started or contacted.

mod calls;
mod diff;
mod export;
mod list;
mod prune;
mod show;
mod span;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use mortise_executor::journal::{KeptRun, RunState};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::terminal::Mark;
use span::{Since, parse_age, parse_since};

/// Arguments of `mortise runs`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    action: Option<RunsAction>,
    #[command(flatten)]
    list: ListRunsArgs,
}

#[derive(Clone, Debug, Subcommand)]
enum RunsAction {
    /// Show one run: its program, calls, decisions and output
    Show(ShowRunArgs),
    /// Compare two runs: their programs, calls and outputs
    Diff(DiffRunsArgs),
    /// Write a run as one JSON file, for `mortise replay` or a test
    Export(ExportRunArgs),
    /// Remove runs; without options, what the journal's limits allow to remove
    Prune(PruneRunsArgs),
}

/// Which runs are listed.
#[derive(Clone, Debug, Args)]
struct ListRunsArgs {
    /// Only runs in this state
    #[arg(long, value_name = "STATE", value_parser = state_parser())]
    state: Option<RunState>,
    /// Only runs of this caller
    #[arg(long, value_name = "CALLER")]
    caller: Option<String>,
    /// Only runs since this time: 2h, 7d, or a day such as 2026-01-31
    #[arg(long, value_name = "TIME", value_parser = parse_since)]
    since: Option<Since>,
    /// Only runs that name or call this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// At most this many runs, the newest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Clone, Debug, Args)]
struct ShowRunArgs {
    /// The run: its id, the beginning of it, or `last`
    #[arg(value_name = "RUN")]
    run: String,
}

#[derive(Clone, Debug, Args)]
struct DiffRunsArgs {
    /// The first run: its id, the beginning of it, or `last`
    #[arg(value_name = "RUN")]
    first: String,
    /// The run to compare it with
    #[arg(value_name = "OTHER_RUN")]
    second: String,
}

#[derive(Clone, Debug, Args)]
struct ExportRunArgs {
    /// The run: its id, the beginning of it, or `last`
    #[arg(value_name = "RUN")]
    run: String,
    /// Write to this file, which only you may read; without it, to stdout
    #[arg(long, value_name = "FILE")]
    case: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
struct PruneRunsArgs {
    /// Remove runs that have ended and are older than this: 12h, 7d, 4w
    #[arg(long, value_name = "TIME", value_parser = parse_age)]
    older_than: Option<std::time::Duration>,
    /// Keep this many of the newest that have ended
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Remove all runs but those that are running, also those that could be resumed
    #[arg(long, conflicts_with_all = ["older_than", "keep"])]
    all: bool,
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
}

const EXAMPLES: &str = "\
Examples:
  mortise runs
  mortise runs --state interrupted --since 2d
  mortise runs --tool list_orders --json
  mortise runs show last
  mortise runs diff 7k2m last
  mortise runs export last --case tests/orders.json
  mortise runs prune --older-than 7d";

/// Lists runs, or does something with one.
pub(crate) fn run(app: &App, args: &RunsArgs) -> Result<Exit, Failure> {
    match &args.action {
        None => list::run(app, &args.list),
        Some(RunsAction::Show(args)) => show::run(app, &read(app, &args.run)?),
        Some(RunsAction::Diff(args)) => diff::run(app, &read(app, &args.first)?, &read(app, &args.second)?),
        Some(RunsAction::Export(args)) => export::run(app, &read(app, &args.run)?, args.case.as_deref()),
        Some(RunsAction::Prune(args)) => prune::run(app, args),
    }
}

/// The run that a name means.
fn read(app: &App, name: &str) -> Result<KeptRun, Failure> {
    let reader = journal::reader(app)?;
    let id = reader.find(name).map_err(|error| journal::failed(&error))?;
    reader.read(&id).map_err(|error| journal::failed(&error))
}

fn state_parser() -> impl clap::builder::TypedValueParser<Value = RunState> {
    use clap::builder::TypedValueParser as _;
    use strum::VariantNames as _;
    clap::builder::PossibleValuesParser::new(RunState::VARIANTS)
        .try_map(|word| word.parse::<RunState>().map_err(|_| "it is not a state"))
}

/// How a state stands.
fn mark(state: RunState) -> Mark {
    match state {
        RunState::Succeeded => Mark::Good,
        RunState::Failed | RunState::Refused => Mark::Bad,
        RunState::Interrupted | RunState::Waiting => Mark::Warn,
        RunState::Running | RunState::Cancelled => Mark::Note,
    }
}
