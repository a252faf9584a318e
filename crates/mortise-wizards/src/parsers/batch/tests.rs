use super::*;

fn kinds(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[track_caller]
fn check(json: &str, data_type: DataType, classes: &[&str], expected: Result<Value, &str>) {
    let cell: PythonCell = serde_json::from_str(json).unwrap();
    let typed = cell.typed(data_type, &kinds(classes)).map_err(|error| error.class);
    assert_eq!(typed, expected.map_err(str::to_owned));
}

#[test]
fn values_of_the_right_class_are_taken() {
    check("1", DataType::Int64, &["int"], Ok(Value::Integer(1)));
    check("1", DataType::Float64, &["float", "int"], Ok(Value::Float(1.0)));
    check("null", DataType::Int64, &["NoneType"], Ok(Value::Null));
}

#[test]
fn a_text_is_no_date_unless_it_was_one() {
    check("\"2024-01-15\"", DataType::Date, &["date"], Ok(Value::Date(19_737)));
    check("\"2024-01-15\"", DataType::Date, &["str"], Err("str"));
    check("\"2024-01-15T00:00:00\"", DataType::Date, &["datetime"], Err("datetime"));
    check("\"2024-01-15\"", DataType::String, &["date"], Err("date"));
}

#[test]
fn nothing_is_silently_another_type() {
    check("true", DataType::Int64, &["bool"], Err("bool"));
    check("1.0", DataType::Int64, &["float"], Err("float"));
    check("1", DataType::String, &["int"], Err("int"));
    check("5000000000", DataType::Int32, &["int"], Err("int beyond 32 bits"));
    check("99999999999999999999", DataType::Int64, &["int"], Err("int beyond 64 bits"));
}

#[test]
fn bytes_travel_as_base64() {
    check("\"AAH/\"", DataType::Binary, &["bytes"], Ok(Value::Bytes(vec![0, 1, 255])));
    check("\"AA==\"", DataType::Binary, &["bytes"], Ok(Value::Bytes(vec![0])));
    check("\"\"", DataType::Binary, &["bytes"], Ok(Value::Bytes(vec![])));
    check("\"A\"", DataType::Binary, &["bytes"], Err("str"));
}
