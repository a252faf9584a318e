//! Randomness from the operating system.

use mortise_contract::text::hex;

pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    #[expect(
        clippy::expect_used,
        reason = "without randomness no id or key is safe; the kernel provides it"
    )]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// 128 random bits in hex.
pub(crate) fn hex_id() -> String {
    hex(&bytes::<16>())
}
