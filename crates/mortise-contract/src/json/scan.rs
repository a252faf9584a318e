//! One pass over well-formed JSON text without recursion, and verbatim slices of it.

use std::ops::Range;

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

/// The offset after the value that starts at `start`.
pub(super) fn end_of_value(bytes: &[u8], start: usize) -> usize {
    let mut open = 0usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'{' | b'[' => {
                open += 1;
                at += 1;
                continue;
            }
            b'}' | b']' => {
                open = open.saturating_sub(1);
                at += 1;
            }
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            _ => at = end_of_scalar(bytes, at),
        }
        if open == 0 {
            return at;
        }
    }
    bytes.len()
}

/// The offset after a number or a word.
fn end_of_scalar(bytes: &[u8], start: usize) -> usize {
    let is_inside = |byte: &&u8| !matches!(**byte, b',' | b':' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
    start + bytes[start..].iter().take_while(is_inside).count().max(1)
}

/// The offset of the next byte that is neither white space nor punctuation between values.
pub(super) fn next_value(bytes: &[u8], start: usize) -> usize {
    let is_between = |byte: &&u8| matches!(**byte, b',' | b':' | b' ' | b'\n' | b'\r' | b'\t');
    start + bytes.get(start..).unwrap_or_default().iter().take_while(is_between).count()
}

/// The members of an object that is known to be well-formed, in order, duplicates kept. Fails for a key that is not
/// Unicode.
pub(super) fn members(text: &str) -> Result<Vec<(String, Range<usize>)>, serde_json::Error> {
    let bytes = text.as_bytes();
    let mut members = Vec::new();
    let mut at = next_value(bytes, 1);
    while bytes.get(at) == Some(&b'"') {
        let end = end_of_string(bytes, at);
        let key = &text[at..end];
        let key = match key.contains('\\') {
            true => serde_json::from_str(key)?,
            false => key[1..key.len() - 1].to_owned(),
        };
        let start = next_value(bytes, end);
        let end = end_of_value(bytes, start);
        members.push((key, start..end));
        at = next_value(bytes, end);
    }
    Ok(members)
}

/// The elements of an array that is known to be well-formed, in order.
pub(super) fn elements(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut elements = Vec::new();
    let mut at = next_value(bytes, 1);
    while bytes.get(at).is_some_and(|byte| *byte != b']') {
        let end = end_of_value(bytes, at);
        elements.push(at..end);
        at = next_value(bytes, end);
    }
    elements
}
