//! Which patterns are spelled out, and that they mean the same.

use regex::Regex;

use super::Spelling;

#[track_caller]
fn check(pattern: &str, texts: &[&str]) {
    let spelling = Spelling::read(pattern).unwrap_or_else(|| panic!("`{pattern}` is not spelled out"));
    let regex = Regex::new(pattern).unwrap();
    for text in texts {
        assert_eq!(spelling.matches(text.as_bytes()), regex.is_match(text), "`{text}` under `{pattern}`");
    }
}

#[test]
fn spelled_patterns_match_what_the_expression_matches() {
    let texts = [
        "",
        "a",
        "ab",
        "abc",
        "a-b_9",
        "2026-11-15",
        "2026-11-1x",
        "2026-11-15 ",
        "2026-11-15\n",
        "é",
        "aé",
        "a\u{0}",
        "v1",
        "v12345",
        "deadbeef",
        "DEADBEEF",
        "AbC",
    ];
    for pattern in [
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        "^[a-z0-9_-]+$",
        "^[a-z]*$",
        "^v[0-9]{1,4}$",
        "^(?:[0-9a-f]{2}){4}$",
        "^(?i)abc$",
        "^([a-z])([a-z])?$",
        "^$",
        "^a$",
    ] {
        check(pattern, &texts);
    }
}

#[test]
fn other_patterns_are_not_spelled_out() {
    for pattern in [
        "abc",
        "^a",
        "a$",
        "^a|b$",
        "^a+b$",
        "^.$",
        "^\\w+$",
        "^[^a]$",
        "^é$",
        "^(?:ab)+$",
        "^a{300}$",
        "^\\b$",
    ] {
        assert!(Spelling::read(pattern).is_none(), "`{pattern}`");
    }
}
