//! What files there are below a folder, by looking at names and sizes alone.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::fault::DataError;
use super::files::Files;
use tokio_util::sync::CancellationToken;

mod walk;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanOptions {
    /// Files at most.
    pub max_files: usize,
    /// Folders below one another, the first included.
    pub max_depth: usize,
    /// Whether names that begin with a dot count.
    pub include_hidden: bool,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Where, as callers are told.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// When it was last written.
    pub modified: Option<SystemTime>,
    /// The ending of its name, in lower case.
    pub extension: Option<String>,
    /// Whether a name on the way to it begins with a dot.
    pub is_hidden: bool,
}

/// Something that could not be looked at, or is no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where, as callers are told.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What was found, in the order of the paths' bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The files.
    pub files: Vec<FoundFile>,
    /// What is no file or could not be looked at.
    pub unreadable: Vec<Unreadable>,
    /// How much more of that there is.
    pub more_unreadable: usize,
    /// Bytes of all files.
    pub total_size: u64,
    /// Whether there are more files.
    pub truncated: bool,
    /// Whether there are deeper folders.
    pub max_depth_reached: bool,
}

/// Looks below a folder. Links to folders are not followed; folders that can't be read are told and passed over.
/// The folder for results is passed over too, unless the scan begins in it: what was written is not to be read as data.
///
/// # Errors
///
/// The token fires.
pub fn scan(
    files: &Files,
    folder: &Path,
    options: ScanOptions,
    stop: &CancellationToken,
) -> Result<Scan, DataError> {
    let mut scan = Scan::default();
    let place = Place { path: folder.to_owned(), shown: files.shown(folder), hidden: false, depth: 1 };
    let walk = walk::Walk { files, options, except: results_below(files, folder), stop };
    walk::walk(&walk, &place, &mut scan)?;
    Ok(scan)
}

/// The folder for results as a walk from `folder` comes to it, if it lies below.
fn results_below(files: &Files, folder: &Path) -> Option<PathBuf> {
    let start = folder.canonicalize().ok()?;
    let below = files.output().strip_prefix(start).ok()?;
    (!below.as_os_str().is_empty()).then(|| folder.join(below))
}

/// A folder on the way.
struct Place {
    path: PathBuf,
    shown: String,
    hidden: bool,
    depth: usize,
}

impl Place {
    fn shown_below(&self, name: &str) -> String {
        if self.shown == "." {
            name.to_owned()
        } else {
            format!("{}/{name}", self.shown.trim_end_matches('/'))
        }
    }
}

#[cfg(test)]
mod tests;
