//! Writes types so that the program can say them.

use std::collections::HashMap;

use ruff_python_ast::Expr;

use super::calls::{Passed, Uses};
use crate::evidence::kinds::Types;
use crate::said::shown;
use crate::stub::Stub;

/// Bytes of a type; longer ones are left alone.
const LENGTH: usize = 400;
/// Types that are written as they are shown.
pub(super) const PLAIN: [&str; 9] = ["list", "dict", "tuple", "set", "str", "int", "float", "bool", "None"];
/// How types that say nothing are written.
pub(super) const ANYTHING: &str = "_declared_anything";

pub(super) struct Writer<'a, 'b> {
    types: &'b Types<'a>,
    /// Which module has a class; none where several have it.
    classes: HashMap<&'a str, Option<&'a str>>,
    /// Classes that were written: module and name.
    pub(super) used: Vec<(String, String)>,
}

impl<'a, 'b> Writer<'a, 'b> {
    pub(super) fn new(types: &'b Types<'a>, used: &[(String, String)], uses: &Uses<'_>) -> Self {
        let mut classes = HashMap::new();
        let of_stub =
            |stub: &&'a Stub| stub.shapes.keys().map(|class| (class.as_str(), stub.module.as_str()));
        for (class, module) in types.stubs.iter().flat_map(of_stub) {
            classes.entry(class).and_modify(|known| *known = None).or_insert(Some(module));
        }
        classes.retain(|class, _| !uses.bound.contains_key(class));
        Self { types, classes, used: used.to_vec() }
    }

    /// All that some expressions can be, if objects of tools are among it.
    pub(super) fn union(&mut self, values: &[Passed<'_>]) -> Option<String> {
        let mut kinds: Vec<String> = Vec::new();
        let mut is_telling = false;
        for value in values {
            let (kind, tells) = self.written(&self.shown(value)?)?;
            // Beside anything, the rest says nothing; a later pass may know more.
            if kind.split(" | ").any(|kind| kind == ANYTHING) {
                return None;
            }
            is_telling |= tells;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        let kind = kinds.join(" | ");
        (is_telling && kind.len() <= LENGTH).then_some(kind)
    }

    /// Whether an expression is None and nothing else.
    pub(super) fn is_nothing(&self, value: &Expr) -> bool {
        self.types.is_nothing(value)
    }

    fn shown(&self, value: &Passed<'_>) -> Option<String> {
        let shown =
            |expression: &Expr| self.types.shown(expression).unwrap_or_else(|| shown::UNKNOWN.to_owned());
        match value {
            Passed::Value(expression) => Some(shown(expression)),
            Passed::Element(list) => {
                Some(shown(list).strip_prefix(shown::LIST)?.strip_suffix(']')?.to_owned())
            }
        }
    }

    /// A type as it is shown, in words that the program can use, and whether a class of a tool is among them.
    fn written(&mut self, shown: &str) -> Option<(String, bool)> {
        let mut text = String::new();
        let mut is_telling = false;
        let mut rest = shown;
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c == '_' || c.is_alphanumeric();
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if end == 0 {
                if !matches!(first, '[' | ']' | ',' | ' ' | '|') {
                    return None;
                }
                text.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let (word, after) = rest.split_at(end);
            rest = after;
            if shown::ANYTHING.contains(&word) {
                text.push_str(ANYTHING);
            } else if PLAIN.contains(&word) {
                text.push_str(word);
            } else {
                let (class, module) = self.classes.get_key_value(word)?;
                let class = ((*module)?.to_owned(), (*class).to_owned());
                let at = self.used.iter().position(|used| *used == class).unwrap_or(self.used.len());
                if at == self.used.len() {
                    self.used.push(class);
                }
                is_telling = true;
                text.push_str(&format!("_declared_{at}"));
            }
        }
        Some((text, is_telling))
    }
}
