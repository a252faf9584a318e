//! Rows on raw JSON.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{JsonError, JsonKind, RawJson, canonical_text, duplicate_keys, is_same_value, measure};

fn nested(open: &str, inner: &str, close: &str, times: usize) -> String {
    format!("{}{inner}{}", open.repeat(times), close.repeat(times))
}

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[test]
fn a_text_is_kept_to_the_byte() {
    let text =
        "{ \"b\": 1.10,\n \"a\": [1e400, 12345678901234567890123456789012345678901234567890], \"a\": -0 }";
    assert_eq!(raw(&format!("  {text}\n")).text(), text);
    let members = raw(text).members().unwrap();
    let shown: Vec<(&str, &str)> = members.iter().map(|(key, value)| (key.as_str(), value.text())).collect();
    assert_eq!(
        shown,
        [("b", "1.10"), ("a", "[1e400, 12345678901234567890123456789012345678901234567890]"), ("a", "-0")]
    );
    assert_eq!(raw(text).member("a").unwrap().text(), "-0");
    assert_eq!(raw("[ 1 ,\t{\"x\" : 2}]").elements().unwrap(), [raw("1"), raw("{\"x\" : 2}")]);
}

#[test]
fn what_is_not_json_is_refused() {
    for text in ["", "nul", "[1", "{\"a\":}", "1 2", "\u{feff}1", "NaN", "'a'", "{\"a\":1,}", "01", "\"\t\""]
    {
        assert!(matches!(RawJson::parse(text), Err(JsonError::Syntax { .. })), "{text:?}");
    }
}

#[test]
fn a_lone_surrogate_is_an_error_where_it_is_read() {
    let frame = raw(r#"{"good": 1, "bad": "\ud800"}"#);
    let members = frame.members().unwrap();
    assert_eq!(members[0].1.value(), Ok(json!(1)));
    assert!(matches!(members[1].1.value(), Err(JsonError::Syntax { .. })));
    assert!(frame.value().is_err());
}

#[test]
fn nesting_is_bounded_without_recursion() {
    assert!(raw(&nested("[", "1", "]", 127)).value().is_ok());
    assert_eq!(raw(&nested("[", "", "]", 128)).value(), Err(JsonError::TooDeep { limit: 128 }));
    assert_eq!(raw(&nested("{\"a\":", "1", "}", 128)).value(), Err(JsonError::TooDeep { limit: 128 }));
    assert_eq!(raw(&nested("[", "", "]", 100_000)).value(), Err(JsonError::TooDeep { limit: 128 }));
    assert!(matches!(RawJson::parse(&"[".repeat(100_000)), Err(JsonError::Syntax { .. })));
    assert_eq!(raw("\"[[[[\"").value(), Ok(json!("[[[[")));
}

#[track_caller]
fn check_numbers(text: &str, value: Value, notes: &[(&str, &str)]) {
    let reading = raw(text).read().unwrap();
    assert_eq!(reading.value, value);
    let found: Vec<(&str, &str)> =
        reading.numbers.iter().map(|note| (note.pointer.as_str(), note.issue.as_str())).collect();
    assert_eq!(found, notes, "{text}");
}

#[test]
fn a_number_out_of_range_loses_nothing_else() {
    check_numbers(
        r#"{"a/b": [1e400, "1e400"], "c": -1E+999, "d": 7}"#,
        json!({"a/b": [f64::MAX, "1e400"], "c": -f64::MAX, "d": 7}),
        &[("/a~1b/0", "number_out_of_range"), ("/c", "number_out_of_range")],
    );
    let digits = "9".repeat(200_000);
    check_numbers(&format!("[{digits}]"), json!([f64::MAX]), &[("/0", "number_out_of_range")]);
}

#[test]
fn lost_digits_are_noted() {
    check_numbers("9007199254740992", json!(9_007_199_254_740_992_u64), &[]);
    check_numbers("9007199254740993", json!(9_007_199_254_740_993_u64), &[("", "precision_loss")]);
    check_numbers(
        "[123456789012345678901234567890]",
        json!([1.234_567_890_123_456_8e29]),
        &[("/0", "precision_loss")],
    );
    check_numbers("0.1234567890123456789", json!(0.123_456_789_012_345_68), &[("", "precision_loss")]);
    for exact in
        ["1.10", "0.1", "1e2", "1.7976931348623157e308", "5e-324", "-0.0", "100000000000000000000", "1E-7"]
    {
        assert_eq!(raw(exact).read().unwrap().numbers, [], "{exact}");
    }
    check_numbers("1e-400", json!(0.0), &[("", "precision_loss")]);
}

#[test]
fn keys_that_repeat_are_found() {
    let found =
        duplicate_keys(r#"{"a": {"x": 1, "y": {"x": 1}}, "b": [{"k": 1, "\u006b": 2, "K": 3}], "a": 1}"#);
    let shown: Vec<String> =
        found.iter().map(|duplicate| format!("{} {}", duplicate.pointer, duplicate.key)).collect();
    assert_eq!(shown, ["/b/0 k", " a"]);
    assert_eq!(duplicate_keys(r#"["a", "a", {"a": "a"}]"#), []);
    assert_eq!(duplicate_keys(&nested("{\"a\":", "1", "}", 10_000)), []);
}

#[test]
fn kinds_are_told_from_the_first_byte() {
    for (text, kind) in [
        ("null", JsonKind::Null),
        ("true", JsonKind::Boolean),
        ("-1", JsonKind::Number),
        ("\"\"", JsonKind::String),
        ("[]", JsonKind::Array),
        (" {}", JsonKind::Object),
    ] {
        assert_eq!(raw(text).kind(), kind);
        assert_eq!(JsonKind::of(&raw(text).value().unwrap()), kind);
    }
    let expected = JsonError::WrongKind { expected: JsonKind::Object, found: JsonKind::Array };
    assert_eq!(raw("[]").members().unwrap_err(), expected);
}

#[test]
fn debug_shows_no_content() {
    assert_eq!(format!("{:?}", raw("\"secret\"")), "RawJson(8 bytes)");
}

#[test]
fn values_deeper_than_any_stack_can_be_measured_hashed_and_compared() {
    let mut deep = json!(1);
    for _ in 0..200_000 {
        deep = Value::Array(vec![deep]);
    }
    assert_eq!(measure(&deep, usize::MAX).levels, 200_001);
    assert_eq!(measure(&deep, 128).levels, 129);
    assert_eq!(canonical_text(&deep).len(), 400_001);
    assert!(is_same_value(&deep, &deep));
    assert_eq!(RawJson::from_value(&deep), Err(JsonError::TooDeep { limit: 128 }));
    // Dropping such a value recurses, in serde_json itself.
    std::mem::forget(deep);
}

#[test]
fn the_same_value_may_be_spelled_differently() {
    let same =
        |left: &str, right: &str| is_same_value(&raw(left).value().unwrap(), &raw(right).value().unwrap());
    assert!(same("1", "1.0"));
    assert!(same("0", "-0.0"));
    assert!(same("18446744073709551615", "18446744073709551615"));
    assert!(!same("9007199254740993", "9007199254740992.0"));
    assert!(!same("1", "\"1\""));
    assert!(!same("[1,2]", "[2,1]"));
    assert!(!same(r#"{"a":1}"#, r#"{"a":1,"b":1}"#));
    assert!(!same(r#"{"a":null}"#, r#"{"b":null}"#));
    assert!(!same("1e300", "170141183460469231731687303715884105727"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((".{0,4}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn text_and_value_go_round(value in any_json()) {
        let raw = RawJson::from_value(&value).unwrap();
        prop_assert_eq!(&raw.value().unwrap(), &value);
        let canonical = canonical_text(&value);
        prop_assert!(is_same_value(&RawJson::parse(&canonical).unwrap().value().unwrap(), &value));
        prop_assert_eq!(canonical_text(&serde_json::from_str(&canonical).unwrap()), canonical);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:0-9eE.+\\\\ud8-]{0,40}") {
        if let Ok(raw) = RawJson::parse(&text) {
            let _ = raw.read();
            let _ = raw.members();
            let _ = raw.elements();
            let _ = duplicate_keys(raw.text());
        }
        let _ = duplicate_keys(&text);
    }
}

#[test]
fn parts_are_verbatim_wherever_they_stand() {
    let text = " {\"a\" : [ 1 , {\"b\":\"]}\\\"\"} ,[ ] , -1.5e3,true ] ,\n\"\":null,\"\\u0061\" :\t\"x\" } ";
    let whole = raw(text);
    let members: Vec<(String, String)> =
        whole.members().unwrap().into_iter().map(|(key, value)| (key, value.text().to_owned())).collect();
    let row = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let list = "[ 1 , {\"b\":\"]}\\\"\"} ,[ ] , -1.5e3,true ]";
    assert_eq!(members, [row("a", list), row("", "null"), row("a", "\"x\"")]);
    let elements: Vec<RawJson> = whole.members().unwrap()[0].1.elements().unwrap();
    let texts: Vec<&str> = elements.iter().map(RawJson::text).collect();
    assert_eq!(texts, ["1", "{\"b\":\"]}\\\"\"}", "[ ]", "-1.5e3", "true"]);
    for empty in ["{}", "{ \n}"] {
        assert_eq!(raw(empty).members().unwrap(), []);
    }
    for empty in ["[]", "[ \t]"] {
        assert_eq!(raw(empty).elements().unwrap(), []);
    }
}

#[test]
fn a_small_part_does_not_keep_a_large_text_alive() {
    let text = format!(r#"{{"large": "{}", "small": 1}}"#, "x".repeat(1_000));
    let members = raw(&text).members().unwrap();
    assert_eq!((members[0].1.whole.len(), members[1].1.whole.len()), (text.len(), 1));
    assert_eq!(serde_json::to_string(&members[0].1).unwrap(), format!("\"{}\"", "x".repeat(1_000)));
}
