use proptest::prelude::*;

use super::*;
use crate::format::ErrorCode;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(detect(text).map_or("unknown", TextFormat::as_str), expected, "{text}");
}

/// What clients were once told to do; kept to show what it gets wrong.
fn legacy_heuristic(content: &str) -> &'static str {
    if content.trim_start().starts_with("---") || content.contains(": ") {
        "yaml"
    } else if content.contains("def ") || content.contains("import ") {
        "python"
    } else if content.starts_with('{') || content.starts_with('[') {
        "json"
    } else {
        "unknown"
    }
}

#[test]
fn every_row_of_the_reference_is_detected() {
    check(r#"{"a": 1}"#, "json");
    check(" [1]", "json");
    check("def parse(file_path: str): return 1", "python");
    check("---\nname: a", "yaml");
    check("text = \"a: b\"", "python");
    check("name: foo\ntag: bar", "yaml");
    check("glob:\n  - a", "yaml");
    check("# note: x\nimport re", "python");
    for text in ["hello world", "42", "", "def f(:"] {
        check(text, "unknown");
    }
}

#[test]
fn wrapping_is_taken_away_once() {
    check("\u{feff}{\"a\": 1}", "json");
    check("```yaml\nname: a\n```", "yaml");
    check("```\nimport re\n```\n", "python");
    check("```\n```yaml\nname: a\n```\n```", "unknown");
}

#[test]
fn more_of_what_people_send() {
    check("- name: a\n  tag: b\n- name: c", "yaml");
    check("- a\n- b", "unknown");
    check("print('x')", "python");
    check("x: int = 5", "python");
    check("try:\n  x", "unknown");
    check("a b: 1", "unknown");
    check("true", "unknown");
    check("{a: 1}", "yaml");
    check("version: 1\nrules:\n  - {name: a, glob: '*', tag: t}\n", "yaml");
    check("a: &x 1\nb: *x", "yaml");
    check(&"[".repeat(10_000), "unknown");
}

#[test]
fn the_old_heuristic_was_wrong_where_parsing_is_right() {
    for (text, old, right) in [
        (r#"{"a": 1}"#, "yaml", "json"),
        ("def parse(p: str): return 1", "yaml", "python"),
        ("glob:\n  - a", "unknown", "yaml"),
        ("text = \"a: b\"", "yaml", "python"),
    ] {
        assert_eq!(legacy_heuristic(text), old);
        check(text, right);
    }
}

#[test]
fn a_declared_format_is_the_only_one_tried() {
    assert_eq!(check_declared(TextFormat::Yaml, "name: foo"), Ok(()));
    assert_eq!(check_declared(TextFormat::Python, "name: foo"), Ok(()));
    assert_eq!(TextFormat::declared("code"), Some(TextFormat::Python));
    let error = check_declared(TextFormat::Python, "x = 1\ndef f(:").expect_err("mismatch");
    assert_eq!((error.error_code, error.line), (ErrorCode::FormatMismatch, Some(2)));
    for (declared, text) in [
        (TextFormat::Json, "42"),
        (TextFormat::Json, "{"),
        (TextFormat::Yaml, "- 1"),
        (TextFormat::Yaml, "a: ["),
    ] {
        let error = check_declared(declared, text).expect_err("mismatch");
        assert_eq!(error.error_code, ErrorCode::FormatMismatch, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_detected_without_a_panic(text in "[ -~\n]{0,120}") {
        _ = detect(&text);
    }

    #[test]
    fn any_json_object_is_json(key in "[a-z]{1,8}", value in any::<i64>()) {
        prop_assert_eq!(detect(&serde_json::json!({key: value}).to_string()), Some(TextFormat::Json));
    }
}
