//! Observed shapes in the state directory: one small private file for each declaration of a tool.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mortise_client::private_file;
use mortise_contract::observed::ObservedShape;
use serde::{Deserialize, Serialize};

use super::{ShapeStore, ShapeStoreError};
use crate::limits::{OBSERVED_BYTES, OBSERVED_FILES};

/// The version of the files.
const VERSION: u64 = 1;

/// A directory of shapes, which is made when the first one is written.
#[derive(Clone, Debug)]
pub struct ShapeFiles {
    directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeFile {
    version: u64,
    /// [`Contract::digest`](mortise_contract::Contract::digest) of the declaration.
    contract: String,
    shape: ObservedShape,
}

impl ShapeFiles {
    /// The shapes in this directory.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    fn path(&self, digest: &str) -> PathBuf {
        self.directory.join(format!("{digest}.json"))
    }

    /// What a file holds. One that can't be used is set aside: it may be of a newer version, or a person may want to see it.
    fn read(&self, digest: &str) -> Result<Option<ObservedShape>, ShapeStoreError> {
        let path = self.path(digest);
        let Some(text) = private_file::read(&path)? else { return Ok(None) };
        let file: Option<ShapeFile> = serde_json::from_str(&text).ok();
        let is_ours = |file: &ShapeFile| {
            file.version == VERSION && file.contract == digest && file.shape.is_within_bounds()
        };
        match file.filter(is_ours) {
            Some(file) => Ok(Some(file.shape)),
            None => {
                set_aside(&path);
                Ok(None)
            }
        }
    }
}

impl ShapeStore for ShapeFiles {
    fn load(&self, digest: &str) -> Result<Option<ObservedShape>, ShapeStoreError> {
        self.read(digest)
    }

    fn merge(&self, digest: &str, seen: &ObservedShape) -> Result<ObservedShape, ShapeStoreError> {
        // One lock for all: writers are rare and quick, and dropping old files concerns all of them.
        let _lock = private_file::lock(&self.directory.join("shapes"))?;
        let mut shape = self.read(digest)?.unwrap_or_default();
        shape.merge(seen);
        let file = ShapeFile { version: VERSION, contract: digest.to_owned(), shape };
        let path = self.path(digest);
        private_file::write(&path, &format!("{}\n", serde_json::to_string(&file)?))?;
        drop_oldest(&self.directory, &path);
        Ok(file.shape)
    }
}

fn set_aside(path: &Path) {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".broken");
    let result = fs::rename(path, &aside);
    let (path, aside) = (path.display(), Path::new(&aside).display());
    match result {
        Ok(()) => tracing::warn!(
            event = "mortise.observed.broken",
            "`{path}` is not an observed shape of this version; it is now `{aside}` and can be removed"
        ),
        Err(error) => tracing::warn!(
            event = "mortise.observed.broken",
            %error,
            "`{path}` is not an observed shape of this version and can't be renamed"
        ),
    }
}

/// Removes the oldest files where there are too many or they are too large together; `kept` stays. A file that can't be
/// removed takes space and nothing else.
fn drop_oldest(directory: &Path, kept: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        })
        .filter(|(_, _, path)| path.extension().is_none_or(|ending| ending != "lock"))
        .collect();
    files.sort_unstable();
    let (mut count, mut bytes) = (files.len(), files.iter().map(|(_, bytes, _)| bytes).sum::<u64>());
    for (_, size, path) in files {
        if count <= OBSERVED_FILES && bytes <= OBSERVED_BYTES as u64 {
            return;
        }
        if path != kept && fs::remove_file(&path).is_ok() {
            count -= 1;
            bytes -= size;
        }
    }
}

#[cfg(test)]
mod tests;
