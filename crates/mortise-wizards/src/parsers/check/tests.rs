use super::*;

fn batch(json: &str) -> Batch {
    serde_json::from_str(json).unwrap()
}

fn column(name: &str, data_type: DataType, nullable: bool) -> Column {
    Column { name: name.to_owned(), data_type, nullable, format: None }
}

#[track_caller]
fn check(json: &str, columns: &[Column], expected: &str) {
    let error = typed(&batch(json), columns).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_first_breach_is_named_with_its_place() {
    let id = [column("id", DataType::Int64, false)];
    check(
        r#"{"first": 11, "names": ["id"], "kinds": [["int", "str"]], "columns": [[1, "x"]]}"#,
        &id,
        "row 12, column `id`: the value is str, the column holds int64",
    );
    check(
        r#"{"first": 1, "names": ["id"], "kinds": [["NoneType"]], "columns": [[null]]}"#,
        &id,
        "row 1, column `id`: there is no value, and the contract wants one",
    );
    check(
        r#"{"first": 1, "names": ["ident"], "kinds": [["int"]], "columns": [[1]]}"#,
        &id,
        "the rows have the columns `ident`, the contract has `id`",
    );
    check(
        r#"{"first": 1, "names": ["_cf_job_id"], "kinds": [["int"]], "columns": [[1]]}"#,
        &[column("_cf_job_id", DataType::Int64, false)],
        "the column `_cf_job_id` begins with `_cf_`, which names columns about the origin of rows",
    );
}

#[test]
fn rows_without_a_contract_tell_their_types() {
    let batch = batch(
        r#"{"first": 1, "names": ["a", "b", "c"], "kinds": [["NoneType", "int"], ["float", "int"], ["date", "str"]],
            "columns": [[null, 1], [1.5, 2], ["2024-01-01", "x"]]}"#,
    );
    let types: Vec<Option<DataType>> = batch.kinds.iter().map(|kinds| type_of(kinds)).collect();
    assert_eq!(types, [Some(DataType::Int64), Some(DataType::Float64), Some(DataType::String)]);
    assert_eq!(type_of(&["NoneType".to_owned()]), None);
    assert_eq!(preview(&batch, 1), [serde_json::json!({"a": null, "b": 1.5, "c": "2024-01-01"})]);
}
