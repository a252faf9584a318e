//! Entries as the database keeps them: JSON, with large values taken out and kept by their digest.

use std::collections::BTreeMap;

use mortise_contract::RawJson;
use mortise_contract::text::hex;
use mortise_executor::journal::{RunBegun, RunEntry};
use serde_json::Error as JsonFault;
use sha2::{Digest, Sha256};

use crate::limits::CONTENT_BYTES;

/// JSON, and what was taken out of it.
#[derive(Debug)]
pub(crate) struct StoredJson {
    pub(crate) json: String,
    pub(crate) parts: Vec<TakenPart>,
}

/// A value that is kept outside of its entry.
#[derive(Debug)]
pub(crate) struct TakenPart {
    /// Where it belongs, such as `arguments` or `files.2`.
    name: String,
    pub(crate) digest: [u8; 32],
    pub(crate) content: String,
}

/// A value of an entry that may be large.
pub(crate) enum LargeValue<'a> {
    Text(&'a mut String),
    Json(&'a mut RawJson),
}

/// Something with values that may be large. Every value has a name that never changes, since the database has it.
pub(crate) trait LargeValues: serde::Serialize + serde::de::DeserializeOwned {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, LargeValue<'_>));
}

impl StoredJson {
    /// Takes the large values out and writes the rest.
    pub(crate) fn of(mut entry: impl LargeValues) -> Result<Self, JsonFault> {
        // Not `null`: an optional value would read that as none.
        let stand_in: RawJson = serde_json::from_str("false")?;
        let mut parts = Vec::new();
        entry.visit(&mut |name, value| {
            if value.len() <= CONTENT_BYTES && !value.is_null() {
                return;
            }
            let content = match value {
                LargeValue::Text(text) => std::mem::take(text),
                LargeValue::Json(json) => std::mem::replace(json, stand_in.clone()).text().to_owned(),
            };
            parts.push(TakenPart { name: name.to_owned(), digest: digest_of(content.as_bytes()), content });
        });
        Ok(Self { json: serde_json::to_string(&entry)?, parts })
    }

    /// The names and digests of what was taken out, as the database has them.
    pub(crate) fn part_list(&self) -> Option<String> {
        let names: BTreeMap<&str, String> =
            self.parts.iter().map(|part| (part.name.as_str(), hex(&part.digest))).collect();
        if names.is_empty() { None } else { serde_json::to_string(&names).ok() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.json.len() + self.parts.iter().map(|part| part.content.len()).sum::<usize>()
    }
}

/// Reads an entry, and puts back what was taken out. `content` finds it by its digest in hexadecimal digits.
pub(crate) fn restore<T: LargeValues>(
    json: &str,
    part_list: Option<&str>,
    mut content: impl FnMut(&str) -> Result<String, String>,
) -> Result<T, String> {
    let mut entry: T = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let Some(part_list) = part_list else { return Ok(entry) };
    let mut parts: BTreeMap<String, String> =
        serde_json::from_str(part_list).map_err(|error| error.to_string())?;
    let mut fault = None;
    entry.visit(&mut |name, value| {
        let Some(digest) = parts.remove(name) else { return };
        if let Err(reason) = content(&digest).and_then(|content| put_back(value, content)) {
            fault.get_or_insert(format!("`{name}`: {reason}"));
        }
    });
    if let Some(name) = parts.into_keys().next() {
        fault.get_or_insert(format!("`{name}` has no place in it"));
    }
    fault.map_or(Ok(entry), Err)
}

fn put_back(value: LargeValue<'_>, content: String) -> Result<(), String> {
    match value {
        LargeValue::Text(text) => *text = content,
        LargeValue::Json(json) => *json = RawJson::parse(&content).map_err(|error| error.to_string())?,
    }
    Ok(())
}

pub(crate) fn digest_of(content: &[u8]) -> [u8; 32] {
    Sha256::digest(content).into()
}

/// What an entry takes while it waits to be written, without what all entries take.
pub(crate) fn large_bytes(entry: &mut impl LargeValues) -> usize {
    let mut bytes = 0;
    entry.visit(&mut |_, value| bytes += value.len());
    bytes
}

impl LargeValue<'_> {
    /// Whether it is the JSON `null`, which an optional value would read as none.
    fn is_null(&self) -> bool {
        matches!(self, Self::Json(json) if json.text() == "null")
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Json(json) => json.text().len(),
        }
    }
}

impl LargeValues for RunBegun {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, LargeValue<'_>)) {
        visit("source", LargeValue::Text(&mut self.source));
        for (index, argument) in self.arguments.iter_mut().enumerate() {
            visit(&format!("arguments.{index}"), LargeValue::Text(argument));
        }
        for (index, file) in self.files.iter_mut().enumerate() {
            if let Some(content) = &mut file.content {
                visit(&format!("files.{index}"), LargeValue::Text(content));
            }
        }
    }
}

impl LargeValues for RunEntry {
    fn visit(&mut self, visit: &mut dyn FnMut(&str, LargeValue<'_>)) {
        match self {
            Self::Started(start) => visit("message", LargeValue::Text(&mut start.message)),
            Self::Call(call) => visit("arguments", LargeValue::Json(&mut call.arguments)),
            Self::Answer(answer) => match &mut answer.answer {
                Ok(value) => visit("value", LargeValue::Json(&mut value.json)),
                Err(error) => {
                    visit("message", LargeValue::Text(&mut error.message));
                    if let Some(said) = &mut error.said {
                        visit("said", LargeValue::Text(said));
                    }
                    if let Some(structured) = &mut error.structured {
                        visit("structured", LargeValue::Json(structured));
                    }
                    if let Some(content) = &mut error.content {
                        visit("content", LargeValue::Json(content));
                    }
                }
            },
            Self::Event(event) => {
                if let mortise_script::HostAction::Replied(reply) = &mut event.what {
                    visit("reply", LargeValue::Text(&mut reply.body));
                }
            }
            Self::Printed(text) => visit("printed", LargeValue::Text(text)),
            Self::Asked(json) => visit("asked", LargeValue::Json(json)),
            Self::Decided(json) => visit("decided", LargeValue::Json(json)),
            Self::Ended(end) => {
                visit("output", LargeValue::Text(&mut end.output));
                if let Some(emitted) = &mut end.emitted {
                    visit("emitted", LargeValue::Json(emitted));
                }
                for (index, block) in end.media.iter_mut().enumerate() {
                    visit(&format!("media.{index}"), LargeValue::Json(block));
                }
                if let Some(error) = &mut end.error {
                    visit("error", LargeValue::Text(error));
                }
            }
            Self::Resumed { .. } | Self::Stopped { .. } | Self::Waiting { .. } => {}
        }
    }
}
