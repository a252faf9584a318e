//! Hashes as hexadecimal digits.

use mortise_contract::text::hex;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a string.
pub(crate) fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
