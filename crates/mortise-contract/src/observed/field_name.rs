//! Whether a key names a field, or is data itself.

use crate::limits::OBSERVED_NAME;

/// Digits in the name of a field. `sha256` and `x86_64` have fewer than `order-20261118` or the hash of a commit.
const DIGITS: usize = 4;

/// Whether a key looks like the name of a field. An address, a date, a path or an id is a key of a map: it is data of a
/// user and is not kept.
pub(super) fn is_field_name(key: &str) -> bool {
    let mut characters = key.chars();
    let starts =
        characters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$' | '@'));
    starts
        && key.len() <= OBSERVED_NAME
        && characters
            .all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '$' | ':'))
        && key.chars().filter(char::is_ascii_digit).count() <= DIGITS
}
