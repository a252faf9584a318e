//! Texts and patterns as Python literals that no text can break out of.

pub(crate) use crate::python_literal::string as literal;

/// A pattern as a literal: raw where that says the same, which is how a person would write it.
pub(super) fn pattern(regex: &str) -> String {
    let is_plain = regex.chars().all(|character| (' '..='~').contains(&character) && character != '"');
    let backslashes = regex.len() - regex.trim_end_matches('\\').len();
    match is_plain && backslashes.is_multiple_of(2) {
        true => format!("r\"{regex}\""),
        false => literal(regex),
    }
}
