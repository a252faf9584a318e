//! The walk itself, folder by folder, without following links.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::FileType;
use tokio_util::sync::CancellationToken;

use super::{FolderScan, FoundFile, ScanOptions, ScanPlace, UnreadablePath};
use crate::data::fault::DataError;
use crate::data::files::folder::Folder;
use crate::data::files::{DataFiles, FileError};

/// Unreadable paths are listed up to here, and counted beyond.
const LISTED: usize = 1_000;

/// What all folders of a scan share.
pub(super) struct FolderWalk<'a> {
    pub(super) files: &'a DataFiles,
    pub(super) options: ScanOptions,
    /// A folder to leave out.
    pub(super) except: Option<PathBuf>,
    pub(super) stop: &'a CancellationToken,
    pub(super) scan: FolderScan,
}

/// One entry of a folder; folders sort as their paths do.
struct FolderEntry {
    name: OsString,
    key: Vec<u8>,
    kind: FileType,
}

impl FolderWalk<'_> {
    /// Adds the files of a folder and of those below it to the scan.
    pub(super) fn walk(
        &mut self,
        folder: Result<Folder, FileError>,
        place: &ScanPlace,
    ) -> Result<(), DataError> {
        let folder = match folder {
            Ok(folder) => folder,
            Err(error) => {
                self.unreadable(place.shown.clone(), reason(error));
                return Ok(());
            }
        };
        for entry in self.entries(&folder, place) {
            if self.stop.is_cancelled() {
                return Err(DataError::Canceled);
            }
            if self.scan.truncated {
                break;
            }
            let Some(name) = entry.name.to_str() else {
                self.unreadable(place.shown_below(&entry.name.to_string_lossy()), "its name is not UTF-8");
                continue;
            };
            self.enter(&folder, name, entry.kind, place)?;
        }
        Ok(())
    }

    fn enter(
        &mut self,
        folder: &Folder,
        name: &str,
        kind: FileType,
        place: &ScanPlace,
    ) -> Result<(), DataError> {
        let below = ScanPlace {
            path: place.path.join(name),
            shown: place.shown_below(name),
            hidden: place.hidden || name.starts_with('.'),
            depth: place.depth + 1,
        };
        if kind.is_dir() {
            if self.except.as_ref() == Some(&below.path) {
                return Ok(());
            }
            if place.depth >= self.options.max_depth {
                self.scan.max_depth_reached = true;
                return Ok(());
            }
            let gone = || FileError::NotFound { path: below.shown.clone() };
            let inner = folder.inner(name.as_ref()).and_then(|inner| inner.ok_or_else(gone));
            return self.walk(inner, &below);
        }
        if kind.is_symlink() {
            self.link(name, below);
        } else if kind.is_file() {
            match folder.metadata(name.as_ref()) {
                Ok(metadata) => {
                    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
                    self.found(name, below, metadata.len(), modified);
                }
                Err(error) => self.unreadable(below.shown, error.to_string()),
            }
        } else {
            self.unreadable(below.shown, "neither a file nor a folder");
        }
        Ok(())
    }

    fn entries(&mut self, folder: &Folder, place: &ScanPlace) -> Vec<FolderEntry> {
        let mut entries = Vec::new();
        let listing = match folder.entries() {
            Ok(listing) => listing,
            Err(error) => {
                self.unreadable(place.shown.clone(), error.to_string());
                return entries;
            }
        };
        for entry in listing {
            let Ok((name, kind)) = entry else {
                self.unreadable(place.shown.clone(), "it can't be listed to its end");
                break;
            };
            let mut key = name.as_bytes().to_owned();
            if key.starts_with(b".") && !self.options.include_hidden {
                continue;
            }
            if kind.is_dir() {
                key.push(b'/');
            }
            entries.push(FolderEntry { name, key, kind });
        }
        entries.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        entries
    }

    /// A link to a file counts if the file may be read.
    fn link(&mut self, name: &str, place: ScanPlace) {
        let target = self.files.resolve(&place.path.to_string_lossy());
        match target.map(|target| target.metadata()) {
            Ok(Ok(metadata)) if metadata.is_file() => {
                self.found(name, place, metadata.len(), metadata.modified().ok());
            }
            Ok(Ok(metadata)) if metadata.is_dir() => {
                self.unreadable(place.shown, "a link to a folder is not followed");
            }
            Ok(Ok(_)) => self.unreadable(place.shown, "neither a file nor a folder"),
            Ok(Err(error)) => self.unreadable(place.shown, error.to_string()),
            Err(_) => self.unreadable(place.shown, "a link that leads nowhere or out of the roots"),
        }
    }

    fn found(&mut self, name: &str, place: ScanPlace, size: u64, modified: Option<SystemTime>) {
        if self.scan.files.len() >= self.options.max_files {
            self.scan.truncated = true;
            return;
        }
        let extension = Path::new(name).extension().and_then(|ending| ending.to_str());
        let extension = extension.map(str::to_ascii_lowercase);
        self.scan.total_size += size;
        let (path, is_hidden) = (place.shown, place.hidden);
        self.scan.files.push(FoundFile { path, name: name.to_owned(), size, modified, extension, is_hidden });
    }

    fn unreadable(&mut self, path: String, reason: impl Into<String>) {
        match self.scan.unreadable.len() < LISTED {
            true => self.scan.unreadable.push(UnreadablePath { path, reason: reason.into() }),
            false => self.scan.more_unreadable += 1,
        }
    }
}

fn reason(error: FileError) -> String {
    match error {
        FileError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
