//! Licence expressions as packages write them.

use super::allowed;

#[track_caller]
fn check(expression: &str, expected: bool) {
    let allow = ["MIT", "Apache-2.0", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    assert_eq!(allowed(expression, &allow), expected, "{expression}");
}

#[test]
fn a_choice_needs_one_allowed_licence() {
    check("MIT OR LGPL-2.1-or-later", true);
    check("GPL-3.0 OR LGPL-2.1-or-later", false);
    check("Unlicense/MIT", true);
}

#[test]
fn a_combination_needs_all() {
    check("(MIT OR GPL-3.0) AND Unicode-3.0", true);
    check("MIT AND GPL-3.0", false);
    check("MIT AND GPL-3.0 OR Apache-2.0", true);
}

#[test]
fn an_exception_counts_with_its_licence() {
    check("Apache-2.0 WITH LLVM-exception", true);
    check("MIT WITH LLVM-exception", false);
}

#[test]
fn broken_expressions_are_refused() {
    check("", false);
    check("(MIT", false);
    check("MIT MIT", false);
}
