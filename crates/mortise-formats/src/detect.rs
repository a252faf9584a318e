//! What a text is: JSON, Python or YAML, found out by parsing it.
//!
//! Words in a text prove nothing: `{"a": 1}` and `def parse(p: str):` both have a colon and a space. A text is what a
//! parser accepts and what it would be written for.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, Stmt};
use serde_json::Value;

use crate::fence::unfenced;
use crate::format::{ErrorBody, ErrorCode};
use crate::python::Module;
use crate::yaml::{self, Extent, Tree, YamlNode};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TextFormat {
    /// A JSON object or array.
    Json,
    /// A Python module.
    Python,
    /// A YAML mapping, or a list of mappings.
    Yaml,
}

impl TextFormat {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What a `format` or `language` field means by its word.
    pub fn declared(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "json" | "metadata" => Some(Self::Json),
            "python" | "code" => Some(Self::Python),
            "yaml" | "yaml_rule" | "hybrid" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// What a text is, or `None` if nothing can be said.
///
/// ```
/// use mortise_formats::detect::{TextFormat, detect};
///
/// assert_eq!(detect("name: foo\ntag: bar"), Some(TextFormat::Yaml));
/// assert_eq!(detect("def parse(file_path: str): return 1"), Some(TextFormat::Python));
/// assert_eq!(detect("hello world"), None);
/// ```
pub fn detect(text: &str) -> Option<TextFormat> {
    let text = unfenced(text);
    if is_json(text) {
        return Some(TextFormat::Json);
    }
    let module = Module::parse(text).ok();
    if module.as_ref().is_some_and(|module| module.body().iter().any(is_strong)) {
        return Some(TextFormat::Python);
    }
    if is_yaml(text) {
        return Some(TextFormat::Yaml);
    }
    module.filter(has_call).map(|_| TextFormat::Python)
}

/// Checks that a text is what its sender says; nothing else is tried.
pub fn check_declared(declared: TextFormat, text: &str) -> Result<(), ErrorBody> {
    let text = unfenced(text);
    let cause = match declared {
        TextFormat::Json => match serde_json::from_str::<Value>(text) {
            Ok(value) if value.is_object() || value.is_array() => return Ok(()),
            Ok(_) => ErrorBody::new(ErrorCode::FormatMismatch, "it is neither an object nor an array", ""),
            Err(error) => {
                let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
                ErrorBody::new(ErrorCode::FormatMismatch, error.to_string(), "").at_line(line)
            }
        },
        TextFormat::Python => match Module::parse(text) {
            Ok(_) => return Ok(()),
            Err(error) => error,
        },
        TextFormat::Yaml => match yaml::parse(text, Extent::Any) {
            Ok(node) if mappings(&node).is_some() => return Ok(()),
            Ok(node) => {
                let reason = format!("it is {}; expected a mapping or a list of mappings", node.kind());
                ErrorBody::new(ErrorCode::FormatMismatch, reason, "")
            }
            Err(error) => error,
        },
    };
    let name = declared.as_str();
    let error = ErrorBody::new(
        ErrorCode::FormatMismatch,
        format!("the content does not parse as {name}, which is its declared format: {}", cause.reason),
        "correct the content, or declare the format that it has",
    );
    Err(ErrorBody { line: cause.line, column: cause.column, ..error })
}

fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Statements that do not occur in YAML. `name: foo` is valid Python too, and says nothing.
fn is_strong(statement: &Stmt) -> bool {
    match statement {
        Stmt::AnnAssign(assign) => assign.value.is_some(),
        Stmt::FunctionDef(_)
        | Stmt::ClassDef(_)
        | Stmt::Import(_)
        | Stmt::ImportFrom(_)
        | Stmt::Assign(_)
        | Stmt::AugAssign(_)
        | Stmt::If(_)
        | Stmt::For(_)
        | Stmt::While(_)
        | Stmt::With(_)
        | Stmt::Try(_)
        | Stmt::Match(_) => true,
        _ => false,
    }
}

fn is_yaml(text: &str) -> bool {
    let Ok(node) = yaml::parse(text, Extent::Any) else { return false };
    mappings(&node).is_some_and(|mut keys| keys.all(is_word))
}

/// The keys of a mapping, or of all mappings of a list.
fn mappings(node: &YamlNode) -> Option<impl Iterator<Item = &str>> {
    let nodes = match &node.tree {
        Tree::Map(_) => std::slice::from_ref(node),
        Tree::List(items) => items.as_slice(),
        Tree::Scalar { .. } => return None,
    };
    let entries: Option<Vec<_>> = nodes
        .iter()
        .map(|node| match &node.tree {
            Tree::Map(entries) if !entries.is_empty() => Some(entries),
            _ => None,
        })
        .collect();
    let entries = entries.filter(|entries| !entries.is_empty())?;
    Some(entries.into_iter().flatten().map(|(key, _)| key.name.as_str()))
}

/// A plain word that is not the start of a broken Python block.
fn is_word(key: &str) -> bool {
    let first = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let rest = key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    first && rest && !matches!(key, "try" | "else" | "finally")
}

fn has_call(module: &Module) -> bool {
    struct Find(bool);
    impl<'a> Visitor<'a> for Find {
        fn visit_expr(&mut self, expression: &'a Expr) {
            self.0 |= expression.is_call_expr();
            walk_expr(self, expression);
        }
    }
    let mut find = Find(false);
    find.visit_body(module.body());
    find.0
}

#[cfg(test)]
mod tests;
