//! What a shown value stands for.

use super::amount;

#[test]
fn a_shown_value_is_read_with_its_unit() {
    for (shown, expected) in [
        ("16", 16),
        ("50,000", 50_000),
        ("120 s", 120),
        ("2 s each", 2),
        ("64 KiB", 64 << 10),
        ("16 MiB", 16 << 20),
        ("2 GiB", 2 << 30),
        ("50 million", 50_000_000),
        ("4,096 bytes", 4_096),
    ] {
        assert_eq!(amount(shown), expected, "{shown}");
    }
}

#[test]
#[should_panic(expected = "begins with its number")]
fn a_shown_value_without_a_number_is_refused() {
    amount("about 7");
}
