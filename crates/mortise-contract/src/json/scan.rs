//! One pass over well-formed JSON text without recursion, and verbatim slices of it.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::RawJson;

/// What one pass over a text found.
pub(super) struct Scan {
    /// Nested containers plus one.
    pub(super) levels: usize,
    /// Number tokens long or exponential enough that a double might not hold them.
    pub(super) candidates: Vec<Range<usize>>,
}

/// Digits that every decimal number may have and still survive a double.
const SAFE_DIGITS: usize = 15;

/// Walks a text that is known to be well-formed.
pub(super) fn scan(text: &str) -> Scan {
    let bytes = text.as_bytes();
    let mut found = Scan { levels: 1, candidates: Vec::new() };
    let mut containers = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(bytes, at);
                continue;
            }
            b'{' | b'[' => {
                containers += 1;
                found.levels = found.levels.max(containers + 1);
            }
            b'}' | b']' => containers = containers.saturating_sub(1),
            b'-' | b'0'..=b'9' => {
                let end = end_of_number(bytes, at);
                let token = &bytes[at..end];
                if token.len() > SAFE_DIGITS || token.iter().any(|b| matches!(b, b'e' | b'E')) {
                    found.candidates.push(at..end);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The offset after the string that starts at `start`.
pub(super) fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The offset after the number that starts at `start`.
pub(super) fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let rest = bytes[start..].iter();
    start + rest.take_while(|b| matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count()
}

/// The members of an object, in order, duplicates kept.
pub(super) fn members(text: &str) -> Result<Vec<(String, RawJson)>, serde_json::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, RawJson)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
                members.push((key, RawJson::from(value)));
            }
            Ok(members)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_map(Members)
}

/// The elements of an array, in order.
pub(super) fn elements(text: &str) -> Result<Vec<RawJson>, serde_json::Error> {
    struct Elements;
    impl<'de> Visitor<'de> for Elements {
        type Value = Vec<RawJson>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = sequence.next_element::<Box<RawValue>>()? {
                elements.push(RawJson::from(element));
            }
            Ok(elements)
        }
    }
    serde_json::Deserializer::from_str(text).deserialize_seq(Elements)
}
