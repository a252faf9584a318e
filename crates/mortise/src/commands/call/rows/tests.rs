//! Which values become tables.

use mortise_contract::RawJson;

use super::table;
use crate::terminal::Terminal;

fn shown(width: usize, json: &str) -> Option<String> {
    table(&Terminal::plain(Some(width)), &RawJson::parse(json).unwrap())
}

#[test]
fn an_array_of_objects_is_a_table_with_numbers_right_aligned() {
    assert_eq!(
        shown(
            80,
            r#"[{"city": "Oslo", "high": 3.10, "tags": ["a"]}, {"city": "Rome", "high": 21, "wet": null}]"#
        )
        .unwrap(),
        "city  high  tags    wet\nOslo  3.10  [\"a\"]\nRome    21         null\n"
    );
}

#[test]
fn an_object_with_one_such_array_names_it() {
    assert_eq!(
        shown(80, r#"{"ticker": "AMZN", "rows": [{"q": 1}], "next": null}"#).unwrap(),
        "ticker  AMZN\nnext  null\nrows  1 row\nq\n1\n"
    );
}

#[test]
fn what_is_no_table_stays_json() {
    for json in [
        "[]",
        "[1, 2]",
        r#"[{"a": 1}, 2]"#,
        r#"{"a": 1}"#,
        r#"{"a": [{"b": 1}], "c": [{"d": 1}]}"#,
        r#"[{"text": "two\nlines"}]"#,
    ] {
        assert_eq!(shown(80, json), None, "{json}");
    }
    let long = format!(r#"[{{"text": "{}"}}]"#, "x".repeat(200));
    assert_eq!(shown(80, &long), None);
    let wide = r#"[{"one_title_here": "aaaaaaaaaaaaaaaaaaaa", "two_title_here": "aaaaaaaaaaaaaaaaaaaa"}]"#;
    assert_eq!(shown(20, wide), None);
}

#[test]
fn columns_that_do_not_fit_follow_below_with_the_first_one() {
    let wide = r#"[{"id": 1, "first_name": "Ada Lovelace", "last_known_town": "London", "died": 1852}]"#;
    assert_eq!(
        shown(34, wide).unwrap(),
        "id  first_name    last_known_town\n 1  Ada Lovelace  London\n\nid  died\n 1  1852\n"
    );
}

#[test]
fn text_from_a_server_controls_nothing() {
    let hostile = "[{\"a\": \"\\u001b[2J\", \"\\u202eb\": 1}]";
    let table = shown(80, hostile).unwrap();
    assert!(!table.contains('\u{1b}') && !table.contains('\u{202e}'), "{table:?}");
}
