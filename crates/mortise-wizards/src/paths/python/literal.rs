//! Texts as Python literals that no text can break out of.

use std::fmt::Write as _;

/// A text as a Python literal of ASCII only.
pub(crate) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            ' '..='~' => literal.push(character),
            other if u32::from(other) <= 0xff => _ = write!(literal, "\\x{:02x}", u32::from(other)),
            other if u32::from(other) <= 0xffff => _ = write!(literal, "\\u{:04x}", u32::from(other)),
            other => _ = write!(literal, "\\U{:08x}", u32::from(other)),
        }
    }
    literal.push('"');
    literal
}

/// A pattern as a literal: raw where that says the same, which is how a person would write it.
pub(super) fn pattern(regex: &str) -> String {
    let is_plain = regex.chars().all(|character| (' '..='~').contains(&character) && character != '"');
    let backslashes = regex.len() - regex.trim_end_matches('\\').len();
    match is_plain && backslashes.is_multiple_of(2) {
        true => format!("r\"{regex}\""),
        false => literal(regex),
    }
}
