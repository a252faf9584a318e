//! Writes types so that the program can say them.

use ruff_python_ast::Expr;
use ty_python_semantic::types::Type;

use super::calls::Passed;
use crate::evidence::kinds::Types;
use crate::evidence::named::NamedParts;

/// Bytes of a type; longer ones are left alone.
const LENGTH: usize = 400;
/// Types whose names the program can use.
pub(super) const PLAIN: [&str; 9] = ["list", "dict", "tuple", "set", "str", "int", "float", "bool", "None"];
/// How types that say nothing are written.
pub(super) const ANYTHING: &str = "_declared_anything";

pub(super) struct AnnotationWriter<'a, 'b> {
    types: &'b Types<'a>,
    /// Classes that were written: module and name.
    pub(super) used: Vec<(String, String)>,
}

impl<'a, 'b> AnnotationWriter<'a, 'b> {
    pub(super) fn new(types: &'b Types<'a>, used: &[(String, String)]) -> Self {
        Self { types, used: used.to_vec() }
    }

    /// All that some expressions can be, if objects of tools are among it.
    pub(super) fn union(&mut self, values: &[Passed<'_>]) -> Option<String> {
        let mut kinds: Vec<String> = Vec::new();
        let mut is_telling = false;
        for value in values {
            let (kind, tells) = self.written(value)?;
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

    /// The type of a value in words that the program can use, and whether a class of a tool is among them.
    fn written(&mut self, value: &Passed<'_>) -> Option<(String, bool)> {
        match value {
            Passed::Value(expression) => self.written_type(self.types.of(expression)?),
            Passed::Element(list) => {
                let list = self.types.of(list).filter(|found| matches!(found, Type::NominalInstance(_)))?;
                let (text, is_telling) = self.written_type(list)?;
                Some((text.strip_prefix("list[")?.strip_suffix(']')?.to_owned(), is_telling))
            }
        }
    }

    fn written_type(&mut self, found: Type<'a>) -> Option<(String, bool)> {
        let NamedParts { label, parts } = self.types.named_parts(found)?;
        let between = |from: usize, to: usize| {
            let gap = label.get(from..to)?;
            gap.chars().all(|c| matches!(c, '[' | ']' | ',' | ' ' | '|')).then_some(gap)
        };
        let mut text = String::new();
        let mut is_telling = false;
        let mut at = 0;
        for (range, named) in parts {
            text.push_str(between(at, usize::from(range.start()))?);
            let (word, tells) = self.word(named)?;
            text.push_str(&word);
            is_telling |= tells;
            at = usize::from(range.end());
        }
        text.push_str(between(at, label.len())?);
        Some((text, is_telling))
    }

    /// The name of one type that a type mentions, and whether it is a class of a tool.
    fn word(&mut self, named: Type<'a>) -> Option<(String, bool)> {
        if matches!(named, Type::Dynamic(_)) {
            return Some((ANYTHING.to_owned(), false));
        }
        if self.types.is_none(named) {
            return Some(("None".to_owned(), false));
        }
        let class = self.types.named_class(named)?;
        let Some((module, _)) = self.types.named_object(named) else {
            return PLAIN.contains(&class.as_str()).then_some((class, false));
        };
        let class = (module.to_owned(), class);
        let at = self.used.iter().position(|used| *used == class).unwrap_or(self.used.len());
        if at == self.used.len() {
            self.used.push(class);
        }
        Some((format!("_declared_{at}"), true))
    }
}
