use serde_json::Value;

use super::{shape_drift, value_drift};

#[track_caller]
fn check_shape(old: &str, new: &str, expected: &[&str]) {
    let (old, new): (Value, Value) = (serde_json::from_str(old).unwrap(), serde_json::from_str(new).unwrap());
    let found: Vec<String> = shape_drift(&old, &new)
        .into_iter()
        .map(|drift| format!("{}{}", if drift.is_harmful { "! " } else { "" }, drift.what))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn values_may_change() {
    check_shape(r#"{"a":1,"b":["x"],"c":{"d":null}}"#, r#"{"a":2.5,"b":["y","z"],"c":{"d":"now"}}"#, &[]);
    check_shape(r#"{"rows":[{"a":1}]}"#, r#"{"rows":[]}"#, &[]);
    check_shape(r#"{"rows":[]}"#, r#"{"rows":[{"a":1}]}"#, &[]);
}

#[test]
fn keys_and_kinds_may_not() {
    check_shape(
        r#"{"a":1,"b":"x","c":{"d":1}}"#,
        r#"{"a":"1","c":{"d":null},"e":true}"#,
        &[
            "! `/a` was a number and is a string",
            "! `/b` is gone",
            "! `/c/d` was a number and is null",
            "`/e` is new",
        ],
    );
    check_shape("[1]", r#"{"a":1}"#, &["! the value was an array and is an object"]);
    check_shape(r#"[{"a":1},{"a":2}]"#, r#"[{"b":1}]"#, &["! `/*/a` is gone", "`/*/b` is new"]);
}

#[test]
fn what_was_optional_may_be_missing() {
    check_shape(r#"[{"a":1,"b":1},{"a":2}]"#, r#"[{"a":1}]"#, &[]);
}

#[test]
fn exact_comparison_names_the_places() {
    let places = |old: &str, new: &str| -> Vec<String> {
        let (old, new): (Value, Value) =
            (serde_json::from_str(old).unwrap(), serde_json::from_str(new).unwrap());
        value_drift(&old, &new).into_iter().map(|drift| drift.pointer).collect()
    };
    assert_eq!(places(r#"{"a":1,"b":[1,2]}"#, r#"{"b":[1,3],"a":1.0}"#), ["/b/1"]);
    assert_eq!(places(r#"{"a":{"x":1}}"#, r#"{"a":{"y":1}}"#), ["/a"]);
    assert_eq!(places("1", "1"), [] as [&str; 0]);
}
