//! The files of a draft on disk.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use mortise_contract::format::{ErrorBody, ErrorCode};
use sha2::{Digest as _, Sha256};

use super::manifest::DraftEntry;

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

/// Writes the files into a new folder.
pub(super) fn write(folder: &Path, files: &[(String, String)]) -> Result<(), ErrorBody> {
    let refused = |error: &std::io::Error| failed("write", folder, error);
    fs::create_dir_all(folder).map_err(|error| refused(&error))?;
    for (name, content) in files {
        let plain = Path::new(name).file_name().is_some_and(|last| last == name.as_str());
        if !plain {
            let reason = format!("`{name}` is no name for a file of a draft");
            return Err(ErrorBody::new(ErrorCode::Internal, reason, "report this"));
        }
        fs::write(folder.join(name), content).map_err(|error| refused(&error))?;
    }
    Ok(())
}

/// The files as they are now.
pub(super) fn read(folder: &Path, entry: &DraftEntry) -> Result<Vec<(String, String)>, ErrorBody> {
    let one = |name: &String| {
        let path = folder.join(name);
        let size = fs::symlink_metadata(&path).map_err(|error| failed("read", &path, &error))?;
        if !size.is_file() || size.len() > LARGEST {
            let reason = format!("`{}` is no file of a draft any more", path.display());
            return Err(ErrorBody::new(ErrorCode::DraftState, reason, "generate the draft again")
                .at_field("draft_id"));
        }
        let content = fs::read_to_string(&path).map_err(|error| failed("read", &path, &error))?;
        Ok((name.clone(), content))
    };
    entry.files.iter().map(one).collect()
}

/// The texts of the files of a folder with this ending, by name. What can't be read is left out.
pub(super) fn texts(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

/// Removes a draft's folder. One that can't be removed harms nobody.
pub(super) fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "a draft's folder stays");
    }
}

/// Replaces a file in one step.
pub(super) fn replace(path: &Path, content: &[u8]) -> Result<(), ErrorBody> {
    let refused = |error: std::io::Error| failed("write", path, &error);
    let temporary = path.with_extension("part");
    let mut file = fs::File::create(&temporary).map_err(refused)?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(refused)?;
    fs::rename(&temporary, path).map_err(refused)
}

pub(super) fn failed(action: &str, path: &Path, error: &std::io::Error) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::Io,
        format!("cannot {action} `{}`: {error}", path.display()),
        "see that the output folder can be written and has room",
    )
}
