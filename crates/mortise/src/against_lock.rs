//! The lock file beside what servers declare now: what `lock`, `lock --check` and `diff` go by.

use std::path::{Path, PathBuf};

use mortise_contract::lock::LockFile;
use mortise_tester::changes::{CompareError, Policy, SnapshotComparison, compare_by_name};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::servers::{self, AdHocArgs, ChosenServers, IfNone, ServerSource};
use crate::session::{self, StartFirst};
use crate::snapshots;

const NOT_CONFIGURED: &str = "not configured now; `mortise lock --prune` removes it";

/// The servers that a command asks, and the lock file that records them.
pub(crate) struct AskedServers {
    servers: ChosenServers,
    /// The lock file.
    pub(crate) path: PathBuf,
    /// Whether the user named the lock file.
    is_path_named: bool,
    /// All servers that are configured, or given on the command line.
    chosen: Vec<String>,
    /// Those of them that are asked.
    asked: Vec<String>,
    /// Whether the servers come from the command line, which says nothing about others.
    is_ad_hoc: bool,
}

/// The entries of a lock file, by what a command has to do with them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SortedEntries {
    /// Of servers that are asked.
    pub(crate) asked: LockFile,
    /// Of servers that are configured and not asked.
    pub(crate) others: LockFile,
    /// Of servers that are neither configured nor given on the command line.
    pub(crate) left: LockFile,
}

impl AskedServers {
    /// Finds the servers, of which only those named in `only` are asked, or all.
    pub(crate) fn find(
        app: &App,
        ad_hoc: &AdHocArgs,
        lock: Option<&Path>,
        only: &[String],
    ) -> Result<Self, Failure> {
        let names =
            |servers: &ChosenServers| servers.configs.iter().map(|config| config.name.to_string()).collect();
        let mut servers = servers::choose(app, ad_hoc, None, IfNone::Refuse)?;
        let path = snapshots::lock_path(app, lock, Some(&servers.source));
        let (chosen, is_ad_hoc) = (names(&servers), servers.source == ServerSource::CommandLine);
        servers.keep_only(only)?;
        Ok(Self { asked: names(&servers), servers, path, is_path_named: lock.is_some(), chosen, is_ad_hoc })
    }

    /// Whether the command asks every server that is configured.
    pub(crate) fn are_all_configured(&self) -> bool {
        !self.is_ad_hoc && self.asked.len() == self.chosen.len()
    }

    /// Reads the lock file, which must be there.
    pub(crate) fn read(&self) -> Result<SortedEntries, Failure> {
        match self.path.exists() {
            true => Ok(self.sort(snapshots::read(&self.path)?)),
            false => {
                let path = crate::input::as_typed(&self.path).display();
                let (exit, writes) = match self.is_path_named {
                    true => (Exit::Usage, format!("mortise lock --lock-file {path}")),
                    false => (Exit::Configuration, "mortise lock".to_owned()),
                };
                Err(Failure::new(exit, format!("there is no lock file `{path}`"))
                    .hint(format!("`{writes}` writes it; `mortise diff OLD NEW` compares without one")))
            }
        }
    }

    /// Sorts the entries of the lock file.
    pub(crate) fn sort(&self, lock: LockFile) -> SortedEntries {
        let mut sorted = SortedEntries::default();
        for (name, snapshot) in lock.servers {
            let entries = match (self.asked.contains(&name), self.chosen.contains(&name)) {
                (true, _) => &mut sorted.asked,
                (false, true) => &mut sorted.others,
                (false, false) => &mut sorted.left,
            };
            entries.servers.insert(name, snapshot);
        }
        sorted
    }

    /// Connects to the servers and records what they declare.
    pub(crate) fn ask(&self, app: &App) -> Result<LockFile, Failure> {
        session::run(app, self.servers.clone(), StartFirst::All, async |session| {
            snapshots::of_servers(app, &session.connected().await).await
        })
    }

    /// How `mortise lock` reports an entry that it leaves in the file.
    pub(crate) fn kept(&self) -> String {
        match self.is_ad_hoc {
            true => "kept".to_owned(),
            false => format!("kept: {NOT_CONFIGURED}"),
        }
    }

    /// Names the entries that are left, unless the servers come from the command line.
    pub(crate) fn note_left(&self, app: &App, entries: &SortedEntries) {
        for name in entries.left.servers.keys().filter(|_| !self.is_ad_hoc) {
            app.terminal.note(&format!("`{name}` is in the lock file and {NOT_CONFIGURED}"));
        }
    }
}

/// Compares entries with what their servers declare now, each with the one of its name.
pub(crate) fn compare(
    known: &LockFile,
    taken: &LockFile,
    policy: &Policy,
) -> Result<SnapshotComparison, Failure> {
    compare_by_name(known, taken, policy, snapshots::today()).map_err(|error| not_comparable(&error))
}

/// Why two sides say nothing about each other, with advice.
pub(crate) fn not_comparable(error: &CompareError) -> Failure {
    match error {
        CompareError::NoSuchServer { .. } => Failure::from_error(Exit::Usage, error)
            .hint("give it the name it has there: --server NAME=COMMAND, then NAME as one side"),
        CompareError::Capabilities { .. } => Failure::from_error(Exit::Configuration, error)
            .hint("take both with the same program: `mortise lock` writes a new lock file"),
    }
}
