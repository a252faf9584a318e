//! Values at the bounds of one property's schema, and just past them.

use serde_json::{Value, json};

use super::random::Random;

/// Longest text made up.
const TEXT: u64 = 2_000;

type Named = (&'static str, Value);

/// Values that should be accepted; the caller validates them.
pub(super) fn inside(schema: &Value, random: &mut Random) -> Vec<Named> {
    let mut values = Vec::new();
    if let Some(choices) = schema.get("enum").and_then(Value::as_array).filter(|choices| !choices.is_empty())
    {
        values.push(("the last value of the enum", choices[choices.len() - 1].clone()));
        values.push(("a value of the enum", choices[random.below(choices.len())].clone()));
        return values;
    }
    if let Some(minimum) = schema.get("minimum") {
        values.push(("the minimum", minimum.clone()));
    }
    if let Some(maximum) = schema.get("maximum") {
        values.push(("the maximum", maximum.clone()));
    }
    let kinds = kinds(schema);
    if kinds.contains(&"string") && schema.get("pattern").is_none() && schema.get("format").is_none() {
        let length = |key: &str| schema.get(key).and_then(Value::as_u64);
        if let Some(least) = length("minLength").filter(|least| *least <= TEXT) {
            values.push(("the shortest text", text(least)));
        }
        if let Some(most) = length("maxLength").filter(|most| *most <= TEXT) {
            values.push(("the longest text", text(most)));
        }
        values.push(("an empty text", json!("")));
        values.push(("letters beyond ASCII", json!("Zürich 東京 🦀 \"'\\")));
    }
    if kinds.contains(&"integer") || kinds.contains(&"number") {
        values.push(("zero", json!(0)));
        values.push(("a negative number", json!(-1)));
    }
    if kinds.contains(&"boolean") {
        values.push(("false", json!(false)));
    }
    if kinds.contains(&"array") {
        values.push(("an empty array", json!([])));
    }
    if kinds.contains(&"null") {
        values.push(("null", Value::Null));
    }
    values
}

/// Values that should be refused; the caller validates that they break the schema.
pub(super) fn outside(schema: &Value) -> Vec<Named> {
    let mut values: Vec<Named> = vec![
        ("an object instead", json!({"mortise": "wrong type"})),
        ("a number instead", json!(7.5)),
        ("a text instead", json!("mortise: not allowed here")),
    ];
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    if let Some(minimum) = number("minimum").or(number("exclusiveMinimum")) {
        values.push(("below the minimum", whole(minimum - 1.0)));
    }
    if let Some(maximum) = number("maximum").or(number("exclusiveMaximum")) {
        values.push(("above the maximum", whole(maximum + 1.0)));
    }
    if let Some(most) = schema.get("maxLength").and_then(Value::as_u64).filter(|most| *most < TEXT) {
        values.push(("a text that is too long", text(most + 1)));
    }
    values
}

/// A number, written as an integer where it is one.
fn whole(number: f64) -> Value {
    match number {
        _ if number.fract() == 0.0 && number.abs() < 9e15 => json!(number as i64),
        _ => json!(number),
    }
}

fn text(length: u64) -> Value {
    Value::String("a".repeat(usize::try_from(length).unwrap_or_default()))
}

fn kinds(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
