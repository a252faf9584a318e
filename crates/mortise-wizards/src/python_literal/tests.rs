use super::*;

#[test]
fn what_could_end_a_literal_is_escaped() {
    assert_eq!(string("a\"b\\c\nd\re\tf\0"), r#""a\"b\\c\nd\re\tf\x00""#);
    assert_eq!(string("é 日本 \u{202e}\u{2028}\u{1f600}"), "\"é 日本 \\u202e\\u2028\\U0001f600\"");
    assert_eq!(string(""), "\"\"");
}

#[test]
fn sets_are_sorted_and_never_a_dict() {
    assert_eq!(set(["NA", "", "NA"]), r#"{"", "NA"}"#);
    assert_eq!(set([]), "set()");
}

#[test]
fn prose_keeps_no_quote_and_no_line() {
    assert_eq!(prose("a\"\"\"\nimport os # b\\"), "a''' import os # b'");
    assert_eq!(prose(&"x".repeat(100)).len(), 63);
}

#[test]
fn only_names_are_modules() {
    for (name, expected) in [
        ("xml.etree", true),
        ("_a1", true),
        ("", false),
        ("a..b", false),
        ("a;b", false),
        ("1a", false),
        ("import", false),
        ("a b", false),
    ] {
        assert_eq!(is_module(name), expected, "{name}");
    }
}
