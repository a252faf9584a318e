//! `mortise lock`: record what servers declare, or check that they still do.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mortise_client::bounded_file;
use mortise_contract::lock::{LockFile, Snapshot};
use mortise_tester::changes::{Policy, compare_by_name};
use serde_json::{Map, Value, json};

use super::diff;
use crate::against_lock::{self, AskedServers, SortedEntries};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers::AdHocArgs;
use crate::snapshots;
use crate::terminal::{Mark, Tint, escape};

/// Arguments of `mortise lock`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LockArgs {
    /// Only these servers; the entries of the others stay as they are
    #[arg(value_name = "SERVER")]
    only: Vec<String>,
    /// Write nothing, and fail (exit 9) when the servers are not as the file says
    #[arg(long)]
    check: bool,
    /// Remove the entries of servers that are neither configured nor given here
    #[arg(long)]
    prune: bool,
    /// The lock file [default: mortise.lock.json beside the configuration]
    #[arg(long = "lock-file", alias = "lock", value_name = "FILE")]
    lock: Option<PathBuf>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Writes the file, or compares it.
pub(crate) fn run(app: &App, args: &LockArgs) -> Result<Exit, Failure> {
    let servers = AskedServers::find(app, &args.ad_hoc, args.lock.as_deref(), &args.only)?;
    match args.check {
        true => check(app, args, &servers),
        false => write(app, args, &servers),
    }
}

/// Fails where the same command without `--check` would change the file.
fn check(app: &App, args: &LockArgs, servers: &AskedServers) -> Result<Exit, Failure> {
    let entries = servers.read()?;
    let mut known = entries.asked.clone();
    if args.prune {
        known.servers.extend(entries.left.servers.clone());
    }
    let comparison = against_lock::compare(&known, &servers.ask(app)?, &Policy::default())?;
    match (app.global.json, comparison.is_same()) {
        (true, _) => app.print_json(&comparison.to_json().to_string())?,
        (false, true) => {
            let all = format!("All as in {}", escape::line(&servers.path.display().to_string()));
            app.print(&app.terminal.marked(0, Mark::Good, &all))?
        }
        (false, false) => {
            app.print(&diff::view::view(&app.terminal, &comparison, diff::view::DiffDetail::All))?
        }
    }
    if !args.prune {
        servers.note_left(app, &entries);
    }
    if comparison.is_same() {
        return Ok(Exit::Ok);
    }
    let command = if args.prune { "mortise lock --prune" } else { "mortise lock" };
    app.terminal.note(&format!("`{command}` writes down what is there now"));
    Ok(Exit::BreakingChange)
}

fn write(app: &App, args: &LockArgs, servers: &AskedServers) -> Result<Exit, Failure> {
    let entries = known(app, servers)?;
    let taken = servers.ask(app)?;
    let mut lock = taken.clone();
    lock.servers.extend(entries.others.servers.clone());
    if !args.prune {
        lock.servers.extend(entries.left.servers.clone());
    }
    let is_written = write_file(&servers.path, &lock)?;
    if app.global.json {
        let entry = |(name, snapshot): (&String, &Snapshot)| json!({ "name": name, "hash": snapshot.hash(), "tools": snapshot.tools.len() });
        let left: Vec<&String> = entries.left.servers.keys().collect();
        let (kept, removed) = if args.prune { (Vec::new(), left) } else { (left, Vec::new()) };
        let report = json!({
            "file": servers.path.display().to_string(),
            "written": is_written,
            "servers": lock.servers.iter().map(entry).collect::<Value>(),
            "kept": kept,
            "removed": removed,
        });
        app.print_json(&report.to_string())?;
        return Ok(Exit::Ok);
    }
    let verb = if is_written { "Wrote" } else { "Nothing to write:" };
    let wrote = format!("{verb} {}", escape::line(&servers.path.display().to_string()));
    let mut out = app.terminal.marked(0, Mark::Good, &wrote);
    let mut line = |name: &str, what: &str| {
        let name = escape::line(name);
        let lead = [(None, "  "), (Some(Tint::Name), name.as_str()), (None, "  ")];
        out.push_str(&app.terminal.hang(&lead, None, what));
    };
    for (name, snapshot) in &taken.servers {
        line(name, &format!("{}, {}", held(snapshot), change(&entries.asked, name, snapshot)));
    }
    for name in entries.left.servers.keys() {
        line(name, &if args.prune { "removed".to_owned() } else { servers.kept() });
    }
    app.print(&out)?;
    Ok(Exit::Ok)
}

/// What the file says now; nothing where there is none.
fn known(app: &App, servers: &AskedServers) -> Result<SortedEntries, Failure> {
    if !servers.path.exists() {
        return Ok(SortedEntries::default());
    }
    match snapshots::read(&servers.path) {
        Ok(lock) => Ok(servers.sort(lock)),
        // All entries that matter are written anew.
        Err(failure) if servers.are_all_configured() => {
            app.terminal.warn(&format!("{}; it is written anew", failure.one_line()));
            Ok(SortedEntries::default())
        }
        Err(failure) => Err(failure),
    }
}

/// Writes the file if its content is new, so that it keeps its time stamp otherwise.
fn write_file(path: &Path, lock: &LockFile) -> Result<bool, Failure> {
    let text = lock.to_text();
    // Every command that reads it would refuse it.
    if text.len() as u64 > snapshots::MAX_BYTES {
        let message =
            format!("the lock file would take {} bytes; the limit is {}", text.len(), snapshots::MAX_BYTES);
        let largest = lock.servers.iter().max_by_key(|(_, snapshot)| snapshot.tools.len());
        let failure = Failure::new(Exit::Configuration, message);
        return Err(match largest {
            Some((name, snapshot)) => {
                failure.hint(format!("`{name}` lists {} tools: leave it out", snapshot.tools.len()))
            }
            None => failure,
        });
    }
    let is_written = bounded_file::read(path, text.len() as u64).ok().as_ref() != Some(&text);
    if is_written {
        replace(path, &text).map_err(|error| {
            Failure::new(Exit::Configuration, format!("cannot write `{}`", path.display())).because(&error)
        })?;
    }
    Ok(is_written)
}

/// `5 tools, 2 resources, 1 prompt`.
fn held(snapshot: &Snapshot) -> String {
    let of = |list: &Option<Vec<Map<String, Value>>>| list.as_ref().map_or(0, Vec::len);
    let parts = [
        (of(&snapshot.resources), "resource"),
        (of(&snapshot.resource_templates), "resource template"),
        (of(&snapshot.prompts), "prompt"),
    ];
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let more = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| counted(count, word));
    let all: Vec<String> = std::iter::once(counted(snapshot.tools.len(), "tool")).chain(more).collect();
    all.join(", ")
}

/// What is different from the last time.
fn change(known: &LockFile, name: &str, snapshot: &Snapshot) -> String {
    let Some(before) = known.servers.get(name) else { return "new".to_owned() };
    let one = |snapshot: &Snapshot| LockFile { servers: [(name.to_owned(), snapshot.clone())].into() };
    match compare_by_name(&one(before), &one(snapshot), &Policy::default(), snapshots::today()) {
        Ok(comparison) if comparison.is_same() => "unchanged".to_owned(),
        Ok(comparison) if comparison.is_empty() => "changed".to_owned(),
        Ok(comparison) => diff::view::summary(comparison.counts()),
        Err(_) => "taken with other client capabilities".to_owned(),
    }
}

/// Writes beside the file and renames, so that no reader sees half of it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = std::fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        _ = std::fs::remove_file(&temporary);
    }
    written
}
