//! Marks at their places, whatever the value looks like.

use super::{PlaceNote, show};
use crate::terminal::Terminal;

fn note(pointer: &str, sentence: &str) -> PlaceNote {
    PlaceNote { pointer: pointer.to_owned(), sentence: sentence.to_owned() }
}

#[track_caller]
fn check(width: usize, json: &str, notes: &[PlaceNote], expected: &str) {
    let shown = show(&Terminal::plain(Some(width)), json, notes);
    assert_eq!(shown.text, expected);
    assert!(shown.has_all);
}

#[test]
fn a_mark_stands_beside_its_line() {
    check(
        80,
        r#"{"n":"one","rows":[{"id":1},{"id":"x"}]}"#,
        &[note("/n", "expected integer"), note("/rows/1/id", "expected integer")],
        "{\n  \"n\": \"one\",  ✗ expected integer\n  \"rows\": [\n    {\n      \"id\": 1\n    },\n    {\n      \"id\": \"x\"  ✗ expected integer\n    }\n  ]\n}\n",
    );
}

#[test]
fn a_mark_on_an_object_stands_where_it_opens_and_two_stand_below_each_other() {
    check(
        80,
        r#"{"a": {}, "b": {"c": null}}"#,
        &[note("/b", "`d` is missing"), note("/b", "`e` is missing"), note("", "too few")],
        "{  ✗ too few\n  \"a\": {},\n  \"b\": {  ✗ `d` is missing\n  ✗ `e` is missing\n    \"c\": null\n  }\n}\n",
    );
}

#[test]
fn a_long_sentence_wraps_below_the_line() {
    check(
        24,
        r#"{"n": 1}"#,
        &[note("/n", "expected a string of digits")],
        "{\n  \"n\": 1\n  ✗ expected a string of\n    digits\n}\n",
    );
}

#[test]
fn odd_keys_have_pointers_too() {
    check(
        80,
        r#"{"a/b~c": {"": ["x: \"y\", {"]}}"#,
        &[note("/a~1b~0c//0", "here")],
        "{\n  \"a/b~c\": {\n    \"\": [\n      \"x: \\\"y\\\", {\"  ✗ here\n    ]\n  }\n}\n",
    );
}

#[test]
fn a_place_that_is_not_there_is_reported() {
    assert!(!show(&Terminal::plain(None), "[1]", &[note("/7", "gone")]).has_all);
}

#[test]
fn values_without_lines_of_their_own_are_shown_too() {
    for value in ["1.10", "\"x\"", "null", "[]", "{}"] {
        assert_eq!(show(&Terminal::plain(None), value, &[]).text, format!("{value}\n"));
    }
}
