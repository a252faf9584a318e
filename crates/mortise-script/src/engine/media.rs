//! Images and sounds that a program gives to its caller, as MCP content blocks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_contract::RawJson;
use serde::{Deserialize, Serialize};

use super::door::DoorReply;
use super::guest::Guest;
use super::operations;
use crate::capacity::NoMemory;
use crate::limits::{Limits, size};

const LONGEST_TYPE: usize = 128;

/// A block as the boot code makes it and as the caller gets it. A program can send others, so every part is checked:
/// clients refuse a whole result for one block that they can't read.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Medium {
    #[serde(rename = "type")]
    kind: MediumKind,
    #[serde(rename = "mimeType")]
    mime_type: String,
    data: String,
}

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum MediumKind {
    Image,
    Audio,
}

impl MediumKind {
    fn word(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
        }
    }

    fn function(self) -> &'static str {
        match self {
            Self::Image => "emit_image()",
            Self::Audio => "emit_audio()",
        }
    }
}

/// Keeps one block for the caller, or says why not.
pub(super) fn emit(guest: &mut Guest, block: &[u8]) -> DoorReply {
    match keep_medium(guest, block) {
        Ok(()) => DoorReply::body([]),
        // Others have the memory, which the next time may be otherwise.
        Err(error @ MediaError::NotKept { .. }) => operations::refused(guest, error.to_string()),
        Err(error) => DoorReply::failure(error.to_string()),
    }
}

/// Why an image or a sound is refused. `function` is what the program called.
#[derive(Debug, thiserror::Error)]
pub(super) enum MediaError {
    #[error("this is not an image or a sound")]
    NotMedium,
    #[error("{function}: `{mime_type}` is not a media type that begins with `{prefix}`")]
    Type { function: &'static str, mime_type: String, prefix: String },
    #[error("{function}: a program can emit {limit} images and sounds, and it has")]
    Count { function: &'static str, limit: usize },
    #[error(
        "{function}: the data is {} of Base64 and {} are emitted already; the limit is {} for all images and sounds of \
         a program: emit a smaller one, or fewer",
        size(*.bytes as u64), size(*.emitted as u64), size(*.limit as u64)
    )]
    TooLong { function: &'static str, bytes: usize, emitted: usize, limit: usize },
    #[error("{function}: the data is not Base64")]
    NotBase64 { function: &'static str },
    #[error("{function}: the data can't be kept: {why}")]
    NotKept { function: &'static str, why: NoMemory },
}

/// The refusal of a request that is longer than any that is read.
pub(super) fn too_long(bytes: usize, limit: usize) -> MediaError {
    MediaError::TooLong { function: "emit_image() or emit_audio()", bytes, emitted: 0, limit }
}

fn keep_medium(guest: &mut Guest, block: &[u8]) -> Result<(), MediaError> {
    let medium: Medium = serde_json::from_slice(block).map_err(|_| MediaError::NotMedium)?;
    let function = medium.kind.function();
    let prefix = format!("{}/", medium.kind.word());
    let subtype = medium.mime_type.strip_prefix(&prefix).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
    if subtype.is_empty() || !subtype.chars().all(is_plain) || medium.mime_type.len() > LONGEST_TYPE {
        return Err(MediaError::Type { function, mime_type: medium.mime_type, prefix });
    }
    let (count, emitted) = {
        let record = guest.trace.record();
        let emitted: usize = record.media.iter().map(|(block, _)| block.text().len()).sum();
        (record.media.len(), emitted)
    };
    let Limits { media: most_bytes, media_blocks: most, .. } = guest.limits;
    if count >= most {
        return Err(MediaError::Count { function, limit: most });
    }
    let block = RawJson::of(&medium).map_err(|_| MediaError::NotMedium)?;
    let bytes = block.text().len();
    if emitted + bytes > most_bytes {
        return Err(MediaError::TooLong { function, bytes: medium.data.len(), emitted, limit: most_bytes });
    }
    if medium.data.is_empty() || STANDARD.decode(&medium.data).is_err() {
        return Err(MediaError::NotBase64 { function });
    }
    let charge = guest.limiter.place.lock().account().keep(bytes as u64);
    let charge = charge.map_err(|why| MediaError::NotKept { function, why })?;
    guest.trace.record().media.push((block, charge));
    Ok(())
}
