//! One JSON-RPC message, checked before anything acts on it.

use std::borrow::Cow;
use std::ops::Range;

use mortise_contract::RawJson;
use mortise_contract::json::JsonError;
use mortise_contract::limits::JSON_DEPTH;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::ProtocolError;
use crate::limits::ID_BYTES;
use crate::members::Members;

/// What a message is, as far as a transport has to know.
#[derive(Debug)]
pub(crate) struct CheckedFrame {
    pub(crate) kind: Kind,
    pub(crate) id: Option<Id>,
    pub(crate) method: Option<String>,
    /// For `tools/call`, the arguments as written.
    pub(crate) arguments: Option<RawJson>,
    /// Where the arguments stand in the message, if they are an object.
    arguments_at: Option<Range<usize>>,
    /// The message with numbers beyond a double's range made the largest double, where there
    /// are any: rmcp would not read it otherwise.
    pub(crate) clamped: Option<String>,
}

impl CheckedFrame {
    /// Whether this answers a request that we never sent: the ids of ours are numbers, and rmcp
    /// would take the string `"5"` for the number 5.
    pub(crate) fn is_foreign_response(&self) -> bool {
        self.kind == Kind::Response && matches!(self.id, Some(Id::Text(_)))
    }

    /// The message for rmcp, with an empty object for the arguments of a call. They come past rmcp, which would parse
    /// them for nothing.
    pub(crate) fn without_arguments<'a>(&'a self, message: &'a [u8]) -> Cow<'a, [u8]> {
        match (&self.clamped, &self.arguments_at) {
            (Some(clamped), _) => Cow::Borrowed(clamped.as_bytes()),
            (None, Some(at)) => Cow::Owned([&message[..at.start], b"{}", &message[at.end..]].concat()),
            (None, None) => Cow::Borrowed(message),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request,
    Notification,
    Response,
}

/// A request id: a number is never the same as its digits in a string.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// A message that is not acted on, and the answer to its sender.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    id: Option<Id>,
    pub(crate) error: Box<ProtocolError>,
}

impl Refusal {
    pub(crate) fn new(id: Option<&Id>, code: i32, message: impl Into<String>) -> Self {
        Self::of(id, ProtocolError::new(code, message))
    }

    pub(crate) fn of(id: Option<&Id>, error: ProtocolError) -> Self {
        Self { id: id.cloned(), error: Box::new(error) }
    }

    pub(crate) fn to_text(&self) -> String {
        let id = match &self.id {
            Some(Id::Number(number)) => json!(number),
            Some(Id::Text(text)) => json!(text),
            None => Value::Null,
        };
        response_text(&id.to_string(), "error", &self.error.to_json().to_string())
    }
}

/// A response whose `member`, `result` or `error`, is this JSON text.
pub(crate) fn response_text(id: &str, member: &str, value: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#)
}

/// Reads the envelope of a message.
pub(crate) fn check_message(bytes: &[u8]) -> Result<CheckedFrame, Refusal> {
    let parse_error = |message: String| Refusal::new(None, ProtocolError::PARSE_ERROR, message);
    let invalid = |id: Option<&Id>, message: &str| Refusal::new(id, ProtocolError::INVALID_REQUEST, message);
    let text = std::str::from_utf8(bytes).map_err(|_| parse_error("the message is not UTF-8".to_owned()))?;
    let outline = Outline::of(text);
    if outline.depth > JSON_DEPTH {
        return Err(parse_error(format!("the message nests deeper than {JSON_DEPTH} levels")));
    }
    if text.trim_start().starts_with('[') {
        return Err(invalid(None, "batches are not supported; send one message at a time"));
    }
    let members = Members::parse(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => invalid(None, &format!("no JSON-RPC message: {error}")),
        _ => parse_error(format!("not JSON: {error}")),
    })?;
    for name in members.names() {
        let lower = name.to_ascii_lowercase();
        if lower != name && ["jsonrpc", "id", "method", "params", "result", "error"].contains(&lower.as_str())
        {
            return Err(invalid(None, &format!("`{name}` is written `{lower}`")));
        }
    }
    let id =
        members.get("id").map(|id| read_id(id.get())).transpose().map_err(|reason| invalid(None, reason))?;
    if members.get("jsonrpc").map(|version| version.get()) != Some("\"2.0\"") {
        return Err(invalid(id.as_ref(), "`jsonrpc` must be \"2.0\""));
    }
    let clamped = clamp(text, &outline)
        .map_err(|error| Refusal::new(id.as_ref(), ProtocolError::PARSE_ERROR, error.to_string()))?;
    let (result, error) = (members.get("result").is_some(), members.get("error").is_some());
    let Some(method) = members.get("method") else {
        return match (id, result, error) {
            (id @ Some(_), true, false) | (id, false, true) => {
                let (kind, method, arguments) = (Kind::Response, None, None);
                Ok(CheckedFrame { kind, id, method, arguments, arguments_at: None, clamped })
            }
            (id, true, true) => Err(invalid(id.as_ref(), "a response has `result` or `error`, not both")),
            (id, ..) => Err(invalid(id.as_ref(), "the message has no `method`")),
        };
    };
    let method: String =
        serde_json::from_str(method.get()).map_err(|_| invalid(id.as_ref(), "`method` must be a string"))?;
    if result || error {
        return Err(invalid(id.as_ref(), "a message with `method` has neither `result` nor `error`"));
    }
    let params = members.get("params").map_or("{}", |params| params.get());
    if !params.starts_with('{') {
        return Err(invalid(id.as_ref(), "`params` must be an object"));
    }
    let written = if method == "tools/call" { arguments(params, id.as_ref())? } else { None };
    let arguments_at = written.filter(|written| written.starts_with('{')).map(|written| {
        let start = written.as_ptr().addr() - text.as_ptr().addr();
        start..start + written.len()
    });
    let arguments = written.map(RawJson::parse).transpose().map_err(|error| unusable(id.as_ref(), &error))?;
    let kind = if id.is_some() { Kind::Request } else { Kind::Notification };
    Ok(CheckedFrame { kind, id, method: Some(method), arguments, arguments_at, clamped })
}

/// `None` when the text is readable as it is.
fn clamp(text: &str, outline: &Outline) -> Result<Option<String>, JsonError> {
    if outline.is_plain || serde_json::from_str::<Value>(text).is_ok() {
        return Ok(None);
    }
    let value = RawJson::parse(text)?.value()?;
    Ok(Some(value.to_string()))
}

/// The text of the arguments inside `params`.
fn arguments<'a>(params: &'a str, id: Option<&Id>) -> Result<Option<&'a str>, Refusal> {
    let members = Members::parse(params).map_err(|error| unusable(id, &error))?;
    Ok(members.get("arguments").map(RawValue::get))
}

fn unusable(id: Option<&Id>, error: &dyn std::fmt::Display) -> Refusal {
    let message = format!("unusable `params` of `tools/call`: {error}");
    Refusal::new(id, ProtocolError::INVALID_PARAMS, message)
}

fn read_id(text: &str) -> Result<Id, &'static str> {
    if text.starts_with('"') {
        // Escapes only make the text longer, so this bounds what is unescaped.
        if text.len() > ID_BYTES * 6 + 2 {
            return Err("the `id` is longer than 256 bytes");
        }
        let id: String = serde_json::from_str(text).map_err(|_| "the `id` is unusable")?;
        return if id.len() <= ID_BYTES {
            Ok(Id::Text(id))
        } else {
            Err("the `id` is longer than 256 bytes")
        };
    }
    text.parse().map(Id::Number).map_err(|_| "the `id` must be a string or an integer of at most 64 bits")
}

/// What one pass over the bytes of a message shows; needs no stack and no well-formed text.
struct Outline {
    /// Brackets that are open at once, at most.
    depth: usize,
    /// No number can be beyond the range of a double, and no string has a Unicode escape: what is well-formed can be
    /// read.
    is_plain: bool,
}

impl Outline {
    /// A shorter number without exponent is in the range of a double.
    const SAFE_DIGITS: usize = 300;

    fn of(text: &str) -> Self {
        let mut outline = Self { depth: 0, is_plain: true };
        let (mut open, mut digits) = (0usize, 0usize);
        let (mut in_string, mut escaped) = (false, false);
        for byte in text.bytes() {
            if in_string {
                match byte {
                    _ if escaped => {
                        outline.is_plain &= byte != b'u';
                        escaped = false;
                    }
                    b'\\' => escaped = true,
                    b'"' => in_string = false,
                    _ => {}
                }
                continue;
            }
            let ends_number = matches!(byte, b'e' | b'E') && digits > 0;
            digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
            outline.is_plain &= !ends_number && digits < Self::SAFE_DIGITS;
            match byte {
                b'"' => in_string = true,
                b'{' | b'[' => {
                    open += 1;
                    outline.depth = outline.depth.max(open);
                }
                b'}' | b']' => open = open.saturating_sub(1),
                _ => {}
            }
        }
        outline
    }
}

#[cfg(test)]
mod tests;
