//! Members that are null where they should be absent.

use serde_json::{Map, Value};

/// Members that hold the user's own data, in which null is a value.
const DATA: [&str; 9] = [
    "data",
    "metadata",
    "rows",
    "test_output",
    "mismatches",
    "fields",
    "python_fields",
    "extracted",
    "extracted_values",
];

/// As many as an error body may list.
const MOST: usize = 20;

/// The places of such members with their names, such as `questions[0].context` and `context`.
pub(super) fn places(members: &Map<String, Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    within_object(members, "", &mut found);
    found.truncate(MOST);
    found
}

fn within_object(members: &Map<String, Value>, above: &str, found: &mut Vec<(String, String)>) {
    for (name, value) in members {
        let place = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        match value {
            Value::Null => found.push((place, name.clone())),
            _ if DATA.contains(&name.as_str()) || found.len() >= MOST => {}
            inner => within(inner, &place, found),
        }
    }
}

fn within(value: &Value, place: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => within_object(members, place, found),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                within(item, &format!("{place}[{index}]"), found);
            }
        }
        _ => {}
    }
}
