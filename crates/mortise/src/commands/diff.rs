//! `mortise diff`: what changed between two states of servers, and what it breaks.

mod sides;
pub(super) mod view;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mortise_contract::diff::Strictness;
use mortise_tester::changes::waiver::Waivers;
use mortise_tester::changes::{HintPolicy, Policy, SnapshotComparison, compare};

use crate::against_lock::{self, AskedServers};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers::AdHocArgs;
use crate::snapshots;
use crate::terminal::escape;

/// Arguments of `mortise diff`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DiffArgs {
    #[arg(
        value_name = "OLD",
        help = "What was: a lock file, a recorded list, git:REV[:PATH], a server's name, a URL or a command \
                [default: the lock file]"
    )]
    old: Option<String>,
    /// What is, in the same forms [default: the configured servers]
    #[arg(value_name = "NEW")]
    new: Option<String>,
    /// Which changes count as breaking and make the command fail (exit 9)
    #[arg(long = "fail-on", alias = "strictness", value_enum, default_value_t, value_name = "CHANGES")]
    strictness: StrictnessArg,
    /// Count worse hints as breaking: for clients that approve calls by hints
    #[arg(long)]
    trust_hints: bool,
    /// Let pass what this file says [default: mortise.waivers.yaml beside the lock file, if there]
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// The lock file [default: mortise.lock.json beside the configuration]
    #[arg(long = "lock-file", alias = "lock", value_name = "FILE")]
    lock: Option<PathBuf>,
    /// Print Markdown, for a comment on a pull request
    #[arg(long, conflicts_with_all = ["json", "rug_pull"])]
    markdown: bool,
    /// Show only what models and approvals go by, with the words before and after
    #[arg(long, conflicts_with = "json")]
    rug_pull: bool,
    /// Show changes of words too
    #[arg(long, conflicts_with = "rug_pull")]
    all: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// What counts as breaking.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum StrictnessArg {
    /// What makes a call, or a client that validates, fail
    #[default]
    Wire,
    /// The same, and what breaks types made from the schemas
    Types,
    /// The same, and every warning
    #[value(name = "any", alias = "strict")]
    Strict,
}

/// Compares two sides; exit 9 when something breaks.
pub(crate) fn run(app: &App, args: &DiffArgs) -> Result<Exit, Failure> {
    let waivers = waivers(app, args)?;
    let strictness = match args.strictness {
        StrictnessArg::Wire => Strictness::Wire,
        StrictnessArg::Types => Strictness::Types,
        StrictnessArg::Strict => Strictness::Strict,
    };
    let hints = if args.trust_hints { HintPolicy::Breaks } else { HintPolicy::Warns };
    let policy = Policy { strictness, hints, waivers };
    let comparison = match &args.old {
        Some(old) => compare_sides(app, args, old, &policy)?,
        None => compare_with_lock(app, args, &policy)?,
    };
    print(app, args, &comparison)?;
    for waiver in &comparison.expired {
        app.terminal.warn(&format!(
            "the waiver of {} for {} ended on {}",
            waiver.rule,
            escape::line(&waiver.item),
            waiver.until
        ));
    }
    for waiver in &comparison.unused {
        app.terminal.note(&format!("nothing needs the waiver of {} for {}", waiver.rule, waiver.item));
    }
    Ok(if comparison.breaks() { Exit::BreakingChange } else { Exit::Ok })
}

/// Compares the servers with the lock file, exactly as `mortise lock --check` does.
fn compare_with_lock(app: &App, args: &DiffArgs, policy: &Policy) -> Result<SnapshotComparison, Failure> {
    let servers = AskedServers::find(app, &args.ad_hoc, args.lock.as_deref(), &[])?;
    let entries = servers.read()?;
    let comparison = against_lock::compare(&entries.asked, &servers.ask(app)?, policy)?;
    servers.note_left(app, &entries);
    Ok(comparison)
}

fn compare_sides(
    app: &App,
    args: &DiffArgs,
    old: &str,
    policy: &Policy,
) -> Result<SnapshotComparison, Failure> {
    let (old, new) = sides::Sides::find(app, args, old)?.load(app)?;
    compare(&old, &new, policy, snapshots::today()).map_err(|error| against_lock::not_comparable(&error))
}

fn print(app: &App, args: &DiffArgs, comparison: &SnapshotComparison) -> Result<(), Failure> {
    let detail = match (args.rug_pull, args.all) {
        (true, _) => view::DiffDetail::Trust,
        (false, true) => view::DiffDetail::All,
        (false, false) => view::DiffDetail::Changes,
    };
    match (app.global.json, args.markdown) {
        (true, _) => app.print_json(&comparison.to_json().to_string()),
        (false, true) => app.print(&app.terminal.verbatim(&comparison.to_markdown())),
        (false, false) => app.print(&view::view(&app.terminal, comparison, detail)),
    }
}

fn waivers(app: &App, args: &DiffArgs) -> Result<Waivers, Failure> {
    let beside = || {
        let lock = snapshots::lock_path(app, args.lock.as_deref(), None);
        Some(lock.with_file_name(Waivers::FILE_NAME)).filter(|path| path.exists())
    };
    let asked = args.waivers.as_deref().map(|path| app.environment.absolute(path));
    let Some(path) = asked.or_else(beside) else { return Ok(Waivers::default()) };
    Waivers::parse(&snapshots::read_text(&path)?).map_err(|error| {
        Failure::new(Exit::Configuration, format!("cannot use `{}`", path.display()))
            .because(&error)
            .hint("`mortise schema waivers` describes the file")
    })
}
