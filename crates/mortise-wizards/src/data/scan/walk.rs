//! The walk itself, folder by folder, without following links.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};
use tokio_util::sync::CancellationToken;

use super::{FoundFile, Place, Scan, ScanOptions, Unreadable};
use crate::data::fault::DataError;
use crate::data::files::Files;

/// Things that are no files are told one by one up to here.
const TOLD: usize = 1_000;

/// What is the same in all folders of a scan.
pub(super) struct Walk<'a> {
    pub(super) files: &'a Files,
    pub(super) options: ScanOptions,
    /// A folder to pass over.
    pub(super) except: Option<PathBuf>,
    pub(super) stop: &'a CancellationToken,
}

pub(super) fn walk(walk: &Walk<'_>, place: &Place, scan: &mut Scan) -> Result<(), DataError> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(CWD, &place.path, flags, Mode::empty()) {
        Ok(folder) => inside(walk, &folder, place, scan),
        Err(error) => {
            tell(scan, place.shown.clone(), io::Error::from(error).to_string());
            Ok(())
        }
    }
}

/// One entry of a folder; folders sort as their paths do.
struct Entry {
    name: Vec<u8>,
    key: Vec<u8>,
    kind: FileType,
}

fn inside(walk: &Walk<'_>, folder: &OwnedFd, place: &Place, scan: &mut Scan) -> Result<(), DataError> {
    let options = walk.options;
    for entry in entries(folder, place, options, scan) {
        if walk.stop.is_cancelled() {
            return Err(DataError::Canceled);
        }
        if scan.truncated {
            break;
        }
        let Ok(name) = std::str::from_utf8(&entry.name) else {
            let name = String::from_utf8_lossy(&entry.name).into_owned();
            tell(scan, place.shown_below(&name), "its name is no UTF-8");
            continue;
        };
        let below = Place {
            path: place.path.join(name),
            shown: place.shown_below(name),
            hidden: place.hidden || name.starts_with('.'),
            depth: place.depth + 1,
        };
        match entry.kind {
            FileType::Directory if walk.except.as_ref() == Some(&below.path) => {}
            FileType::Directory if place.depth >= options.max_depth => scan.max_depth_reached = true,
            FileType::Directory => descend(walk, folder, name, &below, scan)?,
            FileType::RegularFile => regular(folder, name, below, options, scan),
            FileType::Symlink => link(walk.files, name, below, options, scan),
            _ => tell(scan, below.shown, "neither a file nor a folder"),
        }
    }
    Ok(())
}

fn entries(folder: &OwnedFd, place: &Place, options: ScanOptions, scan: &mut Scan) -> Vec<Entry> {
    let mut entries = Vec::new();
    let listing = match Dir::read_from(folder) {
        Ok(listing) => listing,
        Err(error) => {
            tell(scan, place.shown.clone(), io::Error::from(error).to_string());
            return entries;
        }
    };
    for entry in listing {
        let Ok(entry) = entry else {
            tell(scan, place.shown.clone(), "it can't be listed to its end");
            break;
        };
        let name = entry.file_name().to_bytes();
        if matches!(name, b"." | b"..") || (name.starts_with(b".") && !options.include_hidden) {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems do not tell in the listing.
            FileType::Unknown => statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode)),
            kind => kind,
        };
        let mut key = name.to_owned();
        if kind == FileType::Directory {
            key.push(b'/');
        }
        entries.push(Entry { name: name.to_owned(), key, kind });
    }
    entries.sort_unstable_by(|one, other| one.key.cmp(&other.key));
    entries
}

fn descend(
    walk: &Walk<'_>,
    parent: &OwnedFd,
    name: &str,
    place: &Place,
    scan: &mut Scan,
) -> Result<(), DataError> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(parent, name, flags, Mode::empty()) {
        Ok(folder) => inside(walk, &folder, place, scan),
        Err(error) => {
            tell(scan, place.shown.clone(), io::Error::from(error).to_string());
            Ok(())
        }
    }
}

fn regular(folder: &OwnedFd, name: &str, place: Place, options: ScanOptions, scan: &mut Scan) {
    match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => {
            let size = u64::try_from(stat.st_size).unwrap_or(0);
            let seconds = u64::try_from(stat.st_mtime).ok().map(Duration::from_secs);
            let modified = seconds.and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(seconds));
            found(name, place, size, modified, options, scan);
        }
        Err(error) => tell(scan, place.shown, io::Error::from(error).to_string()),
    }
}

/// A link to a file counts if the file may be read.
fn link(files: &Files, name: &str, place: Place, options: ScanOptions, scan: &mut Scan) {
    let target = files.resolve(&place.path.to_string_lossy());
    match target.map(|target| target.metadata()) {
        Ok(Ok(metadata)) if metadata.is_file() => {
            found(name, place, metadata.len(), metadata.modified().ok(), options, scan);
        }
        Ok(Ok(metadata)) if metadata.is_dir() => {
            tell(scan, place.shown, "a link to a folder is not followed")
        }
        Ok(Ok(_)) => tell(scan, place.shown, "neither a file nor a folder"),
        Ok(Err(error)) => tell(scan, place.shown, error.to_string()),
        Err(_) => tell(scan, place.shown, "a link that leads nowhere or out of the roots"),
    }
}

fn found(
    name: &str,
    place: Place,
    size: u64,
    modified: Option<SystemTime>,
    options: ScanOptions,
    scan: &mut Scan,
) {
    if scan.files.len() >= options.max_files {
        scan.truncated = true;
        return;
    }
    let ending = std::path::Path::new(name).extension().map(|ending| ending.as_bytes().to_ascii_lowercase());
    let extension = ending.and_then(|ending| String::from_utf8(ending).ok());
    scan.total_size += size;
    let (path, is_hidden) = (place.shown, place.hidden);
    scan.files.push(FoundFile { path, name: name.to_owned(), size, modified, extension, is_hidden });
}

fn tell(scan: &mut Scan, path: String, reason: impl Into<String>) {
    match scan.unreadable.len() < TOLD {
        true => scan.unreadable.push(Unreadable { path, reason: reason.into() }),
        false => scan.more_unreadable += 1,
    }
}
