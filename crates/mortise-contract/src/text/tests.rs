use super::{cut, cut_bytes, date, error_chain, nearest, one_line, printable};

#[test]
fn a_cut_is_at_a_character_and_visible() {
    assert_eq!(cut("größer", 3), "grö…");
    assert_eq!(cut("größer", 6), "größer");
    assert_eq!(cut("", 0), "");
    assert_eq!(cut_bytes("größer", 8), "größer");
    assert_eq!(cut_bytes("größer", 7), "grö…");
    assert_eq!(cut_bytes("größer", 6), "gr…");
}

#[test]
fn control_characters_never_start_a_line() {
    assert_eq!(one_line("  a\r\n\tb\u{85}c \u{1b}[31md\u{2028}e "), "a b c [31md e");
    assert_eq!(printable("a\n\u{1b}\"b\\'\u{202e}"), "a\\n\\u{1b}\"b\\'\\u{202e}");
}

#[test]
fn a_misspelt_name_is_near_and_a_short_one_is_not() {
    let known = ["revenue", "id", "full_name", "name", "environment"];
    for (name, expected) in [
        ("revenu", Some("revenue")),
        ("revneue", Some("revenue")),
        ("fullName", Some("full_name")),
        ("nmae", Some("name")),
        ("envronmnt", Some("environment")),
        ("ip", None),
        ("Id", Some("id")),
        ("REVENUE", Some("revenue")),
        ("profit", None),
        ("revenue", None),
    ] {
        assert_eq!(nearest(name, known), expected, "{name}");
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Failure {
    text: &'static str,
    #[source]
    cause: Option<Box<Failure>>,
}

#[test]
fn a_cause_that_was_said_is_left_out() {
    let inner = Failure { text: "no route", cause: None };
    let middle = Failure { text: "dial: no route", cause: Some(Box::new(inner)) };
    let outer = Failure { text: "cannot reach `a`", cause: Some(Box::new(middle)) };
    assert_eq!(error_chain(&outer), "cannot reach `a`: dial: no route");
}

#[test]
fn a_moment_is_shown_as_its_day() {
    let rows = [
        (0, "1970-01-01"),
        (951_782_400, "2000-02-29"),
        (951_868_799, "2000-02-29"),
        (951_868_800, "2000-03-01"),
        (1_795_046_399, "2026-11-18"),
        (4_107_542_400, "2100-03-01"),
    ];
    for (seconds, day) in rows {
        assert_eq!(date(seconds), day);
    }
}
