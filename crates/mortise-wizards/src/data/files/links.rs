//! Folders and files of our own, below a folder that we were given, where no link may lead elsewhere.
//!
//! Whoever fills a folder may have put links where the stores keep their files. What lies above `base` is the user's
//! choice and may be anything; from there on every component is looked at before it is entered.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use super::folder::Folder;
use super::{FileError, OUTPUT_FOLDER, beneath, canonicalize};

/// The folder for results in `directory` when none is named, resolved.
///
/// # Errors
///
/// When it is a link: whoever filled the folder would choose where is read and written.
pub fn default_output(directory: &Path) -> Result<PathBuf, FileError> {
    let output = canonicalize(directory, &directory.to_string_lossy())?.join(OUTPUT_FOLDER);
    match output.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => Err(linked(&output)),
        _ => Ok(output),
    }
}

/// Refuses a path that is not plainly below `base`, and any link on the way.
pub(crate) fn refuse_links(base: &Path, path: &Path) -> Result<(), FileError> {
    let outside = || FileError::Denied { path: path.to_string_lossy().into_owned() };
    let below = path.strip_prefix(base).map_err(|_| outside())?;
    let mut place = base.to_owned();
    for component in below.components() {
        let Component::Normal(name) = component else { return Err(outside()) };
        place.push(name);
        match place.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => return Err(linked(&place)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(FileError::io("look at", place.to_string_lossy(), error)),
        }
    }
    Ok(())
}

/// Makes a folder and those above it, and holds it open.
pub(crate) fn make_folder(base: &Path, folder: &Path) -> Result<Folder, FileError> {
    refuse_links(base, folder)?;
    make_private(base).map_err(|error| FileError::io("make", base.to_string_lossy(), error))?;
    Folder::make(base, folder.strip_prefix(base).unwrap_or(folder))
}

/// Makes a folder and those above it that are missing, for their owner alone.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// The content of a regular file of at most `most` bytes, if there is one.
pub(crate) fn read(base: &Path, path: &Path, most: u64) -> Result<Option<Vec<u8>>, FileError> {
    refuse_links(base, path)?;
    let shown = path.to_string_lossy();
    let below = path.strip_prefix(base).unwrap_or(path);
    let Ok(root) = base.canonicalize() else { return Ok(None) };
    let file = match beneath::open(&root, below, &shown) {
        Ok((file, _)) => file,
        Err(FileError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let failed = |error| FileError::io("read", shown.as_ref(), error);
    let mut content = Vec::new();
    file.take(most + 1).read_to_end(&mut content).map_err(failed)?;
    match content.len() as u64 > most {
        true => Err(failed(io::Error::other(format!("it has more than {most} bytes")))),
        false => Ok(Some(content)),
    }
}

/// Writes beside the place and renames, so that a reader sees the old content or the new.
pub(crate) fn replace(base: &Path, path: &Path, content: &[u8]) -> Result<(), FileError> {
    let failed = |error| FileError::io("write", path.to_string_lossy(), error);
    let name = path.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
    let folder = make_folder(base, path.parent().unwrap_or(base))?;
    let temporary = temporary_name().map_err(failed)?;
    let temporary = OsStr::new(&temporary);
    let mut file = folder.create(temporary)?;
    let written = file.write_all(content).and_then(|()| file.sync_all()).map_err(failed);
    let done = written.and_then(|()| folder.rename(temporary, name));
    if done.is_err() {
        folder.remove(temporary);
    }
    done
}

/// A name that nobody can have put there before.
pub(crate) fn temporary_name() -> io::Result<String> {
    let mut number = [0u8; 8];
    getrandom::fill(&mut number).map_err(io::Error::other)?;
    Ok(format!(".mortise-{:016x}.part", u64::from_le_bytes(number)))
}

/// Whether a name is one component and nothing else.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut components = Path::new(name).components();
    matches!((components.next(), components.next()), (Some(Component::Normal(only)), None) if only == name)
        && !name.contains('\0')
}

fn linked(path: &Path) -> FileError {
    FileError::Linked { path: path.to_string_lossy().into_owned() }
}
