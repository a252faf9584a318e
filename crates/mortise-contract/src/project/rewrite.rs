//! References of a schema that moves to another place in its document.

use serde_json::Value;

use crate::schema::Dialect;
use crate::schema::keyword::{Holds, holds};

/// Where the schema moves.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction<'a> {
    /// From the root to `/properties/result`.
    Into,
    /// From `/properties/result` to the root.
    OutOf,
    /// From `/properties/result` to the root, while the wrapper around it moves to this place.
    OutOfBeside(&'a str),
}

/// The place of the wrapped schema.
const PLACE: &str = "#/properties/result";

/// Rewrites every reference that counts from the root of the document. Depth must be bounded.
pub(super) fn rewrite(schema: &mut Value, dialect: Dialect, direction: Direction<'_>) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| rewrite(item, dialect, direction)),
        Value::Object(_) => rewrite_object(schema, dialect, direction),
        _ => {}
    }
}

fn rewrite_object(schema: &mut Value, dialect: Dialect, direction: Direction<'_>) {
    let dialect = Dialect::of(schema, dialect).unwrap_or(dialect);
    if dialect.starts_resource(schema) {
        // References inside count from here, and here moves along.
        return;
    }
    let Some(members) = schema.as_object_mut() else { return };
    let is_2019 = dialect == Dialect::Draft201909;
    if is_2019 && direction != Direction::OutOf && members.get("$recursiveRef").is_some_and(Value::is_string)
    {
        // Without an anchor at the root of the resource it means the root itself.
        let keys: Vec<String> = members.keys().cloned().collect();
        for key in keys {
            // Taken out and put back one by one, which keeps the order.
            let Some(member) = members.shift_remove(&key) else { continue };
            match key.as_str() {
                "$recursiveRef" if !members.contains_key("$ref") => {
                    drop(members.insert("$ref".to_owned(), member))
                }
                "$recursiveRef" => also_refer(members, member),
                _ => drop(members.insert(key, member)),
            }
        }
    }
    for (key, member) in members.iter_mut() {
        match (key.as_str(), &mut *member) {
            ("$ref" | "$dynamicRef", Value::String(reference)) => move_reference(reference, direction),
            (key, member) => match holds(key) {
                Some(Holds::Value | Holds::Values) => {}
                Some(Holds::Map) => {
                    for named in member.as_object_mut().into_iter().flat_map(|members| members.values_mut()) {
                        rewrite(named, dialect, direction);
                    }
                }
                // A reference can also lead into a keyword that JSON Schema does not have.
                _ => rewrite(member, dialect, direction),
            },
        }
    }
}

/// A second reference beside `$ref` goes into `allOf`.
fn also_refer(members: &mut serde_json::Map<String, Value>, reference: Value) {
    let entry = serde_json::Map::from_iter([("$ref".to_owned(), reference)]);
    if let Value::Array(all) = members.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
        all.push(Value::Object(entry));
    }
}

fn move_reference(reference: &mut String, direction: Direction<'_>) {
    match direction {
        Direction::Into if reference.is_empty() || reference == "#" => *reference = PLACE.to_owned(),
        Direction::Into if reference.starts_with("#/") => *reference = format!("{PLACE}{}", &reference[1..]),
        Direction::Into => {}
        _ if leads_inside(reference).is_some() => {
            *reference = format!("#{}", leads_inside(reference).unwrap_or_default());
        }
        Direction::OutOfBeside(place) if reference.is_empty() || reference == "#" => {
            *reference = place.to_owned();
        }
        Direction::OutOfBeside(place) if reference.starts_with("#/") => {
            *reference = format!("{place}{}", &reference[1..]);
        }
        _ => {}
    }
}

/// The rest of a reference that leads to the wrapped schema or into it.
pub(super) fn leads_inside(reference: &str) -> Option<&str> {
    reference.strip_prefix(PLACE).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
