//! `mortise replay`: repeats a recorded run offline, and compares.

use std::path::Path;

use clap::Args;
use mortise_executor::journal::{KeptRun, RunEntry, RunId};
use mortise_executor::replay::{Replayed, replay};
use mortise_script::{Engine, EngineOptions};
use serde::Serialize;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::interrupt;
use crate::journal;
use crate::json_text;
use crate::terminal::{Mark, escape};

/// Arguments of `mortise replay`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// The run: its id, the beginning of it, `last`, or a file of `mortise runs export`
    #[arg(value_name = "RUN")]
    run: String,
    /// Compare only: print nothing of what the program prints
    #[arg(long)]
    silent: bool,
}

const EXAMPLES: &str = "\
No server is started or contacted: all answers come from the recording.
Exit code 9 means that the run differs; the message names the first call or
line that does.

Examples:
  mortise replay last
  mortise runs export last --case tests/orders.run.json
  mortise replay tests/orders.run.json";

/// What `--json` prints.
#[derive(Serialize)]
struct ReplayAnswer<'a> {
    run: &'a RunId,
    same: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a str>,
    output: &'a str,
    calls: usize,
}

/// Repeats the run and says whether it is the same.
pub(crate) fn run(app: &App, args: &ReplayArgs) -> Result<Exit, Failure> {
    let kept = recorded(app, &args.run)?;
    let options = EngineOptions {
        cache_directory: app.environment.cache_directory.clone(),
        ..EngineOptions::default()
    };
    let replayed = interrupt::block_on(async |_| {
        let engine = tokio::task::spawn_blocking(|| Engine::new(options)).await;
        let engine = engine.map_err(|error| Failure::from_error(Exit::Bug, &error))?;
        let engine = engine.map_err(|error| Failure::from_error(Exit::Bug, &error))?;
        replay(&engine, &kept).await.map_err(|error| Failure::from_error(Exit::Usage, &error))
    })?;
    let calls = kept.entries.iter().filter(|entry| matches!(entry, RunEntry::Answer(_))).count();
    print(app, args, &kept, &replayed, calls)?;
    Ok(if replayed.difference.is_none() { Exit::Ok } else { Exit::BreakingChange })
}

fn print(
    app: &App,
    args: &ReplayArgs,
    kept: &KeptRun,
    replayed: &Replayed,
    calls: usize,
) -> Result<(), Failure> {
    let difference = replayed.difference.as_deref();
    if app.global.json {
        let output = replayed.report.output.as_str();
        let answer = ReplayAnswer { run: &kept.id, same: difference.is_none(), difference, output, calls };
        return app.print_json(&json_text::of(&answer)?);
    }
    if !args.silent {
        app.print(&app.terminal.verbatim(&replayed.report.output))?;
    }
    let terminal = app.terminal.for_stderr();
    let line = match difference {
        None => {
            let calls = if calls == 1 { "1 answer".to_owned() } else { format!("{calls} answers") };
            terminal.marked(0, Mark::Good, &format!("run {} is the same, byte for byte ({calls})", kept.id))
        }
        Some(difference) => {
            terminal.marked(0, Mark::Bad, &format!("run {}: {}", kept.id, escape::text(difference)))
        }
    };
    app.terminal.stderr(&line);
    Ok(())
}

/// The run of a file, or of the journal.
fn recorded(app: &App, name: &str) -> Result<KeptRun, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        let text = input::read(name).map_err(|error| input::unreadable(path, &error))?;
        return KeptRun::from_document(&text).map_err(|error| Failure::from_error(Exit::Usage, &error));
    }
    let reader = journal::reader(app)?;
    let id = reader.find(name).map_err(|error| journal::failed(&error))?;
    reader.read(&id).map_err(|error| journal::failed(&error))
}
