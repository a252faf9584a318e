use super::*;

#[test]
fn what_python_writes_is_read_and_written_back() {
    for text in ["2024-01-15", "0001-01-01", "9999-12-31"] {
        assert_eq!(to_text(&date(text).unwrap()), text);
    }
    for text in ["2024-01-15T10:20:30", "1969-12-31T23:59:59.500"] {
        assert_eq!(to_text(&timestamp(text).unwrap()), text);
    }
    for text in ["23:59:59.000001", "01:02:03"] {
        assert_eq!(to_text(&time(text).unwrap()), text);
    }
}

#[test]
fn a_zone_makes_it_utc() {
    assert_eq!(to_text(&timestamp("2024-01-15T10:00:00+01:00").unwrap()), "2024-01-15T09:00:00Z");
    assert_eq!(timestamp("2024-01-15T10:00"), None);
}

#[test]
fn what_is_no_number_in_json_is_text() {
    assert_eq!(to_json(&Value::Float(f64::INFINITY)), "inf");
    assert_eq!(to_json(&Value::Bytes(vec![0, 255])), "00ff");
    assert_eq!(to_json(&Value::Null), Json::Null);
}
