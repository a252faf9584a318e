//! Removes runs.

use mortise_config::{Config, JournalSettings};
use mortise_journal::{PruneRules, limits};
use serde_json::json;

use super::PruneRunsArgs;
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::terminal::units::{self, counted};

/// Removes runs, or says which would be.
pub(super) fn run(app: &App, args: &PruneRunsArgs) -> Result<Exit, Failure> {
    let (reader, rules) = (journal::reader(app)?, rules(app, args));
    let pruned = if args.dry_run { reader.prune_preview(&rules) } else { reader.prune(&rules) };
    let report = pruned.map_err(|error| journal::failed(&error))?;
    if app.global.json {
        let json = json!({ "runs": report.runs, "bytes": report.bytes, "dry_run": args.dry_run });
        app.print_json(&json.to_string())?;
        return Ok(Exit::Ok);
    }
    let verb = if args.dry_run { "would remove" } else { "removed" };
    app.terminal.note(&format!("{verb} {} of {}", counted(report.runs, "run"), units::size(report.bytes)));
    Ok(Exit::Ok)
}

fn rules(app: &App, args: &PruneRunsArgs) -> PruneRules {
    if args.all {
        return PruneRules::all();
    }
    if args.older_than.is_none() && args.keep.is_none() {
        let settings = settings(app);
        return PruneRules::for_keeping(
            settings.keep_days.unwrap_or(limits::KEEP_DAYS),
            settings.keep_bytes.unwrap_or(limits::KEEP_BYTES as u64),
        );
    }
    let older = args.older_than.map(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
    PruneRules { ended_age_ms: older, keep_newest: args.keep, ..PruneRules::default() }
}

/// What is configured. A configuration that can't be read must not keep anybody from freeing room.
fn settings(app: &App) -> JournalSettings {
    Config::load(&app.environment, &app.connect.config)
        .map(|loaded| loaded.config.journal)
        .unwrap_or_default()
}
