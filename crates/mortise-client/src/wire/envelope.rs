//! The outer shape of a JSON-RPC message, read without touching what is inside.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::event::FaultKind;

/// The longest id we accept, in bytes of its JSON text.
const MAX_ID_BYTES: usize = 256;

/// One message of a server.
#[derive(Debug)]
pub(crate) enum Envelope<'a> {
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    Response { id: ResponseId, body: ResponseBody<'a> },
    Batch(Vec<&'a RawValue>),
}

/// What an answer holds.
#[derive(Debug)]
pub(crate) enum ResponseBody<'a> {
    Result(&'a RawValue),
    Error(&'a RawValue),
    Both,
    Neither,
}

/// The id of an answer, as far as it can be one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResponseId {
    /// Ours are whole numbers.
    Number(u64),
    /// `null`: the server could not read our id.
    Null,
    /// Well-formed, but never ours.
    Foreign,
}

/// A message with a part that is out of order, but not so that it must be thrown away.
pub(crate) struct Parsed<'a> {
    pub(crate) envelope: Envelope<'a>,
    pub(crate) has_version: bool,
}

#[derive(Deserialize)]
struct EnvelopeMembers<'a> {
    #[serde(default, borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Keeps `null` apart from absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads the envelope of `text`. The error says which kind of fault it is.
pub(crate) fn parse(text: &str) -> Result<Parsed<'_>, FaultKind> {
    let trimmed = text.trim_start_matches([' ', '\t', '\r', '\n']);
    if trimmed.starts_with('[') {
        let items: Vec<&RawValue> = serde_json::from_str(trimmed).map_err(|_| FaultKind::NotJson)?;
        return Ok(Parsed { envelope: Envelope::Batch(items), has_version: true });
    }
    let members: EnvelopeMembers<'_> =
        serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => FaultKind::NotAMessage,
            _ => FaultKind::NotJson,
        })?;
    let has_version = members.jsonrpc.as_deref() == Some("2.0");
    Ok(Parsed { envelope: classify(members)?, has_version })
}

fn classify(members: EnvelopeMembers<'_>) -> Result<Envelope<'_>, FaultKind> {
    let Some(method) = members.method else {
        return match (members.result, members.error, members.id) {
            (None, None, None) => Err(FaultKind::NotAMessage),
            (result, error, id) => Ok(Envelope::Response { id: response_id(id)?, body: body(result, error) }),
        };
    };
    match members.id {
        None => Ok(Envelope::Notification { method, params: members.params }),
        Some(id) if is_request_id(id.get()) => Ok(Envelope::Request { id, method, params: members.params }),
        Some(_) => Err(FaultKind::BadId),
    }
}

fn body<'a>(result: Option<&'a RawValue>, error: Option<&'a RawValue>) -> ResponseBody<'a> {
    // Some servers send the unused member as null.
    let unused = |raw: &&RawValue| raw.get() != "null";
    match (result, error.filter(unused)) {
        (Some(result), None) => ResponseBody::Result(result),
        (result, Some(error)) if result.filter(unused).is_none() => ResponseBody::Error(error),
        (Some(_), Some(_)) => ResponseBody::Both,
        (None, _) => ResponseBody::Neither,
    }
}

fn is_request_id(text: &str) -> bool {
    text.len() <= MAX_ID_BYTES && (text.starts_with('"') || text.parse::<i64>().is_ok())
}

fn response_id(id: Option<&RawValue>) -> Result<ResponseId, FaultKind> {
    let Some(text) = id.map(RawValue::get) else {
        return Ok(ResponseId::Null);
    };
    if text == "null" {
        return Ok(ResponseId::Null);
    }
    if text.len() > MAX_ID_BYTES {
        return Err(FaultKind::BadId);
    }
    if let Some(string) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        // A number of ours as a string answers nothing, but shows which request was meant.
        return if string.parse::<u64>().is_ok() { Err(FaultKind::BadId) } else { Ok(ResponseId::Foreign) };
    }
    match text.parse::<u64>() {
        Ok(number) => Ok(ResponseId::Number(number)),
        Err(_) if text.parse::<i64>().is_ok() => Ok(ResponseId::Foreign),
        Err(_) => Err(FaultKind::BadId),
    }
}

#[cfg(test)]
mod tests;
