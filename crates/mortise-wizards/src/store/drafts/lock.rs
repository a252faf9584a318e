//! The manifest, held by one process at a time.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mortise_formats::format::{ErrorBody, ErrorCode};

use super::files;
use super::manifest::{DraftEntry, DraftStatus, Manifest, VERSION};
use crate::data::files::links;
use crate::store::no_draft;

/// How long a process waits for another to let go.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// The file that is locked.
const LOCK: &str = ".lock";

/// The largest manifest that is read.
const LARGEST: u64 = 16 << 20;

/// The manifest, while nobody else can change it.
pub(super) struct Locked {
    pub(super) manifest: Manifest,
    base: PathBuf,
    path: PathBuf,
    /// The lock goes with the file.
    _lock: File,
}

impl Locked {
    /// Waits for the lock and reads the manifest. No link leads from `base` to it.
    pub(super) fn open(base: &Path, directory: &Path) -> Result<Self, ErrorBody> {
        let lock = hold(base, directory, PATIENCE)?;
        let path = directory.join("manifest.json");
        let manifest = read(base, &path)?;
        Ok(Self { manifest, base: base.to_owned(), path, _lock: lock })
    }

    /// Writes the manifest in one step.
    pub(super) fn save(&self) -> Result<(), ErrorBody> {
        let text = serde_json::to_string_pretty(&self.manifest)
            .map_err(|error| ErrorBody::new(ErrorCode::Internal, error.to_string(), "report this"))?;
        links::replace(&self.base, &self.path, text.as_bytes()).map_err(files::refused)
    }

    /// A draft from which something can still come.
    pub(super) fn live(&mut self, id: &str) -> Result<&mut DraftEntry, ErrorBody> {
        let refuse =
            |code, reason, advice: &str| Err(ErrorBody::new(code, reason, advice).at_field("draft_id"));
        match self.manifest.drafts.iter_mut().find(|entry| entry.id == id) {
            None => Err(no_draft(id)),
            Some(entry) if entry.status == DraftStatus::Expired => refuse(
                ErrorCode::DraftExpired,
                format!("draft `{id}` expired; drafts are kept for 24 hours"),
                "generate it again",
            ),
            Some(entry) if !entry.status.is_live() => refuse(
                ErrorCode::DraftState,
                format!("draft `{id}` is {}", entry.status.as_str()),
                "generate it again",
            ),
            Some(entry) => Ok(entry),
        }
    }
}

/// Waits so long until no other process holds the directory. It is let go with the file.
pub(crate) fn hold(base: &Path, directory: &Path, patience: Duration) -> Result<File, ErrorBody> {
    let refused = |error: std::io::Error| files::failed("open", directory, &error);
    let folder = links::make_folder(base, directory).map_err(files::refused)?;
    links::refuse_links(base, &directory.join(LOCK)).map_err(files::refused)?;
    let lock = folder.lock_file(OsStr::new(LOCK)).map_err(files::refused)?;
    let since = Instant::now();
    while let Err(error) = lock.try_lock() {
        match error {
            fs::TryLockError::WouldBlock if since.elapsed() < patience => std::thread::sleep(PAUSE),
            fs::TryLockError::WouldBlock => {
                let reason = format!("another process holds `{}`", directory.display());
                return Err(ErrorBody::new(ErrorCode::Io, reason, "try again").with_retryable(true));
            }
            fs::TryLockError::Error(error) => return Err(refused(error)),
        }
    }
    Ok(lock)
}

/// The manifest, which somebody else may have written: nothing in it becomes a path before it is checked.
fn read(base: &Path, path: &Path) -> Result<Manifest, ErrorBody> {
    let refused = |reason: String| {
        ErrorBody::new(
            ErrorCode::Io,
            format!("`{}` can't be used: {reason}", path.display()),
            "move the file away; the drafts in it are lost, what is committed stays",
        )
    };
    let Some(text) = links::read(base, path, LARGEST).map_err(files::refused)? else {
        return Ok(Manifest::default());
    };
    let manifest: Manifest = serde_json::from_slice(&text).map_err(|error| refused(error.to_string()))?;
    match (manifest.version, manifest.foreign()) {
        (VERSION, None) => Ok(manifest),
        (VERSION, Some(foreign)) => Err(refused(foreign)),
        (other, _) => Err(refused(format!("its version is {other}, known is {VERSION}"))),
    }
}
