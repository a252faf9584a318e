use super::*;
use crate::data::data_type::DataType;

fn columns() -> Vec<Column> {
    let column =
        |name: &str, data_type| Column { name: name.to_owned(), data_type, nullable: true, format: None };
    vec![column("id", DataType::Int64), column("price", DataType::Float64)]
}

fn compare(expected: Vec<Result<ExpectedRow, DataError>>, actual: Vec<(Value, Value)>) -> ReconcileFinding {
    let mut reconciler = Reconciler::new(Box::new(expected.into_iter()), &columns());
    let (ids, prices) = actual.into_iter().unzip();
    reconciler.take(&TypedBatch { first: 1, columns: vec![ids, prices] });
    reconciler.finish()
}

fn row(id: i64, price: f64) -> Result<ExpectedRow, DataError> {
    Ok(vec![Ok(Value::Integer(id)), Ok(Value::Float(price))])
}

#[test]
fn equal_readings_agree_and_say_what_was_compared() {
    let finding = compare(
        vec![row(1, 0.5), Ok(vec![Ok(Value::Integer(2)), Ok(Value::Null)])],
        vec![(Value::Integer(1), Value::Float(0.5)), (Value::Integer(2), Value::Null)],
    );
    assert_eq!(finding.reconciliation.status, CaseStatus::Passed);
    assert_eq!(
        finding.reconciliation.columns[1],
        json!({"name": "price", "data_type": "float64", "status": "passed", "nulls": 1, "min": 0.5, "max": 0.5, "sum": 0.5})
    );
}

#[test]
fn one_differing_cell_is_named() {
    let finding = compare(vec![row(1, 0.5)], vec![(Value::Integer(1), Value::Float(0.25))]);
    assert!(!finding.cells_agree && finding.rows_agree);
    let expected = Mismatch { row: 1, column: "price".to_owned(), expected: json!(0.5), actual: json!(0.25) };
    assert_eq!(finding.reconciliation.mismatches, [expected]);
}

#[test]
fn missing_and_surplus_rows_fail() {
    let surplus = compare(vec![], vec![(Value::Integer(1), Value::Null)]);
    assert_eq!((surplus.reconciliation.rows_expected, surplus.reconciliation.rows_actual), (0, 1));
    let missing = compare(vec![row(1, 1.0), row(2, 2.0)], vec![(Value::Integer(1), Value::Float(1.0))]);
    assert!(!missing.rows_agree);
    assert_eq!(missing.reconciliation.status, CaseStatus::Failed);
}

#[test]
fn a_cell_that_the_reading_refuses_is_a_difference() {
    let fault = CellFault::LongRow { width: 2, surplus: 1 };
    let expected = vec![Ok(vec![Err(fault), Ok(Value::Float(1.0))])];
    let finding = compare(expected, vec![(Value::Integer(1), Value::Float(1.0))]);
    assert_eq!(finding.reconciliation.mismatches[0].expected, json!("the row has 3 cells for 2 columns"));
}

#[test]
fn a_parser_that_leaves_bad_rows_out_is_compared_without_them() {
    let expected: Vec<Result<ExpectedRow, DataError>> =
        vec![Ok(vec![Err(CellFault::NoColumn), Ok(Value::Null)]), row(2, 2.0)];
    let mut reconciler = Reconciler::new(Box::new(expected.into_iter()), &columns()).without_bad_rows();
    reconciler
        .take(&TypedBatch { first: 1, columns: vec![vec![Value::Integer(2)], vec![Value::Float(2.0)]] });
    let finding = reconciler.finish();
    assert_eq!((finding.reconciliation.status, finding.rejected), (CaseStatus::Passed, 1));
}

#[test]
fn at_most_twenty_cells_are_shown() {
    let expected = (0..50).map(|id| row(id, 0.0)).collect();
    let actual = (0..50).map(|id| (Value::Integer(id), Value::Float(1.0))).collect();
    let finding = compare(expected, actual);
    assert_eq!((finding.differing, finding.reconciliation.mismatches.len()), (50, 20));
}
