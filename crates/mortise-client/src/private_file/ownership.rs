//! Refuses files and directories that another user can change: their content proves nothing.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

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
    const WRITABLE_BY_OTHERS: u32 = 0o022;
    refuse_foreign(path, metadata)?;
    match mode(metadata) {
        mode if mode & WRITABLE_BY_OTHERS != 0 => {
            Err(PrivateFileError::Exposed { path: path.to_path_buf(), mode })
        }
        _ => Ok(()),
    }
}

/// Refuses what [`refuse_writable`] refuses, and what the group or others can read.
pub(super) fn refuse_readable(path: &Path, metadata: &Metadata) -> Result<(), PrivateFileError> {
    const OPEN_TO_OTHERS: u32 = 0o077;
    refuse_writable(path, metadata)?;
    match mode(metadata) {
        mode if mode & OPEN_TO_OTHERS != 0 => {
            Err(PrivateFileError::Readable { path: path.to_path_buf(), mode })
        }
        _ => Ok(()),
    }
}

fn refuse_foreign(path: &Path, metadata: &Metadata) -> Result<(), PrivateFileError> {
    use std::os::unix::fs::MetadataExt as _;
    let (owner, user) = (metadata.uid(), rustix::process::geteuid().as_raw());
    match is_foreign(owner, user) {
        true => Err(PrivateFileError::Foreign { path: path.to_path_buf(), owner, user }),
        false => Ok(()),
    }
}

/// Whether a file of `owner` is in the hands of another user than `user` and root.
pub(super) fn is_foreign(owner: u32, user: u32) -> bool {
    owner != user && owner != 0
}

fn mode(metadata: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o777
}
