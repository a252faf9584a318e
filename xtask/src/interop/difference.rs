//! Where two JSON values differ.

use serde_json::Value;

/// Every place where the values differ, as `pointer: left ≠ right`. Numbers compare by value, objects without order.
pub(super) fn differences(left: &Value, right: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", left, right, &mut found);
    found
}

fn compare(path: &str, left: &Value, right: &Value, found: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                match b.get(key) {
                    Some(other) => compare(&format!("{path}/{key}"), value, other, found),
                    None => found.push(format!("{path}/{key}: only on the left")),
                }
            }
            let missing = b.keys().filter(|key| !a.contains_key(*key));
            found.extend(missing.map(|key| format!("{path}/{key}: only on the right")));
        }
        (Value::Array(a), Value::Array(b)) => {
            if a.len() != b.len() {
                found.push(format!("{path}: {} ≠ {} elements", a.len(), b.len()));
            }
            for (index, (value, other)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}/{index}"), value, other, found);
            }
        }
        (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
        _ if left == right => {}
        _ => found.push(format!("{path}: {left} ≠ {right}")),
    }
}

#[cfg(test)]
mod tests;
