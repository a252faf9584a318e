use super::*;

#[track_caller]
fn check_levels(text: &str, expected: usize) {
    assert_eq!(scan_json(text).levels, expected, "{text}");
}

#[track_caller]
fn check_wide(text: &str, expected: bool) {
    assert_eq!(scan_json(text).wide_numbers, expected, "{text}");
}

#[test]
fn brackets_are_counted_where_they_nest() {
    check_levels("1", 1);
    check_levels("[]", 2);
    check_levels(r#"{"a":[1,{"b":[]}],"c":[[]]}"#, 5);
}

#[test]
fn brackets_in_strings_do_not_count() {
    check_levels(r#"["[[[", "\"[{", "\\"]"#, 2);
}

#[test]
fn a_hundred_thousand_levels_cost_no_stack() {
    check_levels(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), 100_001);
}

#[test]
fn numbers_that_might_not_fit_are_found() {
    check_wide("[1e400]", true);
    check_wide("[-1E+308]", true);
    check_wide(&format!("[{}]", "9".repeat(400)), true);
    check_wide(&format!("[0.{}]", "9".repeat(400)), true);
}

#[test]
fn ordinary_numbers_and_texts_are_not() {
    check_wide(r#"[1, -2.5, 1e10, 1E-99, true, false, "1e400", "e999"]"#, false);
    check_wide(&format!("[\"{}\"]", "9".repeat(400)), false);
    check_wide(&format!("[{}]", "9".repeat(300)), false);
}

#[test]
fn what_is_no_json_ends_the_scan() {
    for text in ["", "\"", "\"\\", "e", "1e", "1e+", "[[", "]]]"] {
        scan_json(text);
    }
}
