//! Lists the files below a folder by names and sizes alone.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::fault::DataError;
use super::files::DataFiles;

mod walk;

/// How far to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanOptions {
    /// Files at most.
    pub max_files: usize,
    /// Levels of folders, the first included.
    pub max_depth: usize,
    /// Whether names that begin with a dot count.
    pub include_hidden: bool,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// As callers see it.
    pub path: String,
    /// The last part of the path.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// When it was last written.
    pub modified: Option<SystemTime>,
    /// The ending of its name, in lower case.
    pub extension: Option<String>,
    /// Whether a part of the path begins with a dot.
    pub is_hidden: bool,
}

/// A path that could not be read, or is not a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnreadablePath {
    /// Relative to the root
    pub path: String,
    /// Why
    pub reason: String,
}

/// What was found, in the order of the paths' bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderScan {
    pub files: Vec<FoundFile>,
    /// What is not a file or could not be read.
    pub unreadable: Vec<UnreadablePath>,
    /// Unreadable paths that are not listed.
    pub more_unreadable: usize,
    /// Bytes of all files.
    pub total_size: u64,
    /// Whether there are more files.
    pub truncated: bool,
    /// Whether there are deeper folders.
    pub max_depth_reached: bool,
}

/// Lists the files below a folder. Links to folders are not followed; folders that can't be read are listed.
/// The folder for results is left out, unless the scan begins in it: our own output is not data.
///
/// # Errors
///
/// The token fires.
pub fn scan(
    files: &DataFiles,
    folder: &Path,
    options: ScanOptions,
    stop: &CancellationToken,
) -> Result<FolderScan, DataError> {
    let place = ScanPlace { path: folder.to_owned(), shown: files.shown(folder), hidden: false, depth: 1 };
    let except = results_below(files, folder);
    let mut walk = walk::FolderWalk { files, options, except, stop, scan: FolderScan::default() };
    walk.walk(files.hold_folder(folder), &place)?;
    Ok(walk.scan)
}

/// The folder for results as a walk from `folder` comes to it, if it lies below.
fn results_below(files: &DataFiles, folder: &Path) -> Option<PathBuf> {
    let start = folder.canonicalize().ok()?;
    let below = files.output().strip_prefix(start).ok()?;
    (!below.as_os_str().is_empty()).then(|| folder.join(below))
}

/// A folder or file on the way of a scan.
struct ScanPlace {
    path: PathBuf,
    shown: String,
    hidden: bool,
    depth: usize,
}

impl ScanPlace {
    fn shown_below(&self, name: &str) -> String {
        match self.shown.as_str() {
            "." => name.to_owned(),
            shown => format!("{}/{name}", shown.trim_end_matches('/')),
        }
    }
}

#[cfg(test)]
mod tests;
