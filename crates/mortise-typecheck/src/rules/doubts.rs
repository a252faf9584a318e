//! Findings of ty that right programs have too, and that are not worth a warning.
//!
//! A dict that the program created has one type for all its values, so `row["name"]` of `{"name": …, "total": …}` is
//! a text or a number; rows put together with others, or handed to a function that says `dict`, are no longer what
//! they were. The checker finds fault with all of that, and the program runs.

use ruff_python_ast::Expr;
use ruff_text_size::{Ranged as _, TextRange};

use crate::evidence::facts::literal;
use crate::evidence::kinds::{KindGroup, ValueKind};
use crate::rules::operations::operands;
use crate::said::{lint, sentence, shown};
use crate::walk::Scene;

impl Scene<'_> {
    /// Whether a finding of ty is not a sign of a mistake.
    pub(crate) fn is_doubtful(&self, id: &str, message: &str, range: TextRange) -> bool {
        sentence::IDIOMS.iter().any(|idiom| message.contains(idiom))
            || self.is_idiom(id, range)
            || is_narrowed(message)
            || wants_dict(message)
            || is_mixed_in(message)
            || self.is_unpacked(range)
            || self.is_mixed(range, Null::Doubted)
    }

    /// Whether a right program does this too: it gives a function attributes, deletes items, passes arguments that a
    /// decorator takes, or uses a form of `typing` as a value.
    fn is_idiom(&self, id: &str, range: TextRange) -> bool {
        let changes = |expression: &Expr| match expression {
            Expr::Attribute(attribute) => id == lint::UNRESOLVED_ATTRIBUTE && attribute.ctx.is_store(),
            Expr::Subscript(subscript) => subscript.ctx.is_del(),
            object => self.subscript_of(object).is_some_and(|subscript| subscript.ctx.is_del()),
        };
        let is_form = |operand: &&Expr| self.evidence.types.is_special_form(operand);
        id == lint::UNKNOWN_ARGUMENT
            || self
                .at(range)
                .any(|expression| changes(expression) || operands(expression).iter().any(is_form))
    }

    /// Whether a finding about an argument of a tool is not a sign of a mistake. A value that may be null is worth a
    /// warning there.
    pub(crate) fn is_doubtful_argument(&self, message: &str, range: TextRange) -> bool {
        is_narrowed(message) || gives_dict(message) || self.is_mixed(range, Null::Reported)
    }

    /// Whether a place is `**arguments`: what is unpacked has one type for all its values.
    pub(crate) fn is_unpacked(&self, range: TextRange) -> bool {
        self.lines.within(range).is_some_and(|at| self.lines.text(at).starts_with("**"))
    }

    /// Whether something within a place can be several things.
    fn is_mixed(&self, range: TextRange, null: Null) -> bool {
        let first = self.expressions.partition_point(|expression| expression.start() < range.start());
        let mut within =
            self.expressions[first..].iter().take_while(|expression| expression.start() < range.end());
        within.any(|expression| self.can_be_several(expression, null))
    }

    fn can_be_several(&self, expression: &Expr, null: Null) -> bool {
        let kinds = self.evidence.types.kinds(expression);
        let mut groups: Vec<KindGroup> = kinds.iter().filter_map(KindGroup::of).collect();
        groups.sort_unstable();
        groups.dedup();
        let may_be_null = kinds.iter().any(|kind| matches!(kind, ValueKind::Nothing)) && !groups.is_empty();
        let is_of_own_dict = kinds.is_empty() && self.is_of_own_dict(expression);
        groups.len() > 1
            || is_of_own_dict
            || self.is_replaced(expression)
            || self.evidence.is_typed(expression)
            || (may_be_null && null == Null::Doubted && !self.is_field(expression))
    }

    /// Whether an expression is a field of an object of a tool.
    fn is_field(&self, expression: &Expr) -> bool {
        let Expr::Subscript(subscript) = expression else { return false };
        literal(&subscript.slice).is_some() && !self.evidence.types.shapes(&subscript.value).is_empty()
    }

    /// Whether an expression is stored in a dict that the program created.
    fn is_of_own_dict(&self, expression: &Expr) -> bool {
        let Expr::Subscript(subscript) = expression else { return false };
        self.evidence
            .types
            .kinds(&subscript.value)
            .iter()
            .any(|kind| matches!(kind, ValueKind::Dict | ValueKind::Other))
    }
}

/// What to make of a value that may be null.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    /// The program mostly knows better, unless a tool declares it so.
    Doubted,
    Reported,
}

/// Whether a message is about something that was tested to be several things, or not to be some.
fn is_narrowed(message: &str) -> bool {
    message.contains(shown::AND)
}

/// Whether a message is about a function that wants dicts: objects of tools are dicts, whatever the types say.
fn wants_dict(message: &str) -> bool {
    let expected = message.split_once(sentence::EXPECTED).map(|(_, rest)| rest);
    let expected = expected.and_then(|rest| rest.split_once(sentence::FOUND)).map(|(expected, _)| expected);
    expected.is_some_and(|expected| expected.contains(shown::DICT) || expected.contains(shown::MAPPING))
}

/// Whether a message is about a dict that is put among rows, which are dicts too.
fn is_mixed_in(message: &str) -> bool {
    sentence::PUTS.iter().any(|method| message.contains(method)) && gives_dict(message)
}

/// Whether a message is about a dict that the program created: its keys are not followed.
fn gives_dict(message: &str) -> bool {
    message.split_once(sentence::FOUND).is_some_and(|(_, found)| found.contains(shown::DICT))
}
