use super::*;

fn text(json: &str) -> Result<Option<String>, CellError> {
    let raw: &RawValue = serde_json::from_str(json).unwrap();
    Ok(cell(raw)?.map(|(text, _)| text))
}

#[test]
fn values_are_written_as_python_writes_them() {
    for (json, expected) in [
        ("1.50", "1.5"),
        ("1e5", "100000.0"),
        ("1e16", "1e+16"),
        ("0.00001", "1e-05"),
        ("1.5E300", "1.5e+300"),
        ("-0", "0"),
        ("-0.0", "-0.0"),
        ("1e400", "Infinity"),
        ("12345678901234567890123", "12345678901234567890123"),
        (
            r#"{ "z" : 1.0, "a": [1e5 , 12345678901234567890123, null, true ] }"#,
            r#"{"z":1.0,"a":[100000.0,12345678901234567890123,null,true]}"#,
        ),
        (r#"{"a": 1, "b": {}, "a": [ ]}"#, r#"{"a":[],"b":{}}"#),
        (r#"["\u00e9\/\u0007\"\\", "}]"]"#, "[\"é/\\u0007\\\"\\\\\",\"}]\"]"),
    ] {
        assert_eq!(text(json).unwrap().as_deref(), Some(expected), "{json}");
    }
    assert_eq!(text("null").unwrap(), None);
}

#[test]
fn what_has_no_text_says_why() {
    for json in [r#""\ud800""#, r#"["\ud800"]"#, r#"{"\udc00": 1}"#] {
        assert!(matches!(text(json), Err(CellError::Text(_))), "{json}");
    }
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(text(&nested(LEVELS)).unwrap(), Some(nested(LEVELS)));
    assert!(matches!(text(&nested(LEVELS + 1)), Err(CellError::Deep)));
}
