//! Hiding inside JSON, so that it stays JSON.

use super::{Form, HIDDEN};

/// A well-formed text with `hide` done in its strings, keys and numbers, but for what is of its
/// form; `None` where there is nothing to hide.
///
/// `hide` gets a string as it reads and gives back one that is changed.
pub(super) fn hidden(text: &str, form: &Form, hide: impl Fn(&str) -> Option<String>) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    // Up to where `text` is in `out`.
    let mut copied = 0;
    let mut at = 0;
    // The key whose value comes next.
    let mut key = None;
    while let Some(&byte) = bytes.get(at) {
        let (end, changed) = match byte {
            b'"' => {
                let end = end_of_string(bytes, at);
                let token = text.get(at..end).unwrap_or_default();
                let inner = inner(token);
                key = is_key(bytes, end).then_some(inner);
                (end, if form.words.contains(inner) { None } else { in_string(inner, &hide) })
            }
            b'-' | b'0'..=b'9' => {
                let end = at + bytes[at..].iter().take_while(|byte| is_of_number(**byte)).count();
                let is_kept = key.take().is_some_and(|key| form.numbers.contains(key));
                (end, if is_kept { None } else { hide(&text[at..end]).map(|_| format!("\"{HIDDEN}\"")) })
            }
            b',' | b'[' | b'{' => {
                key = None;
                (at + 1, None)
            }
            _ => (at + 1, None),
        };
        if let Some(changed) = changed {
            out.push_str(&text[copied..at]);
            out.push_str(&changed);
            copied = end;
        }
        at = end;
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Just past the closing quote of the string that opens at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A string without its quotes.
fn inner(token: &str) -> &str {
    token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(token)
}

fn is_key(bytes: &[u8], end: usize) -> bool {
    bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// A string with its quotes; `None` where there is nothing to hide.
fn in_string(inner: &str, hide: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if !inner.contains('\\') {
        return hide(inner).map(|hidden| format!("\"{hidden}\""));
    }
    // Half of a surrogate pair is not text, and no secret holds one: the pieces around it are searched one by one.
    let mut changed = false;
    let pieces: Vec<String> = pieces(inner)
        .into_iter()
        .map(|piece| match read(piece).and_then(|read| hide(&read)) {
            Some(hidden) => {
                changed = true;
                let quoted = serde_json::Value::from(hidden).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
            None => piece.to_owned(),
        })
        .collect();
    changed.then(|| format!("\"{}\"", pieces.concat()))
}

/// What a piece of a JSON string says; `None` for half of a pair.
fn read(piece: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{piece}\"")).ok()
}

/// The string cut before and after every half of an escaped pair.
fn pieces(inner: &str) -> Vec<&str> {
    let unit = |at: usize| {
        let digits = inner.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = inner.get(at..).and_then(|rest| rest.find('\\')) {
        at += found;
        let is_high = matches!(unit(at), Some(0xd800..=0xdbff));
        let is_low = |at: usize| matches!(unit(at), Some(0xdc00..=0xdfff));
        match (is_high, is_low(at)) {
            (true, _) if is_low(at + 6) => at += 12,
            (false, false) => at += 2,
            _ => {
                pieces.extend([&inner[start..at], &inner[at..at + 6]]);
                at += 6;
                start = at;
            }
        }
    }
    pieces.push(&inner[start..]);
    pieces
}
