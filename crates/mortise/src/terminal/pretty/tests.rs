//! Indenting never touches a token.

use super::indent;

#[test]
fn tokens_stay_as_they_were_written() {
    let raw = r#"{"z":1.10,"a":[1e400,123456789012345678901234567890,{}],"s":"a\"b,{c}\\","e":[ ]}"#;
    assert_eq!(
        indent(raw),
        r#"{
  "z": 1.10,
  "a": [
    1e400,
    123456789012345678901234567890,
    {}
  ],
  "s": "a\"b,{c}\\",
  "e": []
}"#
    );
}

#[test]
fn indenting_twice_changes_nothing() {
    let once = indent("[ {\"a\" :\n\t[true,null]} , \"é\" ]");
    assert_eq!(indent(&once), once);
}

#[test]
fn scalars_have_no_line_breaks() {
    assert_eq!(indent(" 5 "), "5");
    assert_eq!(indent("\"\u{e0041}\""), "\"\u{e0041}\"");
}

#[test]
fn deep_nesting_does_not_explode() {
    let deep = "[".repeat(50_000) + "1" + &"]".repeat(50_000);
    assert!(indent(&deep).len() < 50_000 * 2 * 140);
}
