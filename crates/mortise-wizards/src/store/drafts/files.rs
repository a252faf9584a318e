//! The files of a draft on disk.

use std::io::{self, Write as _};

use mortise_contract::text::hex;
use mortise_formats::format::{ErrorBody, ErrorCode};
use sha2::{Digest as _, Sha256};

use super::manifest::DraftEntry;
use crate::data::files::FileError;
use crate::data::files::folder::{Folder, is_plain_name};

/// Bytes of the largest file of a draft.
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
    hex(&digest.finalize())
}

/// Writes the files into a new folder of `parent`.
pub(super) fn write_draft(parent: &Folder, name: &str, files: &[(String, String)]) -> Result<(), ErrorBody> {
    let path = parent.path().join(name);
    let failed = |error| FileError::io("write", path.to_string_lossy(), error);
    if parent.has(name.as_ref()) {
        return Err(failed(io::ErrorKind::AlreadyExists.into()).into());
    }
    let folder = parent.make_inner(name.as_ref())?;
    for (name, content) in files {
        if !is_plain_name(name) {
            let reason = format!("`{name}` is not a name for a file of a draft");
            return Err(ErrorBody::new(ErrorCode::Internal, reason, "report this"));
        }
        folder.create(name.as_ref())?.write_all(content.as_bytes()).map_err(failed)?;
    }
    Ok(())
}

/// Reads a draft's files as they are now.
pub(super) fn read_draft(parent: &Folder, entry: &DraftEntry) -> Result<Vec<(String, String)>, ErrorBody> {
    let folder = parent.inner(entry.id.as_ref())?;
    let read_one = |name: &String| {
        let gone = || {
            let path = parent.path().join(&entry.id).join(name);
            let reason = format!("`{}` is not a file of a draft any more", path.display());
            ErrorBody::new(ErrorCode::DraftState, reason, "generate the draft again").at_field("draft_id")
        };
        let content = match folder.as_ref().map(|folder| folder.read(name.as_ref(), LARGEST)) {
            Some(Err(FileError::NotRegular { .. } | FileError::Io { .. })) => None,
            read => read.transpose()?.flatten(),
        };
        let text = content.and_then(|content| String::from_utf8(content).ok()).ok_or_else(gone)?;
        Ok((name.clone(), text))
    };
    entry.files.iter().map(read_one).collect()
}

/// The content of a folder's files with this ending, by name. What can't be read is left out.
pub(super) fn texts_with_ending(folder: &Folder, ending: &str) -> Vec<String> {
    let entries = folder.entries().into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|(name, _)| name).collect();
    names.retain(|name| name.to_string_lossy().ends_with(ending));
    names.sort();
    let text = |name| String::from_utf8(folder.read(name, LARGEST).ok()??).ok();
    names.iter().filter_map(|name| text(name)).collect()
}

/// Removes a draft's folder. A folder that stays does no harm.
pub(super) fn remove_draft(parent: &Folder, name: &str) {
    if let Err(error) = parent.remove_tree(name.as_ref())
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %parent.path().join(name).display(), %error, "a draft's folder stays");
    }
}
