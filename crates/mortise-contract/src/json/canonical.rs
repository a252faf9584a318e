//! One text per value: keys sorted, no white space.

use serde_json::{Map, Value};

/// The canonical text of a value: keys sorted by code point, no white space, numbers as `serde_json` prints them.
///
/// Two values that differ only in the order of keys have the same canonical
/// text. Works at any depth without recursion.
pub fn canonical_text(value: &Value) -> String {
    write(CanonicalStep::Value(value))
}

/// The canonical text of an object with these members.
pub(crate) fn canonical_members(members: &Map<String, Value>) -> String {
    write(CanonicalStep::Object(members))
}

enum CanonicalStep<'a> {
    Value(&'a Value),
    Object(&'a Map<String, Value>),
    Text(&'static str),
    Key(&'a str),
}

fn write(first: CanonicalStep<'_>) -> String {
    let mut text = String::new();
    let mut steps = vec![first];
    while let Some(step) = steps.pop() {
        match step {
            CanonicalStep::Text(piece) => text.push_str(piece),
            CanonicalStep::Key(key) => text.push_str(&Value::from(key).to_string()),
            CanonicalStep::Value(Value::Array(items)) => {
                text.push('[');
                steps.push(CanonicalStep::Text("]"));
                for (index, item) in items.iter().enumerate().rev() {
                    steps.push(CanonicalStep::Value(item));
                    if index > 0 {
                        steps.push(CanonicalStep::Text(","));
                    }
                }
            }
            CanonicalStep::Value(Value::Object(members)) | CanonicalStep::Object(members) => {
                text.push('{');
                steps.push(CanonicalStep::Text("}"));
                let mut sorted: Vec<_> = members.iter().collect();
                sorted.sort_unstable_by_key(|(key, _)| key.as_str());
                for (index, (key, member)) in sorted.into_iter().enumerate().rev() {
                    steps.push(CanonicalStep::Value(member));
                    steps.push(CanonicalStep::Text(":"));
                    steps.push(CanonicalStep::Key(key));
                    if index > 0 {
                        steps.push(CanonicalStep::Text(","));
                    }
                }
            }
            CanonicalStep::Value(scalar) => text.push_str(&scalar.to_string()),
        }
    }
    text
}
