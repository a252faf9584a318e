//! What expressions of the same kind have in common.

use super::expression::{Expression, ExpressionStep};
use crate::hex::sha256_hex;

pub(crate) fn abstract_structure(expression: &Expression) -> String {
    let names: Vec<&str> = expression
        .steps()
        .iter()
        .map(|step| match step {
            ExpressionStep::AnyDepth => "**",
            ExpressionStep::Is(primitive) => primitive.name(),
        })
        .collect();
    names.join(" > ")
}

/// The id of all expressions with one abstract structure: 12 hex digits.
pub(crate) fn equivalence_class(expression: &Expression) -> String {
    sha256_hex(&abstract_structure(expression))[..12].to_owned()
}
