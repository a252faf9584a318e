//! Are two values the same JSON.

use serde_json::{Number, Value};

/// Whether two values are the same JSON: key order makes no difference, and `1`, `1.0` and `1e0` are one number.
///
/// Works at any depth without recursion.
///
/// ```
/// use serde_json::json;
///
/// let (left, right) = (json!({"a": 1, "b": [2.0]}), json!({"b": [2], "a": 1.0}));
/// assert!(mortise_contract::json::is_same_value(&left, &right));
/// ```
pub fn is_same_value(left: &Value, right: &Value) -> bool {
    let mut open = vec![(left, right)];
    while let Some(pair) = open.pop() {
        match pair {
            (Value::Number(left), Value::Number(right)) if is_same_number(left, right) => {}
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                open.extend(left.iter().zip(right));
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                for (key, member) in left {
                    let Some(other) = right.get(key) else { return false };
                    open.push((member, other));
                }
            }
            (Value::Number(_) | Value::Array(_) | Value::Object(_), _) => return false,
            (left, right) if left == right => {}
            _ => return false,
        }
    }
    true
}

fn is_same_number(left: &Number, right: &Number) -> bool {
    let integer =
        |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        (Some(integer), None) => is_same_as_double(integer, right),
        (None, Some(integer)) => is_same_as_double(integer, left),
        (None, None) => left.as_f64() == right.as_f64(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a double past 2^127 saturates and differs from every integer"
)]
fn is_same_as_double(integer: i128, double: &Number) -> bool {
    double.as_f64().is_some_and(|double| double.fract() == 0.0 && double as i128 == integer)
}
