//! Refuses files and directories that another user can change: their content proves nothing.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

use mortise_contract::file_access::FileAccess;

use super::{PrivateFileError, failed};

/// Refuses a directory, or a link to one, in which another user than root can replace files. One that does not exist
/// is fine: we make it.
pub(crate) fn check_directory(directory: &Path) -> Result<(), PrivateFileError> {
    let found = match fs::symlink_metadata(directory) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed("read", directory)(error)),
    };
    if !found.is_symlink() {
        return refuse_writable(directory, &found);
    }
    refuse_foreign(directory, &found)?;
    let target = fs::metadata(directory).map_err(failed("read", directory))?;
    refuse_writable(directory, &target)
}

/// Refuses what another user than root owns, or its group or others can write.
pub(super) fn refuse_writable(path: &Path, metadata: &Metadata) -> Result<(), PrivateFileError> {
    let access = refuse_foreign(path, metadata)?;
    match access.is_writable_by_others() {
        true => Err(PrivateFileError::Exposed { path: path.to_path_buf(), mode: access.permissions() }),
        false => Ok(()),
    }
}

/// Refuses what [`refuse_writable`] refuses, and what the group or others can read.
pub(super) fn refuse_readable(path: &Path, metadata: &Metadata) -> Result<(), PrivateFileError> {
    refuse_writable(path, metadata)?;
    let access = refuse_foreign(path, metadata)?;
    match access.is_open_to_others() {
        true => Err(PrivateFileError::Readable { path: path.to_path_buf(), mode: access.permissions() }),
        false => Ok(()),
    }
}

fn refuse_foreign(path: &Path, metadata: &Metadata) -> Result<FileAccess, PrivateFileError> {
    use std::os::unix::fs::MetadataExt as _;
    let access = FileAccess { owner: metadata.uid(), mode: metadata.mode() };
    let user = rustix::process::geteuid().as_raw();
    match access.is_foreign_to(user) {
        true => Err(PrivateFileError::Foreign { path: path.to_path_buf(), owner: access.owner, user }),
        false => Ok(access),
    }
}
