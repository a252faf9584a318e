//! Depth and size of a parsed value without recursion.

use serde_json::Value;

/// How deep and how large a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Nested containers plus one.
    pub levels: usize,
    /// Values inside, itself included; object keys count too.
    pub nodes: u64,
    /// Bytes of all strings and keys.
    pub bytes: u64,
}

/// Measures a value; stops as soon as it is deeper than `levels`.
pub fn measure(value: &Value, levels: usize) -> Measure {
    let mut found = Measure { levels: 1, nodes: 0, bytes: 0 };
    let mut open: Vec<(&Value, usize)> = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        found.nodes += 1;
        match value {
            Value::Array(items) => {
                found.levels = found.levels.max(level + 1);
                open.extend(items.iter().map(|item| (item, level + 1)));
            }
            Value::Object(members) => {
                found.levels = found.levels.max(level + 1);
                found.nodes += members.len() as u64;
                found.bytes += members.keys().map(|key| key.len() as u64).sum::<u64>();
                open.extend(members.values().map(|member| (member, level + 1)));
            }
            Value::String(text) => found.bytes += text.len() as u64,
            _ => {}
        }
        if found.levels > levels {
            break;
        }
    }
    found
}
