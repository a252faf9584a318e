//! Files that appear whole or not at all, below one folder.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::folder::Folder;
use super::{FileError, settled};

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
    folder: Folder,
    /// Open since it was made: whatever is put under its name meanwhile is not this file.
    file: File,
    temporary: OsString,
    name: OsString,
    path: PathBuf,
    target: PathBuf,
    existing: Existing,
    committed: bool,
}

impl OutputFile {
    /// The path to write to until the commit, for writers that want a path. They open it and make no file. Whether it
    /// was this file they opened shows in [`OutputFile::file`], which has what they wrote or is empty.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the file will appear.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// A handle to write with; all of them share one position.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn file(&self) -> Result<File, FileError> {
        self.file.try_clone().map_err(|error| FileError::io("write", self.path.to_string_lossy(), error))
    }

    /// Bytes that it has so far.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn size(&self) -> Result<u64, FileError> {
        let metadata = self.file.metadata();
        metadata
            .map(|it| it.len())
            .map_err(|error| FileError::io("look at", self.path.to_string_lossy(), error))
    }

    /// Puts the file in its place and says where that is.
    ///
    /// # Errors
    ///
    /// Something has appeared there in between and is to stay; the file or its folder is no longer where it was
    /// begun; or the system refuses.
    pub fn commit(mut self) -> Result<PathBuf, FileError> {
        let shown = || self.target.to_string_lossy().into_owned();
        let failed = |error| FileError::io("write", shown(), error);
        self.file.sync_all().map_err(failed)?;
        let is_same = self.folder.holds(&self.temporary, &self.file).and_then(|held| {
            // The folder is held open; a caller looks for the file by its path.
            Ok(held
                && Folder::at(self.path.parent().unwrap_or(&self.path))?
                    .holds(&self.temporary, &self.file)?)
        });
        if !is_same.unwrap_or(false) {
            return Err(FileError::Replaced { path: self.path.to_string_lossy().into_owned() });
        }
        match self.existing {
            Existing::Replace => self.folder.rename(&self.temporary, &self.name)?,
            // A rename would replace silently; a second link can't.
            Existing::Keep => match self.folder.link(&self.temporary, &self.name) {
                Ok(()) => self.folder.remove(&self.temporary),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(FileError::Exists { path: shown() });
                }
                Err(_) if !self.folder.has(&self.name) => self.folder.rename(&self.temporary, &self.name)?,
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
            self.folder.remove(&self.temporary);
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
    let failed = |error| FileError::io("write", target.to_string_lossy(), error);
    // A link below the output folder may lead anywhere, so nothing is made before it is known where.
    let (output, parent) = (settled(folder), settled(target.parent().unwrap_or(folder)));
    let Ok(below) = parent.strip_prefix(&output) else {
        return Err(FileError::Denied { path: target.to_string_lossy().into_owned() });
    };
    // What was resolved has no link in it: one that appears now is not followed.
    let held = match (output.parent(), output.file_name()) {
        (Some(above), Some(last)) => {
            super::links::make_private(above).map_err(failed)?;
            Folder::make(above, &Path::new(last).join(below))?
        }
        _ => Folder::make(&output, below)?,
    };
    let target = held.path().join(file_name);
    if existing == Existing::Keep && held.has(file_name) {
        return Err(FileError::Exists { path: target.to_string_lossy().into_owned() });
    }
    let temporary = OsString::from(super::links::temporary_name().map_err(failed)?);
    let file = held.create(&temporary)?;
    let path = held.path().join(&temporary);
    let name = file_name.to_owned();
    Ok(OutputFile { folder: held, file, temporary, name, path, target, existing, committed: false })
}
