//! Images and sounds that a program gives to its caller, as MCP content blocks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mortise_contract::RawJson;
use serde::{Deserialize, Serialize};

use super::door::Reply;
use super::guest::{Guest, lock_place};
use crate::limits::{Limits, size};

/// The longest media type.
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
}

/// Keeps one block for the caller, or says why not.
pub(super) fn emit(guest: &mut Guest, block: &[u8]) -> Reply {
    match keep(guest, block) {
        Ok(()) => Reply::body([]),
        Err(message) => Reply::failure(message),
    }
}

fn keep(guest: &mut Guest, block: &[u8]) -> Result<(), String> {
    let medium: Medium =
        serde_json::from_slice(block).map_err(|_| "this is not an image or a sound".to_owned())?;
    let function = format!("emit_{}()", medium.kind.word());
    let prefix = format!("{}/", medium.kind.word());
    let subtype = medium.mime_type.strip_prefix(&prefix).unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
    if subtype.is_empty() || !subtype.chars().all(is_plain) || medium.mime_type.len() > LONGEST_TYPE {
        return Err(format!(
            "{function}: `{}` is not a media type that begins with `{prefix}`",
            medium.mime_type
        ));
    }
    let (count, bytes) = {
        let record = guest.trace.record();
        let bytes: usize = record.media.iter().map(|(block, _)| block.text().len()).sum();
        (record.media.len(), bytes)
    };
    let Limits { media: most_bytes, media_blocks: most, .. } = guest.limits;
    if count >= most {
        return Err(format!("{function}: a program can emit {most} images and sounds, and it has"));
    }
    let text = serde_json::to_string(&medium).map_err(|error| error.to_string())?;
    if bytes + text.len() > most_bytes {
        return Err(past(&function, medium.data.len(), bytes, most_bytes));
    }
    if medium.data.is_empty() || STANDARD.decode(&medium.data).is_err() {
        return Err(format!("{function}: the data is not Base64"));
    }
    let block = RawJson::parse(&text).map_err(|error| error.to_string())?;
    let charge = lock_place(&guest.limiter.place).account().keep(text.len() as u64);
    let charge = charge.map_err(|why| format!("{function}: the data can't be kept: {why}"))?;
    guest.trace.record().media.push((block, charge));
    Ok(())
}

/// The sentence about data that is too much.
pub(super) fn past(function: &str, bytes: usize, emitted: usize, most: usize) -> String {
    format!(
        "{function}: the data is {} of Base64 and {} are emitted already; the limit is {} for all images and sounds of \
         a program: emit a smaller one, or fewer",
        size(bytes as u64),
        size(emitted as u64),
        size(most as u64),
    )
}
