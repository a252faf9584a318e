//! The manifest, held by one process at a time.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use mortise_formats::format::{ErrorBody, ErrorCode};

use super::manifest::{DraftEntry, DraftStatus, Manifest, VERSION};
use crate::data::files::FileError;
use crate::data::files::folder::Folder;
use crate::store::no_draft;

/// How long a process waits for another to let go.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// The file that is locked.
const LOCK: &str = ".lock";

const MANIFEST: &str = "manifest.json";

/// Bytes of the largest manifest that is read.
const LARGEST: u64 = 16 << 20;

/// A folder that no other process holds.
pub(crate) struct LockedFolder {
    pub(crate) folder: Folder,
    /// The lock goes with the file.
    _lock: File,
}

impl LockedFolder {
    /// Waits for at most `patience` until no other process holds the directory. No link leads from `base` to it.
    pub(crate) fn hold(base: &Path, directory: &Path, patience: Duration) -> Result<Self, ErrorBody> {
        let folder = Folder::make(base, directory)?;
        let lock = folder.lock_file(LOCK.as_ref())?;
        let since = Instant::now();
        while let Err(error) = lock.try_lock() {
            match error {
                TryLockError::WouldBlock if since.elapsed() < patience => std::thread::sleep(PAUSE),
                TryLockError::WouldBlock => {
                    let reason = format!("another process holds `{}`", directory.display());
                    return Err(ErrorBody::new(ErrorCode::Io, reason, "try again").with_retryable(true));
                }
                TryLockError::Error(error) => {
                    return Err(FileError::io("open", directory.to_string_lossy(), error).into());
                }
            }
        }
        Ok(Self { folder, _lock: lock })
    }
}

/// The manifest, while no other process can change it.
pub(super) struct LockedManifest {
    pub(super) manifest: Manifest,
    pub(super) held: LockedFolder,
}

impl LockedManifest {
    pub(super) fn open(base: &Path, directory: &Path) -> Result<Self, ErrorBody> {
        let held = LockedFolder::hold(base, directory, PATIENCE)?;
        Ok(Self { manifest: read_manifest(&held.folder)?, held })
    }

    /// Writes the manifest in one step.
    pub(super) fn save(&self) -> Result<(), ErrorBody> {
        let text = serde_json::to_string_pretty(&self.manifest)
            .map_err(|error| ErrorBody::new(ErrorCode::Internal, error.to_string(), "report this"))?;
        Ok(self.held.folder.replace(MANIFEST.as_ref(), text.as_bytes())?)
    }

    /// A draft that can still be decided on.
    pub(super) fn live(&mut self, id: &str) -> Result<&mut DraftEntry, ErrorBody> {
        let refuse =
            |code, reason| Err(ErrorBody::new(code, reason, "generate it again").at_field("draft_id"));
        match self.manifest.drafts.iter_mut().find(|entry| entry.id == id) {
            None => Err(no_draft(id)),
            Some(entry) if entry.status == DraftStatus::Expired => {
                refuse(ErrorCode::DraftExpired, format!("draft `{id}` expired; drafts are kept for 24 hours"))
            }
            Some(entry) if !entry.status.is_live() => {
                refuse(ErrorCode::DraftState, format!("draft `{id}` is {}", entry.status.as_str()))
            }
            Some(entry) => Ok(entry),
        }
    }
}

/// Reads the manifest. Another program may have written it, so it is checked before a part of it becomes a path.
fn read_manifest(folder: &Folder) -> Result<Manifest, ErrorBody> {
    let refused = |reason: String| {
        ErrorBody::new(
            ErrorCode::Io,
            format!("`{}` can't be used: {reason}", folder.path().join(MANIFEST).display()),
            "move the file away; the drafts in it are lost, what is committed stays",
        )
    };
    let Some(text) = folder.read(MANIFEST.as_ref(), LARGEST)? else { return Ok(Manifest::default()) };
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| refused(error.to_string()))?;
    match (manifest.version, manifest.foreign()) {
        (VERSION, None) => Ok(manifest),
        (VERSION, Some(foreign)) => Err(refused(foreign)),
        (other, _) => Err(refused(format!("its version is {other}, known is {VERSION}"))),
    }
}
