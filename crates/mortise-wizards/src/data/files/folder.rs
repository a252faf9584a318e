//! A folder that is held open: what is put on the way to it later does not matter.
//!
//! cap-std keeps every access below the handle. We go further and follow no link at all, since the sender of a folder
//! could have put links where the stores keep their files. The base is the user's choice, and may be a link.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{
    Dir, DirBuilder, DirBuilderExt as _, FileType, FileTypeExt as _, Metadata, MetadataExt as _, OpenOptions,
    OpenOptionsExt as _,
};
use rustix::fs::OFlags;

use super::FileError;

/// An open folder. No link was followed from the base to it.
#[derive(Debug)]
pub(crate) struct Folder {
    /// For messages, and for libraries that want a path.
    path: PathBuf,
    handle: Dir,
}

impl Folder {
    /// Opens a folder that the user chose.
    pub(super) fn at(path: &Path) -> Result<Self, FileError> {
        let handle = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(|error| FileError::io("open", path.to_string_lossy(), error))?;
        Ok(Self { path: path.to_owned(), handle })
    }

    /// Opens `folder`, which is `base` or lies below it. `None` where it does not exist.
    pub(crate) fn open(base: &Path, folder: &Path) -> Result<Option<Self>, FileError> {
        let names = names_below(base, folder)?;
        let mut held = match Self::at(base) {
            Err(FileError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            held => held?,
        };
        for name in names {
            let Some(inner) = held.inner(name)? else { return Ok(None) };
            held = inner;
        }
        Ok(Some(held))
    }

    /// Opens `folder`, which is `base` or lies below it, and makes what is missing of both for the user alone:
    /// what is written into it may come from private files.
    pub(crate) fn make(base: &Path, folder: &Path) -> Result<Self, FileError> {
        let names = names_below(base, folder)?;
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.recursive(true).create(base);
        made.map_err(|error| FileError::io("make", base.to_string_lossy(), error))?;
        names.into_iter().try_fold(Self::at(base)?, |folder, name| folder.make_inner(name))
    }

    /// The path under which it was opened.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder in this one. `None` where it does not exist.
    pub(crate) fn inner(&self, name: &OsStr) -> Result<Option<Self>, FileError> {
        match self.handle.open_dir_nofollow(name) {
            Ok(handle) => Ok(Some(Self { path: self.path.join(name), handle })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.refused("open", name, error)),
        }
    }

    /// Opens a folder in this one, and makes it if it is missing.
    pub(crate) fn make_inner(&self, name: &OsStr) -> Result<Self, FileError> {
        let mut private = DirBuilder::new();
        private.mode(0o700);
        match self.handle.create_dir_with(name, &private) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(self.refused("make", name, error))
            }
            _ => {
                let gone = || self.refused("open", name, io::ErrorKind::NotFound.into());
                self.inner(name)?.ok_or_else(gone)
            }
        }
    }

    /// Opens a regular file for reading. Anything else is refused before it is opened, and once more afterwards.
    pub(crate) fn regular_file(&self, name: &OsStr) -> Result<(File, Metadata), FileError> {
        let path = || self.path.join(name).to_string_lossy().into_owned();
        let check = |metadata: io::Result<Metadata>| match metadata {
            Ok(metadata) if metadata.is_file() => Ok(metadata),
            Ok(metadata) if metadata.is_symlink() => Err(FileError::Linked { path: path() }),
            Ok(metadata) => {
                Err(FileError::NotRegular { path: path(), kind: kind_of_file(metadata.file_type()) })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(FileError::NotFound { path: path() })
            }
            Err(error) => Err(FileError::io("look at", path(), error)),
        };
        check(self.handle.symlink_metadata(name))?;
        let file = self.open_file("open", name, OpenOptions::new().read(true))?;
        let metadata = check(Metadata::from_file(&file))?;
        Ok((file, metadata))
    }

    /// The content of a regular file of at most `most` bytes. `None` where it does not exist.
    pub(crate) fn read(&self, name: &OsStr, most: u64) -> Result<Option<Vec<u8>>, FileError> {
        let file = match self.regular_file(name) {
            Ok((file, _)) => file,
            Err(FileError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut content = Vec::new();
        let read = file.take(most + 1).read_to_end(&mut content);
        let read = read.and_then(|bytes| match bytes as u64 > most {
            true => Err(io::Error::other(format!("it has more than {most} bytes"))),
            false => Ok(()),
        });
        read.map(|()| Some(content)).map_err(|error| self.refused("read", name, error))
    }

    /// Writes beside the file and renames, so that a reader sees the old content or the new.
    pub(crate) fn replace(&self, name: &OsStr, content: &[u8]) -> Result<(), FileError> {
        let failed = |error| self.refused("write", name, error);
        let temporary = temporary_name().map_err(failed)?;
        let mut file = self.create(&temporary)?;
        let written = file.write_all(content).and_then(|()| file.sync_all()).map_err(failed);
        let done = written.and_then(|()| self.rename(&temporary, name));
        if done.is_err() {
            self.remove(&temporary);
        }
        done
    }

    /// Opens a new file for writing. Fails where the name is taken.
    pub(crate) fn create(&self, name: &OsStr) -> Result<File, FileError> {
        self.open_file("write", name, OpenOptions::new().write(true).create_new(true))
    }

    /// Opens a file to lock, and makes it if it is missing.
    pub(crate) fn lock_file(&self, name: &OsStr) -> Result<File, FileError> {
        self.open_file("open", name, OpenOptions::new().write(true).create(true))
    }

    /// Opens a file to append to, and makes it if it is missing.
    pub(crate) fn append(&self, name: &OsStr) -> Result<File, FileError> {
        self.open_file("write", name, OpenOptions::new().read(true).append(true).create(true))
    }

    /// Renames a file or folder in this folder. A file that had the new name is gone.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), FileError> {
        let renamed = self.handle.rename(from, &self.handle, to);
        renamed.map_err(|error| self.refused("write", to, error))
    }

    /// Gives a file of this folder a second name in it.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.handle.hard_link(from, &self.handle, to)
    }

    /// Whether this name is the open file itself.
    pub(crate) fn holds(&self, name: &OsStr, file: &File) -> io::Result<bool> {
        let (named, open) = (self.handle.symlink_metadata(name)?, Metadata::from_file(file)?);
        Ok((named.dev(), named.ino()) == (open.dev(), open.ino()))
    }

    /// Whether the name is taken, by a link too.
    pub(crate) fn has(&self, name: &OsStr) -> bool {
        self.handle.symlink_metadata(name).is_ok()
    }

    /// The type, size and times of an entry. A link is not followed.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        self.handle.symlink_metadata(name)
    }

    /// The names in this folder and what they are, in no order. An entry that can't be read is an error.
    pub(crate) fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<(OsString, FileType)>>> {
        let named = |entry: cap_std::fs::DirEntry| {
            let kind = entry.file_type()?;
            // Some file systems do not say it in the listing.
            let kind = if kind == FileType::unknown() { entry.metadata()?.file_type() } else { kind };
            Ok((entry.file_name(), kind))
        };
        Ok(self.handle.entries()?.map(move |entry| entry.and_then(named)))
    }

    /// Removes a file, if it can be.
    pub(crate) fn remove(&self, name: &OsStr) {
        self.handle.remove_file(name).ok();
    }

    /// Removes a folder and all in it.
    pub(crate) fn remove_tree(&self, name: &OsStr) -> io::Result<()> {
        self.handle.remove_dir_all(name)
    }

    fn open_file(
        &self,
        action: &'static str,
        name: &OsStr,
        options: &mut OpenOptions,
    ) -> Result<File, FileError> {
        // A pipe would wait for its other end, a terminal would become that of this process.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        options.follow(FollowSymlinks::No).custom_flags(flags);
        let file = self.handle.open_with(name, options).map(cap_std::fs::File::into_std);
        file.map_err(|error| self.refused(action, name, error))
    }

    fn refused(&self, action: &'static str, name: &OsStr, error: io::Error) -> FileError {
        let path = self.path.join(name).to_string_lossy().into_owned();
        match self.handle.symlink_metadata(name) {
            Ok(metadata) if metadata.is_symlink() => FileError::Linked { path },
            _ => FileError::io(action, path, error),
        }
    }
}

/// The names on the way from `base` to a path that is plainly below it.
fn names_below<'a>(base: &Path, path: &'a Path) -> Result<Vec<&'a OsStr>, FileError> {
    let below = path.strip_prefix(base).map_err(|_| FileError::denied(path))?;
    let plain = |component| match component {
        Component::Normal(name) => Ok(name),
        _ => Err(FileError::denied(path)),
    };
    below.components().map(plain).collect()
}

fn kind_of_file(kind: FileType) -> &'static str {
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

/// A random name, so that no other file can have it.
pub(crate) fn temporary_name() -> io::Result<OsString> {
    let mut number = [0u8; 8];
    getrandom::fill(&mut number).map_err(io::Error::other)?;
    Ok(format!(".mortise-{:016x}.part", u64::from_le_bytes(number)).into())
}

/// Whether a name is one component and nothing else.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(only)), None) if only == name)
        && !name.contains('\0')
}
