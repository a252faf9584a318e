//! None where a value is wanted: what `rows.sort()` and a function without `return` give.

use ruff_python_ast::{Expr, ExprCall, Stmt};
use ruff_text_size::{Ranged as _, TextRange};

use crate::evidence::handlers::{Raises, last_name};
use crate::evidence::kinds::ValueKind;
use crate::evidence::origins::ValueOrigin;
use crate::finding::TypecheckRule;
use crate::said::lint;
use crate::walk::{Remark, Scene};

/// Methods that change their object and return None.
const IN_PLACE: [&str; 12] = [
    "add",
    "append",
    "appendleft",
    "clear",
    "discard",
    "extend",
    "extendleft",
    "insert",
    "remove",
    "reverse",
    "sort",
    "update",
];

impl<'a> Scene<'a> {
    /// The operand that is surely None and with which the type checker finds fault, if there is one.
    pub(crate) fn surely_nothing(&self, id: &str, range: TextRange) -> Option<&'a ExprCall> {
        if id == lint::UNSUPPORTED_OPERATOR
            && let Some(statement) = self.augmented.iter().find(|statement| statement.range() == range)
        {
            return self.nothing(&statement.value).filter(|_| self.evidence.is_exact(&statement.target));
        }
        self.at(range).find_map(|expression| match (id, expression) {
            (lint::NOT_SUBSCRIPTABLE, Expr::Subscript(subscript)) => self.nothing(&subscript.value),
            (lint::UNRESOLVED_ATTRIBUTE, Expr::Attribute(attribute)) => self.nothing(&attribute.value),
            (lint::UNSUPPORTED_OPERATOR, Expr::BinOp(operation)) => {
                self.nothing_beside(&operation.left, &operation.right)
            }
            (lint::UNSUPPORTED_OPERATOR, Expr::Compare(compare)) => {
                let [right] = &*compare.comparators else { return None };
                self.nothing_beside(&compare.left, right)
            }
            (lint::NOT_ITERABLE | lint::INVALID_AWAIT, expression) => self.nothing(expression),
            (lint::INVALID_ARGUMENT_TYPE, argument) if self.is_exacting(argument) => self.nothing(argument),
            _ => None,
        })
    }

    fn nothing_beside(&self, left: &'a Expr, right: &'a Expr) -> Option<&'a ExprCall> {
        let is_known =
            |other: &'a Expr| self.evidence.is_exact(other) || self.evidence.types.is_nothing(other);
        let on_the_left = self.nothing(left).filter(|_| is_known(right));
        on_the_left.or_else(|| self.nothing(right).filter(|_| is_known(left)))
    }

    /// The call that gives None, if an expression is what that call gave and nothing else.
    fn nothing(&self, expression: &'a Expr) -> Option<&'a ExprCall> {
        if !self.evidence.types.is_nothing(expression) {
            return None;
        }
        match expression {
            Expr::Name(name) => match self.evidence.origins.name(name.id.as_str()) {
                [ValueOrigin::Value(value)] => self.nothing(value),
                _ => None,
            },
            Expr::Await(awaited) => awaited.value.as_call_expr().filter(|call| self.gives_nothing(call)),
            Expr::Call(call) => Some(call).filter(|call| self.gives_nothing(call)),
            _ => None,
        }
    }

    /// `{…}.update(…)` and the like, whatever the types say of its arguments.
    fn is_in_place(&self, call: &ExprCall) -> bool {
        let Expr::Attribute(method) = &*call.func else { return false };
        let kinds = self.evidence.types.kinds(&method.value);
        let is_container = |kind: &ValueKind<'_>| matches!(kind, ValueKind::List | ValueKind::Dict);
        let is_other = |kind: &ValueKind<'_>| !is_container(kind) && !matches!(kind, ValueKind::Nothing);
        let is_own = !self.evidence.origins.name(method.attr.as_str()).is_empty();
        let is_known = kinds.iter().any(is_container) && !kinds.iter().any(is_other);
        IN_PLACE.contains(&method.attr.as_str()) && !is_own && is_known
    }

    /// Whether a function returns nothing, whatever its annotation says.
    fn gives_nothing(&self, call: &ExprCall) -> bool {
        let Some(name) = last_name(&call.func) else { return false };
        match self.evidence.origins.name(name) {
            [] | [ValueOrigin::Import] => true,
            [ValueOrigin::Function(function)] => {
                let returned = self.evidence.origins.returned(*function);
                returned.iter().all(|value| self.nothing(value).is_some())
            }
            _ => false,
        }
    }

    /// Says what gives None and what to do instead.
    pub(crate) fn remark_nothing(&mut self, call: &ExprCall, range: TextRange) {
        let name = last_name(&call.func).unwrap_or("this");
        let message = match self.evidence.origins.name(name) {
            [ValueOrigin::Function(_)] => {
                format!("TypeError: `{name}` returns None: no `return` in it has a value")
            }
            _ if name == "sort" => {
                "TypeError: `sort` sorts the list itself and returns None: use `sorted(...)` for a new list"
                    .to_owned()
            }
            _ => format!(
                "TypeError: `{name}` changes its object and returns None: call it on a line of its own"
            ),
        };
        self.remark_at(Remark::sure(TypecheckRule::WrongType, Raises::Operand, range, message));
    }

    /// `names = names.append(name)`: the name gets None.
    pub(crate) fn judge_lost_list(&mut self, statement: &Stmt) {
        let Stmt::Assign(assignment) = statement else { return };
        let ([Expr::Name(name)], Expr::Call(call)) = (&*assignment.targets, &*assignment.value) else {
            return;
        };
        let Expr::Attribute(method) = &*call.func else { return };
        let is_same = method.value.as_name_expr().is_some_and(|object| object.id == name.id);
        // Where the types know that it is None, they find fault with each use.
        let is_unknown = matches!(self.evidence.origins.name(name.id.as_str()), [_])
            && self.evidence.facts.reads.contains_key(name.id.as_str())
            && !self.evidence.types.is_nothing(&assignment.value);
        if !(is_same || is_unknown) || !self.is_in_place(call) {
            return;
        }
        let (name, attribute) = (&name.id, method.attr.as_str());
        let advice = if is_same { format!(": write `{name}.{attribute}(...)` alone") } else { String::new() };
        let message = format!("`{attribute}` returns None, which `{name}` gets{advice}");
        self.remark(Remark::sure(TypecheckRule::WrongType, Raises::Operand, assignment.range(), message));
    }
}
