//! The one door between a guest and us: a request of bytes, a reply of bytes.
//!
//! The guest's `_bashkit.http(method, url, headers, body, timeout)` ends here. We use it as a plain call: the
//! method names an operation. Anything that looks like HTTP is refused, since programs have no network.

use std::time::Duration;

/// What a guest asks for. Every field is the guest's word.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DoorRequest<'a> {
    pub(super) operation: &'a str,
    pub(super) target: &'a str,
    pub(super) body: &'a [u8],
    pub(super) timeout: Option<Duration>,
}

/// The most header pairs a request may have. Ours have none.
const MOST_HEADERS: u32 = 256;

impl<'a> DoorRequest<'a> {
    /// Reads a request, or `None` if it is not well formed.
    pub(super) fn parse(bytes: &'a [u8], timeout_ms: i64) -> Option<Self> {
        let mut rest = bytes;
        let operation = take_text(&mut rest)?;
        let target = take_text(&mut rest)?;
        let headers = take_number(&mut rest).filter(|count| *count <= MOST_HEADERS)?;
        for _ in 0..headers * 2 {
            take_field(&mut rest)?;
        }
        let body = take_field(&mut rest)?;
        let timeout = u64::try_from(timeout_ms).ok().map(Duration::from_millis);
        rest.is_empty().then_some(Self { operation, target, body, timeout })
    }
}

/// The beginning of a request, of which not more was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DoorRequestHead<'a> {
    pub(super) operation: &'a str,
    pub(super) target: &'a str,
    /// Bytes that the body has.
    pub(super) body: usize,
}

impl<'a> DoorRequestHead<'a> {
    /// Reads the beginning of a request without headers, as ours are; `None` for any other.
    pub(super) fn parse(mut rest: &'a [u8]) -> Option<Self> {
        let operation = take_text(&mut rest)?;
        let target = take_text(&mut rest)?;
        take_number(&mut rest).filter(|headers| *headers == 0)?;
        Some(Self { operation, target, body: take_number(&mut rest)? as usize })
    }
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    let (number, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_le_bytes(*number))
}

fn take_field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_number(rest)? as usize;
    let (field, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(field)
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(take_field(rest)?).ok()
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum DoorReply {
    /// A status, labelled lengths, and a body: `(status, [(label, length)], bytes)` in Python.
    Answer { status: u32, labels: Vec<(String, String)>, body: Vec<u8> },
    /// A `ConnectionError` with this text.
    NoNetwork(&'static str),
    /// A `ValueError` with this text.
    Refused(&'static str),
}

impl DoorReply {
    pub(super) fn body(body: impl Into<Vec<u8>>) -> Self {
        Self::Answer { status: 0, labels: Vec::new(), body: body.into() }
    }

    /// An answer that is a refusal, for the boot code to turn into an exception.
    pub(super) fn failure(body: impl Into<Vec<u8>>) -> Self {
        Self::Answer { status: 1, labels: Vec::new(), body: body.into() }
    }

    /// The code and the bytes for the guest.
    pub(super) fn encode(self) -> (i32, Vec<u8>) {
        match self {
            Self::Answer { status, labels, body } => (0, encode_answer(status, &labels, &body)),
            Self::NoNetwork(text) => (1, text.as_bytes().to_vec()),
            Self::Refused(text) => (3, text.as_bytes().to_vec()),
        }
    }
}

fn encode_answer(status: u32, labels: &[(String, String)], body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len() + 64 * (labels.len() + 1));
    bytes.extend_from_slice(&status.to_le_bytes());
    bytes.extend_from_slice(&number(labels.len()));
    for (name, value) in labels {
        put_field(&mut bytes, name.as_bytes());
        put_field(&mut bytes, value.as_bytes());
    }
    put_field(&mut bytes, body);
    bytes
}

fn put_field(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.extend_from_slice(&number(field.len()));
    bytes.extend_from_slice(field);
}

/// A length as the guest reads it. What we send is far below 4 GiB; a longer one would be cut off by the guest.
fn number(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests;
