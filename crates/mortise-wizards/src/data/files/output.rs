//! Files that appear whole or not at all, below one folder.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::folder::{Folder, temporary_name};
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

/// A file in the making, under a temporary name. Dropped without a commit it is removed.
#[derive(Debug)]
pub struct OutputFile {
    folder: Folder,
    /// Open since it was made, to notice when another file has taken its name.
    file: File,
    temporary: OsString,
    name: OsString,
    path: PathBuf,
    target: PathBuf,
    existing: Existing,
    committed: bool,
}

impl OutputFile {
    /// The path to write to until the commit, for writers that want a path. They open it and make no file. If they
    /// opened another file, [`OutputFile::file`] stays empty.
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

    /// Bytes written so far.
    ///
    /// # Errors
    ///
    /// The system refuses.
    pub fn size(&self) -> Result<u64, FileError> {
        let size = self.file.metadata().map(|metadata| metadata.len());
        size.map_err(|error| FileError::io("look at", self.path.to_string_lossy(), error))
    }

    /// Puts the file in its place and returns the path.
    ///
    /// # Errors
    ///
    /// Something has appeared there in between and is to stay; the file or its folder is no longer where it was
    /// begun; or the system refuses.
    pub fn commit(mut self) -> Result<PathBuf, FileError> {
        let failed = |error| FileError::io("write", self.target.to_string_lossy(), error);
        self.file.sync_all().map_err(failed)?;
        if !self.is_in_place() {
            return Err(FileError::Replaced { path: self.path.to_string_lossy().into_owned() });
        }
        match self.existing {
            Existing::Replace => self.folder.rename(&self.temporary, &self.name)?,
            // A rename would replace silently; a second link can't.
            Existing::Keep => match self.folder.link(&self.temporary, &self.name) {
                Ok(()) => self.folder.remove(&self.temporary),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(FileError::Exists { path: self.target.to_string_lossy().into_owned() });
                }
                Err(_) if !self.folder.has(&self.name) => self.folder.rename(&self.temporary, &self.name)?,
                Err(error) => return Err(failed(error)),
            },
        }
        self.committed = true;
        Ok(self.target.clone())
    }

    /// Whether the file is still found under its name, in the folder that is held open and by the folder's path.
    fn is_in_place(&self) -> bool {
        let in_folder = |folder: &Folder| folder.holds(&self.temporary, &self.file).unwrap_or(false);
        in_folder(&self.folder) && Folder::at(self.folder.path()).is_ok_and(|folder| in_folder(&folder))
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.committed {
            self.folder.remove(&self.temporary);
        }
    }
}

pub(super) fn create_output(folder: &Path, name: &Path, existing: Existing) -> Result<OutputFile, FileError> {
    let plain = |component: Component<'_>| matches!(component, Component::Normal(_) | Component::CurDir);
    let bad = || FileError::BadOutputName { name: name.to_string_lossy().into_owned() };
    if !name.components().all(plain) || name.to_string_lossy().contains('\0') {
        return Err(bad());
    }
    let file_name = name.file_name().ok_or_else(bad)?.to_owned();
    let target = folder.join(name);
    // A link below the output folder may lead out of it, so nothing is made before it is resolved.
    let (output, parent) = (settled(folder), settled(target.parent().unwrap_or(folder)));
    if !parent.starts_with(&output) {
        return Err(FileError::denied(&target));
    }
    // The resolved path has no link in it: one that appears now is not followed.
    let folder = Folder::make(output.parent().unwrap_or(&output), &parent)?;
    let target = folder.path().join(&file_name);
    if existing == Existing::Keep && folder.has(&file_name) {
        return Err(FileError::Exists { path: target.to_string_lossy().into_owned() });
    }
    let temporary =
        temporary_name().map_err(|error| FileError::io("write", target.to_string_lossy(), error))?;
    let file = folder.create(&temporary)?;
    let path = folder.path().join(&temporary);
    Ok(OutputFile { folder, file, temporary, name: file_name, path, target, existing, committed: false })
}
