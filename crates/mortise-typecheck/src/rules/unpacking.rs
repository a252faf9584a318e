//! Objects that are unpacked like pairs: `for name, size in rows` goes through the keys of each row.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged as _;

use crate::evidence::handlers::Raises;
use crate::finding::TypecheckRule;
use crate::walk::{Remark, Scene};

impl<'a> Scene<'a> {
    /// `for name, size in rows`, where each row is an object of a tool with more keys than that.
    pub(crate) fn judge_unpacked(&mut self, target: &'a Expr, iterated: &'a Expr) {
        let Expr::Tuple(names) = target else { return };
        if names.elts.iter().any(Expr::is_starred_expr)
            || self.evidence.facts.replaces
            || self.evidence.facts.stores_any
        {
            return;
        }
        let Some(shape) = self.evidence.types.element_shape(iterated) else { return };
        let required = shape.keys.iter().filter(|key| !shape.is_optional(key)).count();
        if required <= names.elts.len() {
            return;
        }
        let declared = Some(shape.text.clone());
        let count = names.elts.len();
        let message = format!(
            "ValueError: too many values to unpack (expected {count}): each of these is an object with the keys below"
        );
        self.remark(Remark {
            declared,
            ..Remark::sure(TypecheckRule::WrongType, Raises::Format, target.range(), message)
        });
    }
}
