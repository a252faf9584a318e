use super::*;
use crate::data::value::Value;

fn batch(json: &str) -> Batch {
    serde_json::from_str(json).unwrap()
}

fn none(first: u64) -> Batch {
    batch(&format!(r#"{{"first": {first}, "names": ["n"], "kinds": [["NoneType"]], "columns": [[null]]}}"#))
}

fn number(first: u64) -> Batch {
    batch(&format!(r#"{{"first": {first}, "names": ["n"], "kinds": [["int"]], "columns": [[7]]}}"#))
}

fn text(first: u64) -> Batch {
    batch(&format!(r#"{{"first": {first}, "names": ["n"], "kinds": [["str"]], "columns": [["x"]]}}"#))
}

fn hint(data_type: DataType) -> [Column; 1] {
    [Column { name: "n".to_owned(), data_type, nullable: false, format: None }]
}

#[test]
fn a_column_is_open_until_its_first_value() {
    let mut columns = Columns::of_rows(&[]);
    assert_eq!(columns.known(), None);
    columns.typed(&none(1)).unwrap();
    assert!(columns.are_open());
    assert_eq!(columns.typed(&number(2)).unwrap().columns, [[Value::Integer(7)]]);
    assert!(!columns.are_open());
    let breach = columns.typed(&text(3)).unwrap_err().to_string();
    assert_eq!(breach, "row 3, column `n`: the value is str, the column holds int64");
}

#[test]
fn a_column_that_is_closed_without_values_holds_text() {
    let mut columns = Columns::of_rows(&[]);
    columns.typed(&none(1)).unwrap();
    columns.close();
    assert!(columns.clone().typed(&number(2)).is_err());
    assert!(columns.typed(&text(2)).is_ok());
}

#[test]
fn hints_tell_types_that_values_do_not_contradict() {
    for (first, wanted, expected, open) in [
        (none(1), DataType::Int64, DataType::Int64, false),
        (number(1), DataType::Float64, DataType::Float64, false),
        (number(1), DataType::Int32, DataType::Int32, false),
        (number(1), DataType::String, DataType::Int64, false),
        (text(1), DataType::Date, DataType::String, false),
    ] {
        let mut columns = Columns::of_rows(&hint(wanted));
        columns.typed(&first).unwrap();
        let known = columns.known().unwrap();
        assert_eq!((known[0].data_type, known[0].nullable, columns.are_open()), (expected, true, open));
    }
}

#[test]
fn a_contract_is_not_changed_by_values() {
    let mut columns = Columns::of_contract(hint(DataType::Int64).to_vec());
    assert!(columns.typed(&none(1)).is_err());
    assert!(columns.typed(&text(1)).is_err());
    assert!(columns.typed(&number(1)).is_ok());
    assert_eq!(columns.known(), Some(hint(DataType::Int64).as_slice()));
}
