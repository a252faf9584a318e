//! Files that appear whole or not at all, below one folder.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::FileError;

/// What happens to a file that is there already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and writing fails.
    #[default]
    Keep,
    /// The new file takes its place.
    Replace,
}

/// A file in the making, under a name that nobody looks at. Dropped without a commit it is gone.
#[derive(Debug)]
pub struct OutputFile {
    temporary: PathBuf,
    target: PathBuf,
    existing: Existing,
    committed: bool,
}

impl OutputFile {
    /// The path to write to until the commit, for writers that want a path.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Where the file will appear.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A handle to write with.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn file(&self) -> Result<File, FileError> {
        let opened = OpenOptions::new().write(true).open(&self.temporary);
        opened.map_err(|error| FileError::io("write", self.temporary.to_string_lossy(), error))
    }

    /// Puts the file in its place and says where that is.
    ///
    /// # Errors
    ///
    /// Something has appeared there in between and is to stay, or the system refuses.
    pub fn commit(mut self) -> Result<PathBuf, FileError> {
        let shown = || self.target.to_string_lossy().into_owned();
        let failed = |error| FileError::io("write", shown(), error);
        File::open(&self.temporary).and_then(|file| file.sync_all()).map_err(failed)?;
        match self.existing {
            Existing::Replace => fs::rename(&self.temporary, &self.target).map_err(failed)?,
            // A rename would replace silently; a second link can't.
            Existing::Keep => match fs::hard_link(&self.temporary, &self.target) {
                Ok(()) => {
                    fs::remove_file(&self.temporary).ok();
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(FileError::Exists { path: shown() });
                }
                Err(_) if !self.target.exists() => {
                    fs::rename(&self.temporary, &self.target).map_err(failed)?;
                }
                Err(error) => return Err(failed(error)),
            },
        }
        self.committed = true;
        Ok(self.target.clone())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.committed {
            fs::remove_file(&self.temporary).ok();
        }
    }
}

pub(super) fn create(folder: &Path, name: &Path, existing: Existing) -> Result<OutputFile, FileError> {
    let plain = |component: Component<'_>| matches!(component, Component::Normal(_) | Component::CurDir);
    let bad = || FileError::BadOutputName { name: name.to_string_lossy().into_owned() };
    if !name.components().all(plain) || name.to_string_lossy().contains('\0') {
        return Err(bad());
    }
    let file_name = name.file_name().ok_or_else(bad)?;
    let target = folder.join(name);
    let parent = target.parent().unwrap_or(folder);
    let failed = |error| FileError::io("write", target.to_string_lossy(), error);
    // A link below the output folder may lead anywhere, so nothing is made before it is known where.
    if !super::settled(parent).starts_with(super::settled(folder)) {
        return Err(FileError::Denied { path: target.to_string_lossy().into_owned() });
    }
    fs::create_dir_all(parent).map_err(failed)?;
    let resolved = parent.canonicalize().map_err(failed)?;
    if !resolved.starts_with(folder.canonicalize().map_err(failed)?) {
        return Err(FileError::Denied { path: target.to_string_lossy().into_owned() });
    }
    let target = resolved.join(file_name);
    if existing == Existing::Keep && target.symlink_metadata().is_ok() {
        return Err(FileError::Exists { path: target.to_string_lossy().into_owned() });
    }
    let temporary = resolved.join(super::links::temporary_name().map_err(failed)?);
    OpenOptions::new().write(true).create_new(true).open(&temporary).map_err(failed)?;
    Ok(OutputFile { temporary, target, existing, committed: false })
}
