//! Types, rules and values in the words of a person.

use mortise_contract::Shape;
use serde_json::Value;

/// Characters of a value that is repeated.
const GOT: usize = 40;
/// Values of an enumeration that are named.
const CHOICES: usize = 12;
/// Parts of names under which people keep secrets.
const SECRET: &[&str] = &["password", "passwd", "secret", "token", "key", "pin", "auth", "credential"];

/// What must be given: `a number`, `one of annual, quarter`.
pub(super) fn wanted(shape: &Shape) -> String {
    match shape {
        Shape::Scalar { kind, format } => scalar(kind, format.as_deref()),
        Shape::Literals(values) => literals(values),
        Shape::Array(item) => format!("a list, each {}", wanted(item)),
        Shape::Tuple { .. } => format!("a JSON array like {}", shape.one_line(60)),
        Shape::Object { .. } => "a JSON object".to_owned(),
        Shape::Union(members) if members.len() <= 4 => {
            // Who gives a value does not mean none.
            let is_null = |member: &&Shape| matches!(member, Shape::Scalar { kind, .. } if kind == "null");
            let wanted: Vec<String> = members.iter().filter(|member| !is_null(member)).map(wanted).collect();
            wanted.join(", or ")
        }
        shape => shape.one_line(80),
    }
}

fn scalar(kind: &str, format: Option<&str>) -> String {
    match (kind, format) {
        ("string", Some(format)) => format!("text of the format `{format}`"),
        ("string", None) => "text".to_owned(),
        ("integer", _) => "a whole number".to_owned(),
        ("number", _) => "a number".to_owned(),
        ("boolean", _) => "true or false".to_owned(),
        (kind, _) => kind.to_owned(),
    }
}

fn literals(values: &[String]) -> String {
    let plain = |value: &String| match serde_json::from_str(value) {
        Ok(Value::String(text)) => text,
        _ => value.clone(),
    };
    let shown = values.iter().take(CHOICES).map(plain).collect::<Vec<_>>().join(", ");
    match values.len() {
        1 => shown,
        count if count > CHOICES => format!("one of {shown}, …"),
        _ => format!("one of {shown}"),
    }
}

/// The texts that may be chosen from.
pub(super) fn choices(shape: &Shape) -> Vec<String> {
    match shape {
        Shape::Literals(values) => values
            .iter()
            .filter_map(|value| serde_json::from_str::<Value>(value).ok()?.as_str().map(str::to_owned))
            .collect(),
        Shape::Union(members) => members.iter().flat_map(choices).collect(),
        _ => Vec::new(),
    }
}

/// The word that stands for a value in an example: `TEXT`, `NUMBER`.
pub(super) fn placeholder(shape: &Shape) -> String {
    match shape {
        Shape::Scalar { kind, .. } => match kind.as_str() {
            "string" => "TEXT".to_owned(),
            "integer" | "number" => "NUMBER".to_owned(),
            "boolean" => "true".to_owned(),
            kind => kind.to_owned(),
        },
        Shape::Literals(values) => match values.first().map(|value| serde_json::from_str(value)) {
            Some(Ok(Value::String(text))) if !text.contains(char::is_whitespace) => text,
            _ => "VALUE".to_owned(),
        },
        Shape::Array(_) | Shape::Tuple { .. } | Shape::Object { .. } => format!("'{}'", json_example(shape)),
        Shape::Union(members) => members.first().map_or_else(|| "VALUE".to_owned(), placeholder),
        _ => "VALUE".to_owned(),
    }
}

/// How JSON of this shape begins and ends.
pub(super) fn json_example(shape: &Shape) -> &'static str {
    match shape {
        Shape::Object { .. } => "{…}",
        Shape::Union(members) => members.first().map_or("{…}", json_example),
        _ => "[…]",
    }
}

/// `, got "tall"`; nothing if the value is long or may be a secret.
pub(super) fn got_text(name: &str, typed: &str) -> String {
    match is_shown(name, typed) {
        true => format!(", got {}", Value::from(typed)),
        false => String::new(),
    }
}

/// `, got 1.80` for a value inside of the arguments; a number in the digits that were typed, where they are known.
pub(super) fn got_value(name: &str, value: Option<&Value>, typed: Option<String>, keyword: &str) -> String {
    match value {
        Some(Value::String(_)) if keyword == "type" => ", got text".to_owned(),
        Some(value @ (Value::Number(_) | Value::Bool(_) | Value::Null)) if is_shown(name, "") => {
            format!(", got {}", typed.unwrap_or_else(|| value.to_string()))
        }
        Some(Value::Array(_)) if keyword == "type" => ", got a list".to_owned(),
        Some(Value::Object(_)) if keyword == "type" => ", got an object".to_owned(),
        _ => String::new(),
    }
}

fn is_shown(name: &str, typed: &str) -> bool {
    let name = name.to_lowercase();
    typed.chars().count() <= GOT
        && !typed.contains(char::is_control)
        && !SECRET.iter().any(|secret| name.contains(secret))
}

/// What a keyword of JSON Schema demands, after the name of an argument; `None` where no sentence is known.
pub(super) fn demand(keyword: &str, rule: &Value) -> Option<String> {
    Some(match keyword {
        "type" | "enum" | "const" => {
            format!("must be {}", wanted(&Shape::of(&serde_json::json!({ keyword: rule }))))
        }
        "minimum" => format!("must be at least {rule}"),
        "maximum" => format!("must be at most {rule}"),
        "exclusiveMinimum" => format!("must be more than {rule}"),
        "exclusiveMaximum" => format!("must be less than {rule}"),
        "multipleOf" => format!("must be a multiple of {rule}"),
        "minLength" => format!("must have at least {}", counted(rule, "character")),
        "maxLength" => format!("must have at most {}", counted(rule, "character")),
        "minItems" => format!("must have at least {}", counted(rule, "item")),
        "maxItems" => format!("must have at most {}", counted(rule, "item")),
        "uniqueItems" => "must not have an item twice".to_owned(),
        "pattern" => format!("must match the pattern `{}`", rule.as_str()?),
        "format" => format!("must have the format `{}`", rule.as_str()?),
        _ => return None,
    })
}

fn counted(count: &Value, noun: &str) -> String {
    match count.as_u64() {
        Some(1) => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
