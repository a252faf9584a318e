//! Takes a changed configuration without a restart.

mod watch;

use std::convert::Infallible;
use std::time::Duration;

use mortise_executor::service::{Reconfigured, Service};
use tokio::time::MissedTickBehavior;

use super::{ServeArgs, setup};
use crate::app::App;
use crate::locking;
use watch::News;

pub(super) use watch::Watch;

/// How often files are looked at. This also sees files that are replaced rather than written, and those on network
/// drives.
const EVERY: Duration = Duration::from_secs(1);

/// Watches the files that the configuration came from and takes what they say when they change.
/// A file that can't be used leaves everything as it is.
pub(super) async fn on_change(
    app: &App,
    args: &ServeArgs,
    service: &Service,
    watch: Option<Watch>,
) -> Infallible {
    let Some(mut watch) = watch else { return std::future::pending().await };
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match watch.tick(app) {
            News::Nothing => {}
            News::Refused(failure) => {
                app.terminal.warn("the changed configuration is not used; everything stays as it was");
                failure.print(&app.terminal);
            }
            News::Changed(servers) => {
                servers.print_notes(app);
                let locking = match locking::read(app, args.lock, &servers) {
                    Ok(locking) => locking,
                    Err(failure) => {
                        app.terminal.warn("the changed lock file is not used; everything stays as it was");
                        failure.print(&app.terminal);
                        continue;
                    }
                };
                locking.print_warnings(app);
                let changes = service.reconfigure(setup(app, args, *servers, locking)).await;
                app.terminal.note(&format!("the configuration was read again: {}", told(&changes)));
            }
        }
    }
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
