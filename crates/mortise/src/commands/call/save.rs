//! Images, sounds and other bytes of a result, written to files.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_contract::result::{ContentBlock, ContentKind};
use mortise_contract::{ToolName, ToolResult};
use serde_json::Value;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::units;

/// Bytes that a result holds.
struct SavedBytes {
    mime_type: String,
    data: Vec<u8>,
}

/// Writes the bytes of a result to `path`: a folder, or the name of the first file.
pub(super) fn save(app: &App, path: &Path, tool: &ToolName, result: &ToolResult) -> Result<(), Failure> {
    let found: Vec<SavedBytes> = result.content.iter().filter_map(bytes).collect();
    if found.is_empty() {
        app.terminal.note("nothing was saved: the result holds no image, no sound and no other bytes");
        return Ok(());
    }
    let is_folder = path.is_dir() || path.to_string_lossy().ends_with('/');
    for (index, bytes) in found.iter().enumerate() {
        let target = match is_folder {
            true => free(path, &file_name(tool.as_str()), extension(&bytes.mime_type)),
            false => numbered(path, index),
        };
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let written = folder
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&target, &bytes.data));
        written.map_err(|error| {
            Failure::new(Exit::Usage, format!("cannot write `{}`", target.display())).because(&error)
        })?;
        let size = units::size(bytes.data.len() as u64);
        app.terminal.note(&format!("saved `{}`: {}, {size}", target.display(), bytes.mime_type));
    }
    Ok(())
}

/// What a block holds in base64.
fn bytes(block: &ContentBlock) -> Option<SavedBytes> {
    let value = block.raw.value().ok()?;
    let (holder, data) = match &block.kind {
        ContentKind::Image { .. } | ContentKind::Audio { .. } => (&value, value.get("data")?),
        ContentKind::Resource { .. } => {
            let resource = value.get("resource")?;
            (resource, resource.get("blob")?)
        }
        _ => return None,
    };
    let mime_type = holder.get("mimeType").and_then(Value::as_str).unwrap_or("application/octet-stream");
    Some(SavedBytes { mime_type: mime_type.to_owned(), data: STANDARD.decode(data.as_str()?.trim()).ok()? })
}

/// The end of a file's name for a media type.
fn extension(mime_type: &str) -> &str {
    let kind = mime_type.split(';').next().unwrap_or(mime_type).trim();
    match kind.rsplit('/').next().unwrap_or_default() {
        "jpeg" => "jpg",
        "svg+xml" => "svg",
        "mpeg" => "mp3",
        "x-wav" | "wave" => "wav",
        "plain" => "txt",
        "octet-stream" | "" => "bin",
        other if other.chars().all(|c| c.is_ascii_alphanumeric()) => other,
        _ => "bin",
    }
}

/// A tool's name without what does not belong into the name of a file.
fn file_name(tool: &str) -> String {
    tool.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect()
}

/// `NAME.png`, `NAME-2.png`: the first that is not there yet.
fn free(folder: &Path, name: &str, extension: &str) -> PathBuf {
    let mut number = 1;
    loop {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{name}{suffix}.{extension}"));
        if path.symlink_metadata().is_err() {
            return path;
        }
        number += 1;
    }
}

/// The path itself, then `NAME-2.png`, `NAME-3.png`.
fn numbered(path: &Path, index: usize) -> PathBuf {
    if index == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map(|end| format!(".{}", end.to_string_lossy())).unwrap_or_default();
    path.with_file_name(format!("{stem}-{}{extension}", index + 1))
}

#[cfg(test)]
mod tests;
