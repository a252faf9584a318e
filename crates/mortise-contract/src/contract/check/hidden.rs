//! Characters in a tool's texts that a person does not see but a model reads.

use serde_json::{Map, Value};

use super::issue;
use crate::contract::{ContractIssue, IssueCode, IssueSeverity};
use crate::json::escape_token;

/// How many places are reported per tool.
const PLACES_KEPT: usize = 8;

/// Flags every key and string that hides something.
pub(super) fn check(fields: &Map<String, Value>, issues: &mut Vec<ContractIssue>) {
    let mut left = PLACES_KEPT;
    let mut open: Vec<(String, &Value)> = Vec::new();
    let push_members =
        |pointer: &str, members: &'_ Map<String, Value>, found: &mut Vec<ContractIssue>, left: &mut usize| {
            for key in members.keys() {
                flag(&format!("{pointer}/{}", escape_token(key)), "key", key, found, left);
            }
        };
    push_members("", fields, issues, &mut left);
    open.extend(fields.iter().rev().map(|(key, value)| (format!("/{}", escape_token(key)), value)));
    while let (Some((pointer, value)), true) = (open.pop(), left > 0) {
        match value {
            Value::String(text) => flag(&pointer, "text", text, issues, &mut left),
            Value::Array(items) => {
                open.extend(
                    items.iter().enumerate().rev().map(|(index, item)| (format!("{pointer}/{index}"), item)),
                );
            }
            Value::Object(members) => {
                push_members(&pointer, members, issues, &mut left);
                let child = |(key, value): (&String, _)| (format!("{pointer}/{}", escape_token(key)), value);
                open.extend(members.iter().rev().map(child));
            }
            _ => {}
        }
    }
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

fn hidden_kind(character: char, previous: char) -> Option<&'static str> {
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
        '\u{E0100}'..='\u{E01EF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{206A}'..='\u{206F}' => Some("invisible"),
        _ => None,
    }
}
