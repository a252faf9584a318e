//! Python text: keys, literals, docstrings.

use serde_json::Value;
use unicode_normalization::is_nfkc;

use crate::text::python_string;

/// Words that can't be names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// No keyword, and yet nothing may be called that.
const DEBUG: &str = "__debug__";

/// Names that annotations use; a field of that name would hide them from the fields after it.
const USED: [&str; 7] = ["str", "int", "float", "bool", "list", "dict", "tuple"];

/// Whether a key can be the name of a parameter, and comes out as the same key.
pub(super) fn is_name(key: &str) -> bool {
    let mut characters = key.chars();
    let starts = characters.next().is_some_and(|first| first == '_' || unicode_ident::is_xid_start(first));
    let is_free = key != DEBUG && !KEYWORDS.contains(&key);
    starts && characters.all(unicode_ident::is_xid_continue) && is_nfkc(key) && is_free
}

/// Whether a key can be a field of a class: no name that is mangled there or that annotations use.
pub(super) fn is_class_key(key: &str) -> bool {
    is_name(key)
        && !key.starts_with("__")
        && !USED.contains(&key)
        && !key.starts_with(|first: char| first.is_ascii_uppercase())
}

/// `Literal[…]`, or the type that stands for a value that Literal does not take.
pub(super) fn literal(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::Null => Ok("None".to_owned()),
        Value::Bool(true) => Ok("Literal[True]".to_owned()),
        Value::Bool(false) => Ok("Literal[False]".to_owned()),
        Value::String(text) => Ok(format!("Literal[{}]", python_string(text))),
        Value::Number(number) if !number.is_f64() => Ok(format!("Literal[{number}]")),
        Value::Number(_) => Err("int | float"),
        Value::Array(_) => Err("list[Any]"),
        Value::Object(_) => Err("dict[str, Any]"),
    }
}

/// A docstring of these lines; nothing without any.
pub(super) fn docstring(lines: &[String], indent: &str) -> String {
    let escaped: Vec<String> =
        lines.iter().map(|line| line.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")).collect();
    match escaped.as_slice() {
        [] => String::new(),
        [line] if !line.ends_with('"') => format!("{indent}\"\"\"{line}\"\"\"\n"),
        [first, rest @ ..] => {
            let mut text = format!("{indent}\"\"\"{first}\n");
            for line in rest {
                text.push_str(format!("{indent}{line}").trim_end());
                text.push('\n');
            }
            text + &format!("{indent}\"\"\"\n")
        }
    }
}
