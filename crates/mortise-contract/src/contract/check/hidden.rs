//! Characters in a tool's texts that a person does not see but a model reads.

use serde_json::{Map, Value};

use super::issue;
use crate::RawJson;
use crate::contract::{ContractIssue, IssueCode, IssueSeverity};
use crate::json::escape_token;

/// How many places are reported per tool.
const PLACES_KEPT: usize = 8;

/// Flags every key and string that hides something.
pub(super) fn check(raw: &RawJson, fields: &Map<String, Value>, issues: &mut Vec<ContractIssue>) {
    if !may_hide(raw.text()) {
        return;
    }
    let mut left = PLACES_KEPT;
    flag_keys("", fields, issues, &mut left);
    let mut open: Vec<(String, &Value)> =
        fields.iter().rev().map(|(key, value)| (join("", key), value)).collect();
    while let (Some((pointer, value)), true) = (open.pop(), left > 0) {
        match value {
            Value::String(text) => flag(&pointer, "text", text, issues, &mut left),
            Value::Array(items) => {
                open.extend(
                    items.iter().enumerate().rev().map(|(index, item)| (format!("{pointer}/{index}"), item)),
                );
            }
            Value::Object(members) => {
                flag_keys(&pointer, members, issues, &mut left);
                open.extend(members.iter().rev().map(|(key, value)| (join(&pointer, key), value)));
            }
            _ => {}
        }
    }
}

/// A glance at the text that spares most tools the walk: hidden characters stand there as they are or escaped.
fn may_hide(text: &str) -> bool {
    text.contains("\\u")
        || text.contains("\\b")
        || text.contains("\\f")
        || (!text.is_ascii() && text.chars().any(|character| hidden_kind(character, ' ').is_some()))
        || text.bytes().any(|byte| byte == 0x7f)
}

fn flag_keys(pointer: &str, members: &Map<String, Value>, issues: &mut Vec<ContractIssue>, left: &mut usize) {
    for key in members.keys() {
        flag(&join(pointer, key), "key", key, issues, left);
    }
}

fn join(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", escape_token(key))
}

fn flag(pointer: &str, what: &str, text: &str, issues: &mut Vec<ContractIssue>, left: &mut usize) {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return;
    }
    let mut kinds: Vec<&'static str> = Vec::new();
    let mut previous = ' ';
    for character in text.chars() {
        if let Some(kind) = hidden_kind(character, previous).filter(|kind| !kinds.contains(kind)) {
            kinds.push(kind);
        }
        previous = character;
    }
    if kinds.is_empty() || *left == 0 {
        return;
    }
    *left -= 1;
    let message = format!("the {what} has {} characters in it", kinds.join(", "));
    issues.push(issue(pointer, IssueCode::HiddenCharacters, message, IssueSeverity::Note));
}

/// How a character hides from a person; `None` for the others. `previous` is the character before it.
pub fn hidden_kind(character: char, previous: char) -> Option<&'static str> {
    match character {
        '\t' | '\n' | '\r' => None,
        // A joiner after a symbol is how an emoji is composed.
        '\u{200D}' if previous >= '\u{2190}' => None,
        _ if character.is_control() => Some("control"),
        '\u{200B}'..='\u{200D}'
        | '\u{2060}'..='\u{2064}'
        | '\u{FEFF}'
        | '\u{00AD}'
        | '\u{180E}'
        | '\u{034F}' => Some("zero-width"),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}' | '\u{061C}' => {
            Some("text-direction")
        }
        '\u{E0000}'..='\u{E007F}' => Some("tag"),
        '\u{E0100}'..='\u{E01EF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{206A}'..='\u{206F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{FFA0}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' => Some("invisible"),
        _ => None,
    }
}
