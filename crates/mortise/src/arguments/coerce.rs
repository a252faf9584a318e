//! A word of the command line read by the type that a tool declares.

use mortise_contract::{RawJson, Shape};

/// The JSON of `text` as the shape wants it; `None` if it fits nowhere.
///
/// Where several types fit, the narrower one wins: a fixed value, `null`, a
/// boolean, a number, JSON, and a string last. `name:='"5"'` says otherwise.
pub(super) fn coerce(shape: &Shape, text: &str) -> Option<String> {
    let members = members(shape);
    if members.iter().any(is_open) {
        return Some(json(text).unwrap_or_else(|| string(text)));
    }
    let order: [fn(&Shape, &str) -> Option<String>; 5] =
        [as_literal, as_scalar, as_container, as_string, as_single_item];
    order.iter().find_map(|read| members.iter().find_map(|member| read(member, text)))
}

/// Whether an array is wanted.
pub(super) fn is_array(shape: &Shape) -> bool {
    members(shape).iter().any(|member| matches!(member, Shape::Array(_) | Shape::Tuple { .. }))
}

/// Whether only JSON can be right.
pub(super) fn takes_json(shape: &Shape) -> bool {
    members(shape)
        .iter()
        .any(|member| matches!(member, Shape::Array(_) | Shape::Tuple { .. } | Shape::Object { .. }))
}

fn members(shape: &Shape) -> &[Shape] {
    match shape {
        Shape::Union(members) => members,
        shape => std::slice::from_ref(shape),
    }
}

/// Whether the shape says nothing about the type.
fn is_open(shape: &Shape) -> bool {
    matches!(shape, Shape::Any | Shape::Cut | Shape::Recursive(_) | Shape::Intersection(_))
}

fn as_literal(shape: &Shape, text: &str) -> Option<String> {
    let Shape::Literals(values) = shape else { return None };
    let quoted = string(text);
    values.iter().find(|value| **value == quoted || *value == text).cloned()
}

fn as_scalar(shape: &Shape, text: &str) -> Option<String> {
    let Shape::Scalar { kind, .. } = shape else { return None };
    let fits = match kind.as_str() {
        "null" => text == "null",
        "boolean" => matches!(text, "true" | "false"),
        "number" => is_number(text),
        "integer" => is_number(text) && is_complete(text),
        _ => false,
    };
    fits.then(|| text.to_owned())
}

fn as_container(shape: &Shape, text: &str) -> Option<String> {
    let opens = match shape {
        Shape::Array(_) | Shape::Tuple { .. } => '[',
        Shape::Object { .. } => '{',
        _ => return None,
    };
    json(text).filter(|text| text.starts_with(opens))
}

fn as_string(shape: &Shape, text: &str) -> Option<String> {
    matches!(shape, Shape::Scalar { kind, .. } if kind == "string").then(|| string(text))
}

/// One item where an array is wanted; repeated names add further ones.
fn as_single_item(shape: &Shape, text: &str) -> Option<String> {
    match shape {
        Shape::Array(item) if !text.starts_with('[') => Some(format!("[{}]", coerce(item, text)?)),
        _ => None,
    }
}

fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn json(text: &str) -> Option<String> {
    RawJson::parse(text).ok().map(|json| json.text().trim().to_owned())
}

fn is_number(text: &str) -> bool {
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        && !text.ends_with(char::is_whitespace)
        && RawJson::parse(text).is_ok()
}

/// Whether a number in JSON's notation is whole; `1.0` is.
fn is_complete(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.chars().all(|digit| digit.is_ascii_digit())
        || text.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
}
