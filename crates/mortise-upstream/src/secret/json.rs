//! Hiding inside JSON, so that it stays JSON.

use super::HIDDEN;

/// What of a text is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// Strings and numbers. A number that is hidden becomes a string.
    All,
    /// Strings that are no keys: whatever is hidden, the text keeps its form.
    Texts,
}

/// A well-formed text with `hide` done in its parts; `None` where there is nothing to hide.
///
/// `hide` gets a string as it reads, whatever escapes the writer chose, and gives back one that is
/// changed.
pub(super) fn hidden(text: &str, parts: Parts, hide: impl Fn(&str) -> Option<String>) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    // Up to where `text` is in `out`.
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (end, changed) = match byte {
            b'"' => {
                let end = end_of_string(bytes, at);
                let token = text.get(at..end).unwrap_or_default();
                let is_wanted = parts == Parts::All || !is_key(bytes, end);
                (end, is_wanted.then(|| in_string(token, &hide)).flatten())
            }
            b'-' | b'0'..=b'9' if parts == Parts::All => {
                let end = at + bytes[at..].iter().take_while(|byte| is_of_number(**byte)).count();
                (end, hide(&text[at..end]).map(|_| format!("\"{HIDDEN}\"")))
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

fn is_key(bytes: &[u8], end: usize) -> bool {
    bytes[end..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// A string with its quotes; `None` where there is nothing to hide.
fn in_string(token: &str, hide: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let inner = token.get(1..token.len().checked_sub(1)?)?;
    if !inner.contains('\\') {
        return hide(inner).map(|hidden| format!("\"{hidden}\""));
    }
    match serde_json::from_str::<String>(token) {
        Ok(read) => hide(&read).map(|hidden| serde_json::Value::from(hidden).to_string()),
        // Half of an escaped pair: no text, but a secret may stand beside it.
        Err(_) => hide(inner).map(|hidden| format!("\"{hidden}\"")),
    }
}
