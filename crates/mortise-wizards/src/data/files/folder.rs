//! A folder that is held open: whatever is put on the way to it meanwhile, its files stay where they were begun.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Component, Path, PathBuf};

use super::FileError;

/// A folder for files of ours. No link was followed from the base to it.
#[derive(Debug)]
pub(crate) struct Folder {
    /// For messages, and for libraries that want a path.
    path: PathBuf,
    #[cfg(unix)]
    handle: rustix::fd::OwnedFd,
}

impl Folder {
    /// Opens the folder `below` the base, and makes what is missing of it. The base is there, and the user's choice.
    pub(crate) fn make(base: &Path, below: &Path) -> Result<Self, FileError> {
        let mut folder = Self::at(base)?;
        for component in below.components() {
            match component {
                Component::Normal(name) => folder = folder.inner(name)?,
                Component::CurDir => {}
                _ => return Err(FileError::Denied { path: below.to_string_lossy().into_owned() }),
            }
        }
        Ok(folder)
    }

    /// Where it was when it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn failed(&self, action: &'static str, name: &OsStr, error: std::io::Error) -> FileError {
        FileError::io(action, self.path.join(name).to_string_lossy(), error)
    }
}

/// How a folder is held; on Linux also one whose names may not be listed.
#[cfg(any(target_os = "linux", target_os = "android"))]
const HELD: rustix::fs::OFlags =
    rustix::fs::OFlags::PATH.union(rustix::fs::OFlags::DIRECTORY).union(rustix::fs::OFlags::CLOEXEC);
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const HELD: rustix::fs::OFlags = rustix::fs::OFlags::DIRECTORY.union(rustix::fs::OFlags::CLOEXEC);

#[cfg(unix)]
impl Folder {
    /// A folder that is there.
    pub(super) fn at(base: &Path) -> Result<Self, FileError> {
        use rustix::fs::{CWD, Mode, openat};

        let handle = openat(CWD, base, HELD, Mode::empty())
            .map_err(|error| FileError::io("open", base.to_string_lossy(), error.into()))?;
        Ok(Self { path: base.to_owned(), handle })
    }

    /// A folder in this one, made if there is none.
    ///
    /// Only the user may enter one that is made: what is written into it may come from private files.
    pub(crate) fn inner(&self, name: &OsStr) -> Result<Self, FileError> {
        use rustix::fs::{Mode, OFlags, mkdirat, openat};
        use rustix::io::Errno;

        let path = self.path.join(name);
        match mkdirat(&self.handle, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(self.failed("make", name, error.into())),
        }
        let handle =
            openat(&self.handle, name, HELD | OFlags::NOFOLLOW, Mode::empty()).map_err(
                |error| match error {
                    Errno::LOOP | Errno::NOTDIR if path.is_symlink() => {
                        FileError::Linked { path: path.to_string_lossy().into_owned() }
                    }
                    error => self.failed("open", name, error.into()),
                },
            )?;
        Ok(Self { path, handle })
    }

    /// A new file, which nobody has put there before.
    pub(crate) fn create(&self, name: &OsStr) -> Result<File, FileError> {
        use rustix::fs::{Mode, OFlags, openat};

        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(&self.handle, name, flags, Mode::from_raw_mode(0o666));
        file.map(File::from).map_err(|error| self.failed("write", name, error.into()))
    }

    /// A file to lock; neither a link nor a pipe that nobody reads.
    pub(crate) fn lock_file(&self, name: &OsStr) -> Result<File, FileError> {
        use rustix::fs::{Mode, OFlags, openat};

        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = openat(&self.handle, name, flags, Mode::from_raw_mode(0o666));
        file.map(File::from).map_err(|error| self.failed("open", name, error.into()))
    }

    /// Gives a file of this folder another name in it; what had that name is gone.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), FileError> {
        rustix::fs::renameat(&self.handle, from, &self.handle, to)
            .map_err(|error| self.failed("write", to, error.into()))
    }

    /// Gives a file of this folder a second name in it.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> std::io::Result<()> {
        let flags = rustix::fs::AtFlags::empty();
        rustix::fs::linkat(&self.handle, from, &self.handle, to, flags).map_err(std::io::Error::from)
    }

    /// Whether this name is the file that is open, and no link to it.
    pub(crate) fn holds(&self, name: &OsStr, file: &File) -> Result<bool, FileError> {
        let named = rustix::fs::statat(&self.handle, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
        let named = named.map_err(|error| self.failed("look at", name, error.into()))?;
        let open = rustix::fs::fstat(file).map_err(|error| self.failed("look at", name, error.into()))?;
        Ok((named.st_dev, named.st_ino) == (open.st_dev, open.st_ino))
    }

    /// A file to add to, made if there is none; neither a link nor a pipe that nobody reads.
    pub(crate) fn growing(&self, name: &OsStr) -> Result<File, FileError> {
        use rustix::fs::{Mode, OFlags, openat};

        let flags = OFlags::RDWR
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::NOFOLLOW
            | OFlags::NONBLOCK
            | OFlags::CLOEXEC;
        let file = openat(&self.handle, name, flags, Mode::from_raw_mode(0o666));
        file.map(File::from).map_err(|error| self.failed("write", name, error.into()))
    }

    /// Whether there is anything of this name.
    pub(crate) fn has(&self, name: &OsStr) -> bool {
        rustix::fs::statat(&self.handle, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Removes a file, if it can be.
    pub(crate) fn remove(&self, name: &OsStr) {
        rustix::fs::unlinkat(&self.handle, name, rustix::fs::AtFlags::empty()).ok();
    }
}

#[cfg(not(unix))]
impl Folder {
    /// A folder that is there.
    pub(super) fn at(base: &Path) -> Result<Self, FileError> {
        Ok(Self { path: base.to_owned() })
    }

    /// A folder in this one, made if there is none.
    pub(crate) fn inner(&self, name: &OsStr) -> Result<Self, FileError> {
        let path = self.path.join(name);
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(self.failed("make", name, error))
            }
            _ if path.is_symlink() => Err(FileError::Linked { path: path.to_string_lossy().into_owned() }),
            _ => Ok(Self { path }),
        }
    }

    /// A new file, which nobody has put there before.
    pub(crate) fn create(&self, name: &OsStr) -> Result<File, FileError> {
        let file = std::fs::OpenOptions::new().write(true).create_new(true).open(self.path.join(name));
        file.map_err(|error| self.failed("write", name, error))
    }

    /// A file to lock.
    pub(crate) fn lock_file(&self, name: &OsStr) -> Result<File, FileError> {
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).truncate(false).write(true).open(self.path.join(name));
        file.map_err(|error| self.failed("open", name, error))
    }

    /// Gives a file of this folder another name in it; what had that name is gone.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), FileError> {
        std::fs::rename(self.path.join(from), self.path.join(to))
            .map_err(|error| self.failed("write", to, error))
    }

    /// Gives a file of this folder a second name in it.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> std::io::Result<()> {
        std::fs::hard_link(self.path.join(from), self.path.join(to))
    }

    /// Whether this name is a file, which is all that can be told here.
    pub(crate) fn holds(&self, name: &OsStr, _file: &File) -> Result<bool, FileError> {
        Ok(self.path.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_file()))
    }

    /// A file to add to, made if there is none.
    pub(crate) fn growing(&self, name: &OsStr) -> Result<File, FileError> {
        let mut options = std::fs::OpenOptions::new();
        let file = options.create(true).read(true).append(true).open(self.path.join(name));
        file.map_err(|error| self.failed("write", name, error))
    }

    /// Whether there is anything of this name.
    pub(crate) fn has(&self, name: &OsStr) -> bool {
        self.path.join(name).symlink_metadata().is_ok()
    }

    /// Removes a file, if it can be.
    pub(crate) fn remove(&self, name: &OsStr) {
        std::fs::remove_file(self.path.join(name)).ok();
    }
}
