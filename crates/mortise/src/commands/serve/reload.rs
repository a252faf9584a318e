//! Takes a changed configuration without a restart.
//!
//! The few files are looked at once a second: this also sees files that are replaced
//! rather than written, and those on network drives.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use mortise_executor::service::{Reconfigured, Service};
use tokio::time::MissedTickBehavior;

use super::{ServeArgs, setup};
use crate::app::App;
use crate::servers::{self, Source};

const EVERY: Duration = Duration::from_secs(1);

/// What tells that a file is no longer the same.
type Stamp = Option<(SystemTime, u64)>;

/// Watches the files that the configuration came from and takes what they say when they change.
/// A file that can't be used leaves everything as it is.
pub(super) async fn on_change(app: &App, args: &ServeArgs, service: &Service, source: Source) -> Infallible {
    let Source::Files(mut files) = source else { return std::future::pending().await };
    let mut stamps = stamps(&files);
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = self::stamps(&files);
        if now == stamps {
            continue;
        }
        stamps = now;
        match servers::choose_again(app) {
            Ok(servers) => {
                if let Source::Files(found) = &servers.source {
                    files.clone_from(found);
                    stamps = self::stamps(&files);
                }
                let changes = service.reconfigure(setup(args, servers)).await;
                app.terminal.note(&format!("the configuration was read again: {}", told(&changes)));
            }
            Err(failure) => {
                app.terminal.warn("the changed configuration is not used; everything stays as it was");
                failure.print(&app.terminal);
            }
        }
    }
}

fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    let stamp = |file: &PathBuf| {
        let metadata = std::fs::metadata(file).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    files.iter().map(stamp).collect()
}

fn told(changes: &Reconfigured) -> String {
    let parts: Vec<String> =
        [("started", &changes.started), ("ended", &changes.ended), ("restarted", &changes.restarted)]
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("{what} {}", names.join(", "))
            })
            .collect();
    if parts.is_empty() { "no server changed".to_owned() } else { parts.join("; ") }
}
