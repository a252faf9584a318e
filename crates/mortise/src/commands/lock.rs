//! `mortise lock`: record what servers declare, or check that they still do.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use mortise_contract::lock::{LockFile, Snapshot};
use mortise_tester::changes::{Comparison, Policy, compare, compare_by_name};
use mortise_upstream::bounded_file;
use serde_json::{Map, Value, json};

use super::diff;
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, Start};
use crate::snapshots;
use crate::terminal::{Tint, escape};

/// Arguments of `mortise lock`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LockArgs {
    /// Only these servers; the entries of the others stay as they are
    #[arg(value_name = "SERVER")]
    only: Vec<String>,
    /// Write nothing, and fail (exit 9) when the servers are not as the file says
    #[arg(long)]
    check: bool,
    /// The lock file [default: mortise.lock.json beside the configuration]
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Writes the file, or compares it.
pub(crate) fn run(app: &App, args: &LockArgs) -> Result<Exit, Failure> {
    let mut servers = servers::choose(app, &args.ad_hoc, None, IfNone::Refuse)?;
    let path = snapshots::lock_path(app, args.lock.as_deref(), Some(&servers.source));
    servers.keep_only(&args.only)?;
    let known = match path.exists() {
        true => Some(snapshots::read(&path)),
        false => None,
    };
    // A file that can't be read is in nobody's way when all of it is written anew.
    let known = match (args.check || !args.only.is_empty(), known) {
        (true, Some(known)) => Some(known?),
        (true, None) if args.check => return Err(missing(&path)),
        (_, known) => known.and_then(Result::ok),
    };
    let taken = session::run(app, servers, Start::All, async |session| {
        snapshots::of_servers(app, &session.connected().await).await
    })?;
    match args.check {
        true => check(app, &path, known.unwrap_or_default(), &taken, &args.only),
        false => write(app, &path, known, taken, &args.only),
    }
}

fn missing(path: &Path) -> Failure {
    Failure::new(Exit::Configuration, format!("there is no lock file `{}`", path.display()))
        .hint("`mortise lock` writes it")
}

fn check(
    app: &App,
    path: &Path,
    mut known: LockFile,
    taken: &LockFile,
    only: &[String],
) -> Result<Exit, Failure> {
    if !only.is_empty() {
        known.servers.retain(|name, _| only.contains(name));
    }
    let comparison = compared(&known, taken)?;
    let hashes = |lock: &LockFile| lock.servers.values().map(Snapshot::hash).collect::<Vec<_>>();
    let is_same = known.servers.keys().eq(taken.servers.keys()) && hashes(&known) == hashes(taken);
    match (app.global.json, is_same) {
        (true, _) => app.print_json(&comparison.to_json().to_string())?,
        (false, true) => app.print(&format!("all as in {}\n", escape::line(&path.display().to_string())))?,
        (false, false) => {
            app.print(&diff::view::view(&app.terminal, &comparison, diff::view::Detail::All))?
        }
    }
    if is_same {
        return Ok(Exit::Ok);
    }
    app.terminal.note("`mortise lock` writes down what is there now");
    Ok(Exit::BreakingChange)
}

/// Compared as the file would be: server by server, by name.
fn compared(known: &LockFile, taken: &LockFile) -> Result<Comparison, Failure> {
    compare_by_name(known, taken, &Policy::default(), snapshots::today())
        .map_err(|error| diff::not_comparable(&error))
}

fn write(
    app: &App,
    path: &Path,
    known: Option<LockFile>,
    taken: LockFile,
    only: &[String],
) -> Result<Exit, Failure> {
    let mut lock = match (&known, only.is_empty()) {
        (Some(known), false) => known.clone(),
        _ => LockFile::default(),
    };
    let known = known.unwrap_or_default();
    lock.servers.extend(taken.servers.clone());
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
    // A file with the same content keeps its time stamp.
    let is_written = bounded_file::read(path, text.len() as u64).ok().as_ref() != Some(&text);
    if is_written {
        replace(path, &text).map_err(|error| {
            Failure::new(Exit::Configuration, format!("cannot write `{}`", path.display())).because(&error)
        })?;
    }
    if app.global.json {
        let servers: Value = (lock.servers.iter())
            .map(|(name, snapshot)| json!({ "name": name, "hash": snapshot.hash(), "tools": snapshot.tools.len() }))
            .collect();
        let report = json!({ "file": path.display().to_string(), "written": is_written, "servers": servers });
        app.print_json(&report.to_string())?;
        return Ok(Exit::Ok);
    }
    let verb = if is_written { "wrote" } else { "nothing to write:" };
    let mut out = format!("{verb} {}\n", escape::line(&path.display().to_string()));
    for (name, snapshot) in &taken.servers {
        let change = change(&known, name, snapshot)?;
        let held = held(snapshot);
        _ = writeln!(out, "  {}  {held}, {change}", app.terminal.paint(Tint::Name, &escape::line(name)));
    }
    for name in known.servers.keys().filter(|name| !lock.servers.contains_key(*name)) {
        _ = writeln!(out, "  {}  no longer there", app.terminal.paint(Tint::Name, &escape::line(name)));
    }
    app.print(&out)?;
    Ok(Exit::Ok)
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
fn change(known: &LockFile, name: &str, snapshot: &Snapshot) -> Result<String, Failure> {
    let Some(before) = known.servers.get(name) else { return Ok("new".to_owned()) };
    if before.hash() == snapshot.hash() {
        return Ok("unchanged".to_owned());
    }
    let one = |snapshot: &Snapshot| LockFile { servers: [(name.to_owned(), snapshot.clone())].into() };
    Ok(match compare(&one(before), &one(snapshot), &Policy::default(), snapshots::today()) {
        Ok(comparison) => diff::view::summary(comparison.counts()),
        Err(_) => "taken with other client capabilities".to_owned(),
    })
}

/// Writes beside the file and renames, so that nobody ever reads half of it.
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
