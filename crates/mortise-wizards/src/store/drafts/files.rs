//! The files of a draft on disk.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use mortise_formats::format::{ErrorBody, ErrorCode};
use sha2::{Digest as _, Sha256};

use super::manifest::DraftEntry;
use crate::data::files::{FileError, links};

/// The largest file of a draft.
const LARGEST: u64 = 1 << 20;

/// A digest over names and contents, in order.
pub(super) fn digest(files: &[(String, String)]) -> String {
    let mut digest = Sha256::new();
    for (name, content) in files {
        for part in [name, content] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the files into a folder that is not there yet.
pub(super) fn write(base: &Path, folder: &Path, files: &[(String, String)]) -> Result<(), ErrorBody> {
    let refuse = |error: std::io::Error| failed("write", folder, &error);
    if folder.symlink_metadata().is_ok() {
        return Err(refuse(std::io::ErrorKind::AlreadyExists.into()));
    }
    let folder = links::make_folder(base, folder).map_err(refused)?;
    for (name, content) in files {
        if !links::is_plain_name(name) {
            let reason = format!("`{name}` is no name for a file of a draft");
            return Err(ErrorBody::new(ErrorCode::Internal, reason, "report this"));
        }
        let mut file = folder.create(OsStr::new(name)).map_err(refused)?;
        file.write_all(content.as_bytes()).map_err(refuse)?;
    }
    Ok(())
}

/// The files as they are now.
pub(super) fn read(
    base: &Path,
    folder: &Path,
    entry: &DraftEntry,
) -> Result<Vec<(String, String)>, ErrorBody> {
    let one = |name: &String| {
        let path = folder.join(name);
        let gone = || {
            let reason = format!("`{}` is no file of a draft any more", path.display());
            ErrorBody::new(ErrorCode::DraftState, reason, "generate the draft again").at_field("draft_id")
        };
        let content = match links::read(base, &path, LARGEST) {
            Ok(content) => content.ok_or_else(gone)?,
            Err(FileError::NotRegular { .. } | FileError::Io { .. }) => return Err(gone()),
            Err(error) => return Err(refused(error)),
        };
        Ok((name.clone(), String::from_utf8(content).map_err(|_| gone())?))
    };
    entry.files.iter().map(one).collect()
}

/// The texts of the files of a folder with this ending, by name. What can't be read is left out.
pub(super) fn texts(base: &Path, folder: &Path, ending: &str) -> Vec<String> {
    if links::refuse_links(base, folder).is_err() {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    let text = |path: &std::path::PathBuf| String::from_utf8(links::read(base, path, LARGEST).ok()??).ok();
    paths.iter().filter_map(text).collect()
}

/// Removes a draft's folder. One that can't be removed harms nobody.
pub(super) fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "a draft's folder stays");
    }
}

/// What a caller is told when a file of the store can't be used.
pub(super) fn refused(error: FileError) -> ErrorBody {
    match error {
        FileError::Io { action, path, source } => failed(action, Path::new(&path), &source),
        other => other.into(),
    }
}

pub(super) fn failed(action: &str, path: &Path, error: &std::io::Error) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::Io,
        format!("cannot {action} `{}`: {error}", path.display()),
        "see that the output folder can be written and has room",
    )
}
