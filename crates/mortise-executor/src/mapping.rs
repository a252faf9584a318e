//! What a program gets for a tool's result.
//!
//! A program wants the value, not the envelope: the structured content or the
//! JSON that a text holds, with everything that does not fit beside it in
//! `_notes`. Nothing passes through a float: the value is the server's own text.

use mortise_contract::json::JsonKind;
use mortise_contract::result::{ContentBlock, ContentKind};
use mortise_contract::unwrap::{self, Evidence};
use mortise_contract::{Contract, RawJson, ToolResult};
use serde_json::Value;

/// A result as a program sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapped {
    /// The call returned a value.
    Value(ScriptValue),
    /// The tool said that it failed; the program gets an exception.
    ToolError {
        /// The texts of the result joined by a space, or `no details`.
        text: String,
        /// Its structured content, if there is any.
        structured: Option<RawJson>,
    },
}

/// The value of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptValue {
    /// The value, in the server's own digits and key order.
    pub json: RawJson,
    /// Why an inner value was taken out of `{"result": …}`, if it was.
    pub unwrapped: Option<Evidence>,
}

/// Maps a result; `contract` is what its tool declared.
pub fn script_value(contract: &Contract, result: &ToolResult) -> Mapped {
    if result.is_error {
        let texts: Vec<&str> = result.texts().filter(|text| !text.trim().is_empty()).collect();
        let text = if texts.is_empty() { "no details".to_owned() } else { texts.join(" ") };
        return Mapped::ToolError { text, structured: result.structured.clone() };
    }
    let mut notes: Vec<String> = Vec::new();
    let (value, unwrapped) = match &result.structured {
        Some(structured) => from_structured(contract, result, structured, &mut notes),
        None => (from_texts(result, &mut notes), None),
    };
    notes.extend(result.content.iter().filter_map(omitted));
    let json = with_notes(value, &notes, &resources(result));
    Mapped::Value(ScriptValue { json, unwrapped })
}

/// The structured value, unwrapped where there is evidence; texts that say something else become notes.
fn from_structured(
    contract: &Contract,
    result: &ToolResult,
    structured: &RawJson,
    notes: &mut Vec<String>,
) -> (RawJson, Option<Evidence>) {
    let inner = sole_member(structured);
    let texts: Vec<&str> = result.texts().collect();
    let is_value =
        |text: &str| says(text, structured) || inner.as_ref().is_some_and(|inner| says(text, inner));
    if !spell(&texts, inner.as_ref().unwrap_or(structured)) {
        notes.extend(texts.into_iter().filter(|text| !is_value(text)).map(str::to_owned));
    }
    let evidence = unwrap::evidence(contract, result);
    match (evidence, structured.member("result")) {
        (Some(evidence), Some(inner)) => (decode(inner), Some(evidence)),
        _ => (structured.clone(), None),
    }
}

/// The value of an object's only member.
fn sole_member(value: &RawJson) -> Option<RawJson> {
    match value.members().ok()?.as_slice() {
        [(_, only)] => Some(only.clone()),
        _ => None,
    }
}

/// Whether a text is the JSON of `value`, or the very string that `value` is.
fn says(text: &str, value: &RawJson) -> bool {
    if value.kind() == JsonKind::String && value.value().is_ok_and(|value| value.as_str() == Some(text)) {
        return true;
    }
    let Ok(parsed) = RawJson::parse(text.trim()) else { return false };
    parsed == *value || matches!((parsed.value(), value.value()), (Ok(parsed), Ok(value)) if parsed == value)
}

/// Whether the texts are the elements of a list one by one, as the official Python server writes lists.
fn spell(texts: &[&str], value: &RawJson) -> bool {
    if texts.is_empty() || value.kind() != JsonKind::Array {
        return false;
    }
    let Ok(elements) = value.elements() else { return false };
    elements.len() == texts.len() && texts.iter().zip(&elements).all(|(text, element)| says(text, element))
}

/// The JSON inside an unwrapped string, where the string is itself JSON.
fn decode(inner: RawJson) -> RawJson {
    match inner.value() {
        Ok(Value::String(text)) => container(&text).unwrap_or(inner),
        _ => inner,
    }
}

/// A text that is a JSON object or array.
fn container(text: &str) -> Option<RawJson> {
    readable(text).filter(|json| matches!(json.kind(), JsonKind::Object | JsonKind::Array))
}

/// A text that is JSON within the depth that a program can take.
fn readable(text: &str) -> Option<RawJson> {
    RawJson::parse(text.trim()).ok().filter(|json| json.value().is_ok())
}

/// The value that the text blocks hold when there is no structured content.
fn from_texts(result: &ToolResult, notes: &mut Vec<String>) -> RawJson {
    let texts: Vec<&str> = result.texts().collect();
    match texts.as_slice() {
        [] => null(),
        [only] => readable(only).unwrap_or_else(|| string(only)),
        several => {
            let parsed: Vec<Option<RawJson>> = several.iter().map(|text| readable(text)).collect();
            let mut found = parsed.iter().flatten();
            if let (Some(value), None) = (found.next(), found.next()) {
                let others = several.iter().zip(&parsed).filter(|(_, json)| json.is_none());
                notes.extend(others.map(|(text, _)| (*text).to_owned()));
                return value.clone();
            }
            let joined = several.join("\n");
            readable(&joined).unwrap_or_else(|| string(&joined))
        }
    }
}

/// The note for a block that a program can't have as a value.
fn omitted(block: &ContentBlock) -> Option<String> {
    let what = match &block.kind {
        ContentKind::Text(_) => return None,
        ContentKind::Image { mime_type, .. } => format!("image ({mime_type})"),
        ContentKind::Audio { mime_type, .. } => format!("audio ({mime_type})"),
        ContentKind::Resource { .. } if embedded_text(block).is_some() => return None,
        ContentKind::Resource { mime_type, .. } => {
            format!("resource ({})", mime_type.as_deref().unwrap_or("unknown type"))
        }
        ContentKind::ResourceLink { uri } => return Some(format!("[resource link: {uri}]")),
        ContentKind::Other { kind } if kind.is_empty() => "block without a type".to_owned(),
        ContentKind::Other { kind } => format!("{kind} block"),
    };
    Some(format!("[non-text content omitted: {what}]"))
}

/// Embedded resources that are text, each as `{uri, mimeType?, text}` verbatim.
fn resources(result: &ToolResult) -> Vec<RawJson> {
    result.content.iter().filter_map(embedded_text).collect()
}

fn embedded_text(block: &ContentBlock) -> Option<RawJson> {
    let ContentKind::Resource { .. } = block.kind else { return None };
    let resource = block.raw.member("resource")?;
    resource.member("text").is_some_and(|text| text.kind() == JsonKind::String).then_some(resource)
}

/// Puts notes and resources beside the value: into an object, or around anything else.
fn with_notes(value: RawJson, notes: &[String], resources: &[RawJson]) -> RawJson {
    if notes.is_empty() && resources.is_empty() {
        return value;
    }
    let taken =
        |members: &[(String, RawJson)]| members.iter().any(|(key, _)| key == "_notes" || key == "_resources");
    let mut members = match value.members() {
        Ok(members) if !taken(&members) => members,
        _ => vec![("data".to_owned(), value)],
    };
    if !notes.is_empty() {
        let notes: Vec<RawJson> = notes.iter().map(|note| string(note)).collect();
        members.push(("_notes".to_owned(), array(&notes)));
    }
    if !resources.is_empty() {
        members.push(("_resources".to_owned(), array(resources)));
    }
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}:{}", string(key).text(), value.text())).collect();
    built(&format!("{{{}}}", members.join(",")))
}

fn array(items: &[RawJson]) -> RawJson {
    let texts: Vec<&str> = items.iter().map(RawJson::text).collect();
    built(&format!("[{}]", texts.join(",")))
}

fn string(text: &str) -> RawJson {
    built(&Value::from(text).to_string())
}

fn null() -> RawJson {
    built("null")
}

/// JSON put together from parts that are JSON.
fn built(text: &str) -> RawJson {
    #[expect(
        clippy::expect_used,
        reason = "every part is JSON already, and joining them with JSON punctuation is JSON"
    )]
    RawJson::parse(text).expect("JSON built from JSON parts")
}

#[cfg(test)]
mod tests;
