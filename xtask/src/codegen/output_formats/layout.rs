//! JSON for readers: what fits a line stands on one, long lists are shortened, programs stand below.

use serde_json::{Map, Value};

/// The longest line that is not broken.
const WIDTH: usize = 100;
/// Longer lists lose their end.
const ITEMS: usize = 4;
/// Stands for what is shown elsewhere.
const ELSEWHERE: &str = "…";

/// Members whose text is a rule or a program, and its language.
const TEXTS: [(&str, &str); 5] = [
    ("yaml_rule", "yaml"),
    ("code", "python"),
    ("python_code", "python"),
    ("parser_code", "python"),
    ("current_code", "python"),
];

/// A rule or a program of a result.
pub(super) struct Program {
    pub(super) member: String,
    pub(super) language: &'static str,
    pub(super) text: String,
}

/// Takes rules and programs out of a value, and leaves `…` in their place. One that stands there twice is given once.
pub(super) fn take_programs(value: &mut Value) -> Vec<Program> {
    let mut taken = Vec::new();
    take_into(&mut taken, value);
    taken
}

fn take_into(taken: &mut Vec<Program>, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let language = TEXTS.iter().find(|(member, _)| member == name).map(|(_, language)| *language);
                match (language, value) {
                    // In a warning `code` is a word.
                    (Some(language), Value::String(text)) if text.contains('\n') => {
                        let text = std::mem::replace(text, ELSEWHERE.to_owned());
                        if !taken.iter().any(|program| program.text == text) {
                            taken.push(Program { member: name.clone(), language, text });
                        }
                    }
                    (_, value) => take_into(taken, value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_into(taken, item)),
        _ => (),
    }
}

/// The value with the first items of every long list, and how many more there are.
pub(super) fn shortened(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let shorter = members.iter().map(|(name, value)| (name.clone(), shortened(value)));
            Value::Object(shorter.collect::<Map<_, _>>())
        }
        Value::Array(items) if items.len() > ITEMS => {
            // One less, so that the line that says so replaces at least two.
            let kept = ITEMS - 1;
            let mut shorter: Vec<Value> = items.iter().take(kept).map(shortened).collect();
            shorter.push(Value::from(format!("… and {} more", items.len() - kept)));
            Value::Array(shorter)
        }
        Value::Array(items) => items.iter().map(shortened).collect(),
        other => other.clone(),
    }
}

/// The value as text. What is too long for a line is broken; small parts that follow each other share lines.
pub(super) fn laid_out(value: &Value) -> String {
    lay_out(value, 0, 0)
}

/// `before` is how much stands on the line already, besides the indent.
fn lay_out(value: &Value, indent: usize, before: usize) -> String {
    let line = on_one_line(value);
    if indent + before + length(&line) <= WIDTH {
        return line;
    }
    let (open, close, parts) = match value {
        Value::Object(members) => {
            ('{', '}', members.iter().map(|(name, value)| (named(name), value)).collect())
        }
        Value::Array(items) => ('[', ']', items.iter().map(|item| (String::new(), item)).collect::<Vec<_>>()),
        _ => return line,
    };
    let inner = indent + 2;
    let mut lines: Vec<String> = Vec::new();
    let mut may_share = false;
    for (name, value) in parts {
        // One more for the comma.
        let part = lay_out(value, inner, length(&name) + 1);
        let is_small = is_small(value);
        match lines.last_mut() {
            Some(last)
                if may_share
                    && is_small
                    && inner + length(last) + length(&name) + length(&part) + 3 <= WIDTH =>
            {
                last.push_str(&format!(", {name}{part}"));
            }
            _ => lines.push(format!("{name}{part}")),
        }
        may_share = is_small;
    }
    let margin = " ".repeat(inner);
    format!("{open}\n{margin}{}\n{}{close}", lines.join(&format!(",\n{margin}")), " ".repeat(indent))
}

/// Whether it may stand on a line with others.
fn is_small(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => true,
    }
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| named(name) + &on_one_line(value));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn named(name: &str) -> String {
    format!("{}: ", Value::from(name))
}

fn length(text: &str) -> usize {
    text.chars().count()
}
