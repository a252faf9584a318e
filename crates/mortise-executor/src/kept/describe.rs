//! What a kept value looks like, in a few words.

use mortise_contract::RawJson;
use mortise_contract::json::JsonKind;
use mortise_contract::text::{counted, cut, one_line, printable};

/// Characters of a value's beginning.
const PREVIEW: usize = 200;
/// Keys of an object that are named.
const KEYS: usize = 8;
/// Characters of one key.
const KEY: usize = 40;

/// How the JSON of a value begins, on one line.
pub(super) fn preview(value: &RawJson) -> String {
    // A value of many megabytes is not read to its end for its beginning.
    let text = value.text();
    let start = &text[..text.floor_char_boundary(PREVIEW * 8)];
    cut(&printable(&one_line(start)), PREVIEW)
}

/// `list of 500 dict (id, total)`, in Python's words.
pub(super) fn shape(value: &RawJson) -> String {
    match value.kind() {
        JsonKind::Array => {
            let elements = value.elements().unwrap_or_default();
            match elements.first() {
                None => "empty list".to_owned(),
                Some(first) => format!("list of {} {}", elements.len(), inner(first)),
            }
        }
        JsonKind::String => {
            let characters = value.value().ok().and_then(|text| Some(text.as_str()?.chars().count()));
            format!("str of {}", counted(characters.unwrap_or_default() as u64, "character"))
        }
        _ => inner(value),
    }
}

/// The kind of a value, with the keys of an object.
fn inner(value: &RawJson) -> String {
    match value.kind() {
        JsonKind::Object => {
            let keys: Vec<String> =
                value.members().unwrap_or_default().into_iter().map(|(key, _)| key).collect();
            let named: Vec<String> = keys.iter().take(KEYS).map(|key| cut(&printable(key), KEY)).collect();
            match (named.is_empty(), keys.len() > KEYS) {
                (true, _) => "empty dict".to_owned(),
                (false, false) => format!("dict ({})", named.join(", ")),
                (false, true) => format!("dict ({}, … {} keys)", named.join(", "), keys.len()),
            }
        }
        JsonKind::Array => "list".to_owned(),
        JsonKind::String => "str".to_owned(),
        JsonKind::Number if value.text().contains(['.', 'e', 'E']) => "float".to_owned(),
        JsonKind::Number => "int".to_owned(),
        JsonKind::Null => "None".to_owned(),
        _ => "bool".to_owned(),
    }
}
