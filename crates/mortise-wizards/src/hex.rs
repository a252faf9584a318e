//! Bytes as hexadecimal digits.

use sha2::{Digest as _, Sha256};

/// Two lower-case digits for each byte.
pub(crate) fn hex_digits(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0f]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

/// The SHA-256 of a string.
pub(crate) fn sha256_hex(text: &str) -> String {
    hex_digits(&Sha256::digest(text.as_bytes()))
}
