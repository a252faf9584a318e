//! What the lock file decides about the tools that programs call.

use std::path::{Path, PathBuf};

use mortise_client::bounded_file;
use mortise_contract::LockMode;
use mortise_contract::lock::RecordedTools;
use mortise_executor::lock_policy::LockPolicy;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers::{ChosenServers, ServerSource};
use crate::snapshots;

/// The lock file of some servers, and what it means for them.
#[derive(Debug)]
pub(crate) struct Locking {
    /// Where `mortise lock` writes it.
    pub(crate) path: PathBuf,
    pub(crate) mode: LockMode,
    pub(crate) policy: LockPolicy,
    /// What is wrong with the file, where that leaves the command going.
    pub(crate) warnings: Vec<String>,
}

/// Reads the lock file as the flag asks, else as configured, else to warn where there is one.
pub(crate) fn read(app: &App, flag: Option<LockMode>, servers: &ChosenServers) -> Result<Locking, Failure> {
    let path = snapshots::lock_path(app, None, Some(&servers.source));
    let asked = flag.or(servers.lock);
    let mode = asked.unwrap_or(LockMode::Warn);
    let mut locking = Locking { path, mode, policy: LockPolicy::default(), warnings: Vec::new() };
    // Unless it is asked for, only configured servers are compared, and a file that is not there is not missed.
    let is_configured = matches!(servers.source, ServerSource::Files(_));
    let is_used = asked.is_some() || is_configured && locking.path.symlink_metadata().is_ok();
    if mode == LockMode::Off || !is_used {
        return Ok(locking);
    }
    match recorded(&locking.path) {
        Ok(recorded) => {
            let bad = recorded.unusable().map(|(_, reason)| format!("lock file: {reason}"));
            locking.warnings = bad.collect();
            locking.policy = LockPolicy::new(mode, recorded);
            Ok(locking)
        }
        Err(failure) if mode == LockMode::Enforce => Err(failure),
        Err(failure) => {
            locking
                .warnings
                .push(format!("tools are not compared with the lock file: {}", failure.one_line()));
            Ok(locking)
        }
    }
}

fn recorded(path: &Path) -> Result<RecordedTools, Failure> {
    let text = bounded_file::read(path, snapshots::MAX_BYTES).map_err(|error| {
        Failure::new(Exit::Configuration, format!("cannot read the lock file `{}`", path.display()))
            .because(&error)
            .hint("`mortise lock` writes it; `--lock warn` goes on without")
    })?;
    RecordedTools::parse(&text).map_err(|error| {
        Failure::new(Exit::Configuration, format!("cannot use the lock file `{}`", path.display()))
            .because(&error)
            .hint("`mortise lock` writes it anew; `--lock warn` goes on without")
    })
}

impl Locking {
    /// The mode, the file, and whether it is there.
    pub(crate) fn shown(&self) -> String {
        let path = self.path.display();
        if let Some(warning) = self.warnings.first() {
            return warning.clone();
        }
        match (self.mode, self.path.symlink_metadata().is_ok()) {
            (LockMode::Off, _) => "off".to_owned(),
            (LockMode::Warn, true) => format!("warn, {path}"),
            (LockMode::Warn, false) => "warn, and there is no lock file".to_owned(),
            (LockMode::Enforce, _) => format!("enforce, {path}"),
        }
    }

    /// Says on stderr what is wrong with the file.
    pub(crate) fn print_warnings(&self, app: &App) {
        for warning in &self.warnings {
            app.terminal.warn(warning);
        }
    }
}
