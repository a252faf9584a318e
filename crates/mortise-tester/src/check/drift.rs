//! How the shape of one JSON value differs from that of another.

use std::collections::BTreeMap;

use mortise_contract::json::{JsonKind, escape_token, is_same_value};
use serde_json::Value;

/// Places of one value that are compared; a value with more is compared in part.
const PLACES: usize = 10_000;

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueDrift {
    /// JSON pointer; `*` stands for every element of an array.
    pub(super) pointer: String,
    /// What differs, for a person.
    pub(super) what: String,
    /// Whether a reader of the old value would miss something. What is only new harms none.
    pub(super) is_harmful: bool,
}

/// What is known about one place of a value.
#[derive(Default)]
struct ShapePlace {
    kinds: Vec<JsonKind>,
    /// How often the place occurs.
    count: usize,
    /// How many objects could have it.
    parents: usize,
}

type ValueOutline = BTreeMap<String, ShapePlace>;

/// Where the shape of `new` differs from that of `old`: keys that are gone or new, values of another kind.
///
/// Values are not compared. All elements of an array count together, and an array that is empty on one side says
/// nothing about its elements.
pub(super) fn shape_drift(old: &Value, new: &Value) -> Vec<ValueDrift> {
    let (before, after) = (outline(old), outline(new));
    let mut found = Vec::new();
    for (pointer, was) in &before {
        match after.get(pointer) {
            Some(is) => {
                let fresh: Vec<String> = is
                    .kinds
                    .iter()
                    .filter(|kind| !was.kinds.contains(kind))
                    .map(JsonKind::to_string)
                    .collect();
                // Of a place that was always null nothing is known.
                if !fresh.is_empty() && was.kinds != [JsonKind::Null] {
                    let were: Vec<String> = was.kinds.iter().map(JsonKind::to_string).collect();
                    let what =
                        format!("{} was {} and is {}", place(pointer), were.join(" or "), fresh.join(" or "));
                    found.push(ValueDrift { pointer: pointer.clone(), what, is_harmful: true });
                }
            }
            // Its parent is there on both sides, and every old one had it.
            None if was.count == was.parents && has_parent(&after, pointer) => {
                let what = format!("{} is gone", place(pointer));
                found.push(ValueDrift { pointer: pointer.clone(), what, is_harmful: true });
            }
            None => {}
        }
    }
    for pointer in after.keys().filter(|pointer| !before.contains_key(*pointer)) {
        if has_parent(&before, pointer) {
            let what = format!("{} is new", place(pointer));
            found.push(ValueDrift { pointer: pointer.clone(), what, is_harmful: false });
        }
    }
    found
}

/// Where the values differ, as pointers; `old` and `new` are equal if there are none.
pub(super) fn value_drift(old: &Value, new: &Value) -> Vec<ValueDrift> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), old, new)];
    while let Some((pointer, old, new)) = open.pop() {
        if is_same_value(old, new) {
            continue;
        }
        let before = open.len();
        match (old, new) {
            (Value::Object(old), Value::Object(new))
                if old.keys().all(|key| new.contains_key(key)) && old.len() == new.len() =>
            {
                let both = old.iter().filter_map(|(key, value)| Some((key, value, new.get(key)?)));
                open.extend(
                    both.map(|(key, old, new)| (format!("{pointer}/{}", escape_token(key)), old, new)),
                );
            }
            (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
                let both = old.iter().zip(new).enumerate();
                open.extend(both.map(|(at, (old, new))| (format!("{pointer}/{at}"), old, new)));
            }
            _ => {}
        }
        if open.len() == before {
            let what = format!("{} has another value", place(&pointer));
            found.push(ValueDrift { pointer, what, is_harmful: true });
        }
    }
    found.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    found
}

fn place(pointer: &str) -> String {
    match pointer {
        "" => "the value".to_owned(),
        pointer => format!("`{pointer}`"),
    }
}

fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether the outline has an object that a place could be a member of.
fn has_parent(outline: &ValueOutline, pointer: &str) -> bool {
    let is_member = !pointer.ends_with("/*");
    is_member && outline.get(parent(pointer)).is_some_and(|place| place.kinds.contains(&JsonKind::Object))
}

fn outline(value: &Value) -> ValueOutline {
    let mut outline = ValueOutline::new();
    let mut objects: BTreeMap<String, usize> = BTreeMap::new();
    let mut open = vec![(String::new(), value)];
    while let Some((pointer, value)) = open.pop() {
        if outline.len() >= PLACES && !outline.contains_key(&pointer) {
            continue;
        }
        match value {
            Value::Object(members) => {
                *objects.entry(pointer.clone()).or_default() += 1;
                open.extend(
                    members.iter().map(|(key, value)| (format!("{pointer}/{}", escape_token(key)), value)),
                );
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (format!("{pointer}/*"), item))),
            _ => {}
        }
        let place = outline.entry(pointer).or_default();
        place.count += 1;
        let kind = JsonKind::of(value);
        if !place.kinds.contains(&kind) {
            place.kinds.push(kind);
        }
    }
    for (pointer, place) in &mut outline {
        place.parents = objects.get(parent(pointer)).copied().unwrap_or(place.count);
        place.kinds.sort_by_key(|kind| *kind as u8);
    }
    outline
}

#[cfg(test)]
mod tests;
