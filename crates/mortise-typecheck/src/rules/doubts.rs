//! What the types say about right programs too, and so is not worth a warning.
//!
//! A dict of the program's own making has one type for all its values, so `row["name"]` of `{"name": …, "total": …}` is
//! a text or a number; rows put together with others, or handed to a function that says `dict`, are no longer what
//! they were. The checker finds fault with all of that, and the program runs.

use ruff_python_ast::Expr;
use ruff_text_size::{Ranged as _, TextRange};

use crate::evidence::facts::literal;
use crate::evidence::kinds::{Group, Kind};
use crate::said::{sentence, shown};
use crate::walk::Scene;

impl Scene<'_> {
    /// Whether what the types say about a place is no sign of a mistake.
    pub(crate) fn is_doubtful(&self, message: &str, range: TextRange) -> bool {
        sentence::IDIOMS.iter().any(|idiom| message.contains(idiom))
            || is_narrowed(message)
            || wants_dict(message)
            || is_mixed_in(message)
            || self.is_unpacked(range)
            || self.is_mixed(range, Null::Doubted)
    }

    /// The same for an argument of a tool. There a value that may be null is worth a warning.
    pub(crate) fn is_doubtful_argument(&self, message: &str, range: TextRange) -> bool {
        is_narrowed(message) || gives_dict(message) || self.is_mixed(range, Null::Told)
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
        let mut groups: Vec<Group> = kinds.iter().filter_map(Group::of).collect();
        groups.sort_unstable();
        groups.dedup();
        let may_be_null = kinds.iter().any(|kind| matches!(kind, Kind::Nothing)) && !groups.is_empty();
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

    /// Whether an expression is stored in a dict of the program's own making.
    fn is_of_own_dict(&self, expression: &Expr) -> bool {
        let Expr::Subscript(subscript) = expression else { return false };
        self.evidence
            .types
            .kinds(&subscript.value)
            .iter()
            .any(|kind| matches!(kind, Kind::Dict | Kind::Other))
    }
}

/// What to make of a value that may be null.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Null {
    /// The program mostly knows better, unless a tool declares it so.
    Doubted,
    /// It is told.
    Told,
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

/// Whether a message is about a dict of the program's own making: its keys are not followed.
fn gives_dict(message: &str) -> bool {
    message.split_once(sentence::FOUND).is_some_and(|(_, found)| found.contains(shown::DICT))
}
