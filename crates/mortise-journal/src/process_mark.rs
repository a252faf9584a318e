//! Which processes run runs: each holds a lock on a file of its own as long as it lives.
//!
//! The file is `PID-RANDOM.lock`. While entries of a running run are lost and the database can't be written, it is
//! called `PID-RANDOM.lost`: a name can be changed on a full disk.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use mortise_client::private_file;
use mortise_contract::text::hex;

use crate::journal_error::{DatabaseError, file_failed};

const LOCKED: &str = "lock";
const LOST: &str = "lost";

/// The mark of this process. Dropping it says that the process runs nothing any more.
#[derive(Debug)]
pub(crate) struct ProcessMark {
    folder: PathBuf,
    name: String,
    _lock: File,
}

/// What a mark says about the process that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnerState {
    Alive {
        process: u32,
    },
    Gone,
    /// The process is gone, and could not write what its runs did last.
    GoneWithLosses,
}

impl ProcessMark {
    /// Makes the mark of this process. The caller holds the lock of the journal.
    pub(crate) fn create(folder: &Path) -> Result<Self, DatabaseError> {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random)
            .map_err(|error| file_failed("name", folder)(std::io::Error::other(error.to_string())))?;
        let name = format!("{}-{}", std::process::id(), hex(&random));
        let lock = private_file::lock(&folder.join(&name))?;
        Ok(Self { folder: folder.to_path_buf(), name, _lock: lock })
    }

    /// Whether its file is still there.
    pub(crate) fn is_there(&self) -> bool {
        [LOCKED, LOST].iter().any(|kind| mark_path(&self.folder, &self.name, kind).exists())
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Says on disk that entries of runs of this process are missing from the database.
    pub(crate) fn show_losses(&self, are_lost: bool) {
        let (from, to) = if are_lost { (LOCKED, LOST) } else { (LOST, LOCKED) };
        let _ =
            fs::rename(mark_path(&self.folder, &self.name, from), mark_path(&self.folder, &self.name, to));
    }
}

impl Drop for ProcessMark {
    /// A mark with losses stays for the next process, which takes them over.
    fn drop(&mut self) {
        let _ = fs::remove_file(mark_path(&self.folder, &self.name, LOCKED));
    }
}

/// What became of the process with a mark of this name.
pub(crate) fn owner_state(folder: &Path, name: &str) -> OwnerState {
    for (kind, gone) in [(LOCKED, OwnerState::Gone), (LOST, OwnerState::GoneWithLosses)] {
        let Ok(file) = File::open(mark_path(folder, name, kind)) else { continue };
        // Shared, so that two who look at once don't take one another for the owner.
        return match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => OwnerState::Alive { process: process_of(name) },
            Ok(()) | Err(TryLockError::Error(_)) => gone,
        };
    }
    OwnerState::Gone
}

/// The marks that processes left behind, with whether their runs have losses. The caller holds the lock of the journal.
pub(crate) fn left_behind(folder: &Path) -> Result<Vec<(String, OwnerState)>, DatabaseError> {
    let failed = || file_failed("read", folder);
    let mut names = Vec::new();
    for file in fs::read_dir(folder).map_err(failed())? {
        let name = file.map_err(failed())?.file_name();
        let Some((name, LOCKED | LOST)) = name.to_str().and_then(|name| name.rsplit_once('.')) else {
            continue;
        };
        match owner_state(folder, name) {
            OwnerState::Alive { .. } => {}
            state => names.push((name.to_owned(), state)),
        }
    }
    Ok(names)
}

/// Removes a mark that was left behind.
pub(crate) fn remove(folder: &Path, name: &str) {
    for kind in [LOCKED, LOST] {
        let _ = fs::remove_file(mark_path(folder, name, kind));
    }
}

fn mark_path(folder: &Path, name: &str, kind: &str) -> PathBuf {
    folder.join(format!("{name}.{kind}"))
}

fn process_of(name: &str) -> u32 {
    name.split_once('-').and_then(|(process, _)| process.parse().ok()).unwrap_or_default()
}
