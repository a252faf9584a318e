use super::printable;

#[test]
fn what_prints_stays_and_what_does_not_is_written_out() {
    assert_eq!(printable(r#"File "a\b", it's"#), r#"File "a\b", it's"#);
    assert_eq!(printable("\u{1b}[31m\r\n\u{202e}"), r"\u{1b}[31m\r\n\u{202e}");
}
