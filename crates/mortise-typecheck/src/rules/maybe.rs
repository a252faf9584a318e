//! Fields that may be null or missing, read as if they were there.

use ruff_python_ast::{Expr, ExprSubscript};
use ruff_text_size::{Ranged as _, TextRange};

use crate::evidence::facts::{awaited, literal};
use crate::evidence::handlers::Raises;
use crate::evidence::kinds::ValueKind;
use crate::evidence::origins::ValueOrigin;
use crate::finding::TypecheckRule;
use crate::said::lint;
use crate::walk::{Remark, Scene};

impl<'a> Scene<'a> {
    /// `row["note"]` where the shape says that `note` need not be there, and the program tests for it nowhere.
    pub(crate) fn judge_missing(&mut self, subscript: &ExprSubscript) {
        let Some(key) = literal(&subscript.slice) else { return };
        let is_expected = self.evidence.facts.tested.contains(key)
            || self.evidence.facts.stored.contains(key)
            || self.evidence.facts.stores_any
            || self.fallbacks > 0
            || self.evidence.facts.caught.iter().any(|caught| caught.catches(Raises::Key));
        if is_expected || !self.evidence.types.is_object(&subscript.value) {
            return;
        }
        let shapes = self.evidence.types.shapes(&subscript.value);
        if shapes.is_empty() || !shapes.iter().all(|shape| shape.is_optional(key)) {
            return;
        }
        let declared = shapes.first().map(|shape| shape.text.clone());
        let why = match shapes.iter().find_map(|shape| shape.observed) {
            Some(results) => format!("was not always there in {results} observed results"),
            None => "may be missing".to_owned(),
        };
        let message = format!("\"{key}\" {why}: read it with `.get(\"{key}\")`, or test for it first");
        let range = subscript.slice.range();
        self.remark(Remark {
            declared,
            ..Remark::possible(TypecheckRule::MaybeAbsent, Raises::Key, range, message)
        });
    }

    /// The value that may be null where the type checker finds fault with a None among what it can be.
    pub(crate) fn may_be_null(&self, id: &str, range: TextRange) -> Option<&'a Expr> {
        self.at(range).find_map(|expression| {
            let value = match (id, expression) {
                (lint::NOT_SUBSCRIPTABLE, Expr::Subscript(subscript)) => &*subscript.value,
                (
                    lint::UNRESOLVED_ATTRIBUTE | lint::POSSIBLY_MISSING_ATTRIBUTE,
                    Expr::Attribute(attribute),
                ) => &*attribute.value,
                (lint::NOT_ITERABLE | lint::INVALID_ARGUMENT_TYPE, expression) => expression,
                (lint::UNSUPPORTED_OPERATOR, Expr::BinOp(operation)) => {
                    return self.nullable_beside(&operation.left, &operation.right);
                }
                (lint::UNSUPPORTED_OPERATOR, Expr::Compare(compare)) => {
                    let [right] = &*compare.comparators else { return None };
                    return self.nullable_beside(&compare.left, right);
                }
                _ => return None,
            };
            self.is_nullable(value).then_some(value)
        })
    }

    /// The operand that may be null, if both could work together but for that.
    fn nullable_beside(&self, left: &'a Expr, right: &'a Expr) -> Option<&'a Expr> {
        let group = |operand: &Expr| self.evidence.group_but_null(operand);
        let are_alike = group(left).is_some_and(|left| group(right) == Some(left));
        [left, right].into_iter().find(|operand| are_alike && self.is_nullable(operand))
    }

    /// Says that a declared value may be null.
    pub(crate) fn remark_null(&mut self, value: &'a Expr, range: TextRange) {
        let shown = self.lines.within(value.range()).map(|at| self.lines.text(at)).unwrap_or_default();
        let declared = self.declares(value).and_then(|field| {
            let shapes = self.evidence.types.shapes(&field.value);
            shapes.first().map(|shape| shape.text.clone())
        });
        self.remark_at(Remark {
            declared,
            ..Remark::possible(
                TypecheckRule::MaybeAbsent,
                Raises::Operand,
                range,
                format!("`{shown}` may be null: test it first"),
            )
        });
    }

    /// Whether a tool declares that a value may be null.
    fn is_nullable(&self, value: &'a Expr) -> bool {
        let kinds = self.evidence.types.kinds(value);
        let is_null = |kind: &ValueKind<'_>| matches!(kind, ValueKind::Nothing);
        let is_either = kinds.iter().any(is_null) && !kinds.iter().all(is_null);
        let is_known = !kinds.iter().any(|kind| matches!(kind, ValueKind::Other));
        is_either && is_known && (self.declares(value).is_some() || self.is_result(value))
    }

    /// The declared field that a value is, by its place or by the one thing that its name gets.
    fn declares(&self, value: &'a Expr) -> Option<&'a ExprSubscript> {
        match value {
            Expr::Subscript(field) => {
                let is_field =
                    literal(&field.slice).is_some() && !self.evidence.types.shapes(&field.value).is_empty();
                Some(field).filter(|_| is_field && !self.is_replaced(value))
            }
            Expr::Name(name) => match self.evidence.origins.name(name.id.as_str()) {
                [ValueOrigin::Value(value)] if !value.is_name_expr() => self.declares(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a value is what a tool returns.
    fn is_result(&self, value: &'a Expr) -> bool {
        let value = match value {
            Expr::Name(name) => match self.evidence.origins.name(name.id.as_str()) {
                [ValueOrigin::Value(value)] => value,
                _ => return false,
            },
            value => value,
        };
        awaited(value).is_some_and(|tool| self.evidence.tools.contains_key(tool))
    }
}
