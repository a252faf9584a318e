//! What counts as a difference.

use serde_json::json;

use super::differences;

#[test]
fn order_of_keys_and_spelling_of_numbers_do_not_count() {
    assert_eq!(differences(&json!({"a": 1, "b": [2]}), &json!({"b": [2.0], "a": 1.0})), Vec::<String>::new());
}

#[test]
fn every_difference_is_placed() {
    let left = json!({"a": {"b": [1, 2]}, "c": null});
    let right = json!({"a": {"b": [1, "2", 3]}, "d": 0});
    let expected =
        ["/a/b: 2 ≠ 3 elements", "/a/b/1: 2 ≠ \"2\"", "/c: only on the left", "/d: only on the right"];
    assert_eq!(differences(&left, &right), expected);
}
