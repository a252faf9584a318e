//! What reaches a terminal of what a server wrote.

use super::{json, line, text};

#[track_caller]
fn check(raw: &str, expected: &str) {
    assert_eq!(text(raw), expected);
}

#[test]
fn plain_text_passes_as_it_is() {
    check("Umsätze in €\n\tüber 5 % 📈", "Umsätze in €\n\tüber 5 % 📈");
}

#[test]
fn control_sequences_are_shown_and_not_obeyed() {
    check("\u{1b}[2Jgone", "\\u{1b}[2Jgone");
    check("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}");
    check("\u{9b}31m", "\\u{9b}31m");
    check("\u{7f}\u{8}", "\\u{7f}\\u{8}");
}

#[test]
fn a_carriage_return_can_not_overwrite_a_line() {
    check("paid: 100\rpaid: 999", "paid: 100\\u{d}paid: 999");
    check("one\r\ntwo", "one\ntwo");
}

#[test]
fn invisible_characters_become_visible() {
    check("safe\u{202e}txt.exe", "safe\\u{202e}txt.exe");
    check("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}");
    check("x\u{e0041}\u{e0101}", "x\\u{e0041}\\u{e0101}");
    check("\u{2028}", "\\u{2028}");
}

#[test]
fn one_line_has_no_breaks() {
    assert_eq!(line("  First\n\n  second\u{1b}[0m\tthird "), "First second\\u{1b}[0m third");
}

#[test]
fn escaped_json_stays_the_same_json() {
    let raw = "{\"a\": \"\u{7f}\u{202e}\u{e0041}\"}";
    let shown = json(raw);
    assert_eq!(shown, r#"{"a": "\u007f\u202e\udb40\udc41"}"#);
    let (before, after): (serde_json::Value, serde_json::Value) =
        (serde_json::from_str(raw).unwrap(), serde_json::from_str(&shown).unwrap());
    assert_eq!(before, after);
}
