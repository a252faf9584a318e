//! Files that are looked at again and again, and commands that run again when one of them changes.

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
#[derive(Debug)]
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
    async fn changed(&self) -> &Path {
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
                return &self.paths[at];
            }
        }
    }
}

fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    paths.iter().map(|path| stamp(path)).collect()
}

/// Runs a command now and whenever one of `named` or the configuration changes, until a signal asks to stop.
pub(crate) fn run_again_on_change(
    app: &App,
    named: &[PathBuf],
    command: impl Fn() -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    loop {
        let watched = WatchedPaths::at(with_configuration(app, named));
        match command() {
            Ok(Exit::Interrupted) => return Ok(Exit::Interrupted),
            Ok(_) => {}
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => failure.print(&app.terminal),
        }
        app.terminal.say_painted(&rule(app, "waiting for a change; Ctrl-C ends"));
        let changed = interrupt::block_on(async |stop| {
            tokio::select! {
                path = watched.changed() => Ok(Some(path.to_owned())),
                () = stop.asked() => Ok(None),
            }
        })?;
        match changed {
            Some(path) => app.terminal.say_painted(&rule(app, &format!("{} changed", path.display()))),
            None => return Ok(Exit::Interrupted),
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
