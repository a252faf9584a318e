//! An entry of `servers` as YAML text.

use std::fmt::Write;

use serde_json::{Map, Value};

/// The lines of an entry in a block list: the first one carries the dash, which stands at `indent`.
pub(crate) fn list_entry(name: &str, keys: &Map<String, Value>, indent: usize) -> String {
    let mut text = format!("{}- name: {}\n", blanks(indent), scalar(name));
    block(&mut text, keys, indent + 2);
    text
}

/// The lines of an entry in a block mapping, whose key stands at `indent`.
pub(super) fn mapping_entry(name: &str, keys: &Map<String, Value>, indent: usize, step: usize) -> String {
    let mut text = format!("{}{}:\n", blanks(indent), scalar(name));
    block(&mut text, keys, indent + step);
    text
}

/// An entry of a list in one line: `{name: a, command: x}`.
pub(super) fn inline_entry(name: &str, keys: &Map<String, Value>) -> String {
    let mut named = Map::new();
    named.insert("name".to_owned(), Value::String(name.to_owned()));
    named.extend(keys.iter().map(|(key, value)| (key.clone(), value.clone())));
    inline(&Value::Object(named))
}

/// An entry of a mapping in one line: `a: {command: x}`.
pub(super) fn inline_member(name: &str, keys: &Map<String, Value>) -> String {
    format!("{}: {}", scalar(name), inline(&Value::Object(keys.clone())))
}

fn blanks(count: usize) -> String {
    " ".repeat(count)
}

fn block(text: &mut String, keys: &Map<String, Value>, indent: usize) {
    for (key, value) in keys {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let _ = writeln!(text, "{}{}:", blanks(indent), scalar(key));
                block(text, members, indent + 2);
            }
            value => {
                let _ = writeln!(text, "{}{}: {}", blanks(indent), scalar(key), inline(value));
            }
        }
    }
}

fn inline(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::String(text) => scalar(text),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(inline).collect())),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("{}: {}", scalar(key), inline(value));
            format!("{{{}}}", joined(members.iter().map(member).collect()))
        }
        other => other.to_string(),
    }
}

/// A YAML scalar that reads back as exactly this text.
pub(crate) fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || "/_".contains(c))
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/_.-@".contains(c))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if is_plain {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            ' '..='~' => quoted.push(character),
            _ if character.is_alphanumeric() => quoted.push(character),
            _ => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(character));
            }
        }
    }
    quoted.push('"');
    quoted
}
