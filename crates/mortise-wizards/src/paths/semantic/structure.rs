//! What expressions of the same kind have in common.

use sha2::{Digest as _, Sha256};

use super::expression::{Expression, ExpressionStep};

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
    let digest = Sha256::digest(abstract_structure(expression).as_bytes());
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}
