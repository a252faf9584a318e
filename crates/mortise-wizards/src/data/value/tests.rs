use super::*;

#[track_caller]
fn check(data_type: DataType, format: Option<&str>, cell: &str, expected: Option<Value>) {
    let column = Column { name: "c".into(), data_type, nullable: true, format: format.map(str::to_owned) };
    assert_eq!(Converter::new(&column, &NullTokens::default()).value(Some(cell)).ok(), expected, "{cell}");
}

#[test]
fn cells_become_what_their_column_says() {
    use DataType as T;
    check(T::Int64, None, " 42 ", Some(Value::Integer(42)));
    check(T::Int32, None, "3000000000", None);
    check(T::Int64, None, "00501", None);
    check(T::Float64, None, "1,234.5", Some(Value::Float(1234.5)));
    check(T::Float64, None, "NA", Some(Value::Null));
    check(T::Boolean, None, "Yes", Some(Value::Boolean(true)));
    check(T::String, None, " a ", Some(Value::Text(" a ".into())));
    check(T::Date, None, "1970-01-02", Some(Value::Date(1)));
    check(T::Date, Some("%d/%m/%Y|%Y-%m-%d"), "02/01/1970", Some(Value::Date(1)));
    check(T::Date, Some("%d/%m/%Y"), "1970-01-02", None);
    check(T::Time, None, "00:00:01", Some(Value::Time(1_000_000)));
    let moment = |micros, zoned| Some(Value::Timestamp { micros, zoned });
    check(T::Timestamp, None, "1970-01-01T00:00:01", moment(1_000_000, false));
    check(T::Timestamp, Some("%Y-%m-%dT%H:%M:%S%z"), "1970-01-01T01:00:00+01:00", moment(0, true));
    check(
        T::Timestamp,
        Some("%Y-%m-%d %H:%M|%Y-%m-%d %H:%M:%S"),
        "1970-01-01 00:00:02",
        moment(2_000_000, false),
    );
    check(T::Timestamp, None, "1970-01-01 00:00:01", None);
}

#[test]
fn formats_that_nobody_infers_are_read_too() {
    use DataType as T;
    check(T::Date, Some("%d %b %Y"), "02 Jan 1970", Some(Value::Date(1)));
    check(T::Date, Some("%Y-%m-%d|%d %b %Y"), "02 Jan 1970", Some(Value::Date(1)));
    check(T::Date, Some("%d %b %Y"), "1970-01-02", None);
    let moment = Value::Timestamp { micros: 60_000_000, zoned: false };
    check(T::Timestamp, Some("%d %b %Y %H:%M"), "01 Jan 1970 00:01", Some(moment));
    check(T::Time, Some("%H.%M"), "00.01", Some(Value::Time(60_000_000)));
    check(T::Time, Some("%I:%M %p"), "12:01 AM", Some(Value::Time(60_000_000)));
}

#[test]
fn bytes_are_read_as_their_format_says() {
    let bytes = |bytes: &[u8]| Some(Value::Bytes(bytes.to_vec()));
    check(DataType::Binary, Some("hex"), " 00fF10 ", bytes(&[0, 255, 16]));
    check(DataType::Binary, Some("hex"), "00f", None);
    check(DataType::Binary, Some("hex"), "zz", None);
    check(DataType::Binary, Some("base64"), "AP8Q", bytes(&[0, 255, 16]));
    check(DataType::Binary, Some("base64"), "AP8", None);
    check(DataType::Binary, None, "00ff", Some(Value::Text("00ff".into())));
}

#[test]
fn a_missing_value_needs_a_column_that_allows_it() {
    let column = |data_type| Column { name: "c".into(), data_type, nullable: false, format: None };
    let nulls = NullTokens::default();
    let number = Converter::new(&column(DataType::Int64), &nulls);
    assert_eq!(number.value(Some("")), Err(ValueError::Missing));
    assert_eq!(number.value(None), Err(ValueError::Missing));
    assert_eq!(number.value(Some("x")).unwrap_err().to_string(), "`x` is no int64");
    let text = Converter::new(&column(DataType::String), &nulls);
    assert_eq!(text.value(Some("")), Ok(Value::Text(String::new())));
}

#[test]
fn nothing_but_a_text_can_be_empty() {
    let column = |data_type, nullable| Column { name: "c".into(), data_type, nullable, format: None };
    let value = |data_type, nullable| {
        Converter::new(&column(data_type, nullable), &NullTokens::only([])).value(Some(""))
    };
    assert_eq!(value(DataType::Int64, true), Ok(Value::Null));
    assert_eq!(value(DataType::Date, true), Ok(Value::Null));
    assert_eq!(value(DataType::Int64, false), Err(ValueError::Missing));
    assert_eq!(value(DataType::String, true), Ok(Value::Text("".into())));
}
