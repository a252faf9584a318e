//! Files that are looked at again and again, and commands that run again when one of them changes.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::Timelike as _;
use mortise_config::{Config, ConfigOrigin};
use tokio::time::MissedTickBehavior;
use unicode_width::UnicodeWidthStr as _;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt;
use crate::terminal::Tint;

/// How often files are looked at. This also sees files that are replaced rather than written, and those on network
/// drives.
const EVERY: Duration = Duration::from_millis(300);

/// What shows that a file is no longer the same; `None` is no file.
pub(crate) type Stamp = Option<(SystemTime, u64)>;

/// When a file was written last, and its size.
pub(crate) fn stamp(file: &Path) -> Stamp {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Files whose changes make a command run again.
#[derive(Clone, Debug)]
struct WatchedPaths {
    paths: Vec<PathBuf>,
    /// As they were when the command started.
    before: Vec<Stamp>,
}

impl WatchedPaths {
    /// Looks at the files before the command reads them.
    fn at(paths: Vec<PathBuf>) -> Self {
        let before = stamps(&paths);
        Self { paths, before }
    }

    /// Waits until one differs from what it was and has stayed the same for two looks: an editor may still be writing.
    /// Returns which one, and how all files are now.
    async fn changed(&self) -> (&Path, Vec<Stamp>) {
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last = self.before.clone();
        loop {
            ticks.tick().await;
            let now = stamps(&self.paths);
            let is_settled = now == last;
            last = now;
            let differs = last.iter().zip(&self.before).position(|(now, before)| now != before);
            if let Some(at) = differs.filter(|_| is_settled) {
                return (&self.paths[at], last);
            }
        }
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    paths.iter().map(|path| stamp(path)).collect()
}

/// What a command that runs again does between two runs.
#[derive(Debug)]
pub(crate) struct RunWatch<'a> {
    app: &'a App,
    named: &'a [PathBuf],
    watched: RefCell<WatchedPaths>,
}

/// What changed between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchedChange {
    /// A file that the command was given: its servers may stay connected.
    NamedFile,
    /// The configuration: everything is read anew.
    Configuration,
}

/// How a watched command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchedEnd {
    /// It ran, and a change makes it run again.
    Ran(Exit),
    /// It has seen a change that it can't take in, and starts anew at once.
    Anew,
}

impl<'a> RunWatch<'a> {
    /// Looks at all files before the command reads them.
    fn begin(app: &'a App, named: &'a [PathBuf]) -> Self {
        let watched = RefCell::new(WatchedPaths::at(with_configuration(app, named)));
        Self { app, named, watched }
    }

    /// Prints what went wrong and waits for the next change.
    pub(crate) async fn next(&self, ended: Result<Exit, Failure>) -> WatchedChange {
        if let Err(failure) = ended {
            failure.print(&self.app.terminal);
        }
        self.app.terminal.say_painted(&rule(self.app, "waiting for a change; Ctrl-C ends"));
        let watched = WatchedPaths::clone(&self.watched.borrow());
        let (path, now) = watched.changed().await;
        self.app.terminal.say_painted(&rule(self.app, &format!("{} changed", path.display())));
        self.watched.borrow_mut().before = now;
        match self.named.iter().any(|named| named == path) {
            true => WatchedChange::NamedFile,
            false => WatchedChange::Configuration,
        }
    }
}

/// Runs a command now and whenever one of `named` or the configuration changes, until a signal asks to stop.
pub(crate) fn run_again_on_change(
    app: &App,
    named: &[PathBuf],
    command: impl Fn(&RunWatch<'_>) -> Result<WatchedEnd, Failure>,
) -> Result<Exit, Failure> {
    loop {
        let watch = RunWatch::begin(app, named);
        let ended = match command(&watch) {
            Ok(WatchedEnd::Anew) => continue,
            Ok(WatchedEnd::Ran(exit)) => Ok(exit),
            Err(failure) => Err(failure),
        };
        let exit = ended.as_ref().map_or_else(|failure| failure.exit, |exit| *exit);
        if exit == Exit::Interrupted {
            return Ok(Exit::Interrupted);
        }
        let changed = interrupt::block_on(async |stop| {
            tokio::select! {
                change = watch.next(ended) => Ok(Some(change)),
                () = stop.asked() => Ok(None),
            }
        })?;
        if changed.is_none() {
            return Ok(Exit::Interrupted);
        }
    }
}

/// The named files, those of the configuration, and those that it imports.
fn with_configuration(app: &App, named: &[PathBuf]) -> Vec<PathBuf> {
    let origin = Config::origin(&app.environment, &app.connect.config);
    let given = match origin {
        ConfigOrigin::NoConfig => Vec::new(),
        origin => Config::given(&app.environment, origin, &app.connect.config),
    };
    [named, &Config::paths(&app.environment, &given)].concat()
}

/// `── 14:02:31 · report.py changed ──────`.
fn rule(app: &App, text: &str) -> String {
    let terminal = app.terminal.for_stderr();
    let now = chrono::Utc::now();
    let head = format!(
        "── {:02}:{:02}:{:02} UTC · {} ",
        now.hour(),
        now.minute(),
        now.second(),
        crate::terminal::escape::line(text)
    );
    let width = terminal.width().unwrap_or(0).min(100);
    let line = "─".repeat(width.saturating_sub(head.width()).max(2));
    format!("{}\n", terminal.paint(Tint::Dim, &format!("{head}{line}")))
}

#[cfg(test)]
mod tests;
