use super::*;

const CODE: &str = r#""""Reads orders."""

import csv
from datetime import date

TOPIC = "orders"
SINK = "parquet"

NULLS = {"", "NA"}

COLUMNS = {
    "id": (int, False),
    "price": (float, False),
    "day": (date.fromisoformat, False),
    "note": (str, True),
}


def parse(file_path: str):
    yield {}
"#;

fn error(error_type: &str, column: &str, value: &str) -> ToldError {
    ToldError {
        error_type: error_type.to_owned(),
        message: String::new(),
        value: Some(value.to_owned()),
        column: Some(column.to_owned()),
    }
}

#[track_caller]
fn check(errors: &[ToldError], constraints: &Constraints, expected: &str) -> String {
    let mended = mend(&Module::parse(CODE).unwrap(), errors, constraints).expect("it can be mended");
    assert!(mended.code.contains(expected), "{}", mended.code);
    Module::parse(&mended.code).unwrap();
    mended.code
}

#[test]
fn a_missing_value_in_a_required_column_is_filled() {
    let code = check(
        &[error("null_value", "id", "")],
        &Constraints::default(),
        r#""id": (lambda text: 0 if text in NULLS else int(text), False)"#,
    );
    assert!(code.contains(r#""price": (float, False)"#));
}

#[test]
fn a_missing_value_in_a_nullable_column_stays_missing() {
    let constraints = Constraints { nullable: vec!["price".to_owned()], required: Vec::new() };
    check(&[error("null_value", "price", "")], &constraints, r#""price": (float, True)"#);
}

#[test]
fn a_word_for_nothing_is_no_number() {
    let constraints = Constraints { nullable: vec!["price".to_owned()], required: Vec::new() };
    check(
        &[error("type_mismatch", "price", "N/A")],
        &constraints,
        r#""price": (lambda text: None if text in NULLS or text in {"N/A"} else float(text), True)"#,
    );
}

#[test]
fn a_day_in_another_form_is_read_after_the_known_one() {
    let code = check(
        &[error("parse_error", "day", "12/25/2024")],
        &Constraints::default(),
        r#""day": (lambda text: moment(text, "%Y-%m-%d", "%m/%d/%Y").date(), False)"#,
    );
    assert!(
        code.contains("from datetime import datetime\n") && code.contains("def moment(text, *formats):"),
        "{code}"
    );
}

#[test]
fn a_day_that_can_be_read_two_ways_is_not_guessed() {
    let module = Module::parse(CODE).unwrap();
    assert_eq!(mend(&module, &[error("parse_error", "day", "01/02/2024")], &Constraints::default()), None);
}

#[test]
fn values_that_are_no_numbers_make_a_column_text() {
    check(&[error("type_mismatch", "id", "A-7")], &Constraints::default(), r#""id": (str, False)"#);
    check(&[error("type_mismatch", "id", "7.5")], &Constraints::default(), r#""id": (whole, False)"#);
    check(
        &[error("value_error", "price", "$ 1,000")],
        &Constraints::default(),
        r#""price": (lambda text: float(clean(text)), False)"#,
    );
}

#[test]
fn numbers_are_cleaned_only_where_every_value_stays_the_same_number() {
    let module = Module::parse(CODE).unwrap();
    let mended = |column: &str, values: &[&str]| {
        let errors: Vec<ToldError> = values.iter().map(|value| error("value_error", column, value)).collect();
        mend(&module, &errors, &Constraints::default()).is_some()
    };
    for value in ["$ 1,000", "-€5.50", "7 £", "1 234 567", "1,234.5", "$-5"] {
        assert!(mended("price", &[value]), "{value}");
    }
    for value in ["12,50", "1.234,56", "4/5", "12 34", "0,125", "00501", "1$2", "5%", "", "x"] {
        assert!(!mended("price", &["$5", value]), "{value}");
    }
    assert!(mended("id", &["$1,000"]) && !mended("id", &["$1.50"]));
}

#[test]
fn a_code_with_leading_zeros_makes_a_column_text() {
    check(&[error("type_mismatch", "id", "00501")], &Constraints::default(), r#""id": (str, False)"#);
}

#[test]
fn clean_goes_into_converters_that_are_there_already() {
    let code =
        CODE.replace("(float, False)", "(lambda text: 0.0 if text in NULLS else to_number(text), False)");
    let module = Module::parse(&code).unwrap();
    let mended = mend(&module, &[error("value_error", "price", "$5")], &Constraints::default()).unwrap();
    let expected = r#""price": (lambda text: 0.0 if text in NULLS else to_number(clean(text)), False)"#;
    assert!(mended.code.contains(expected) && mended.code.contains("import re\n"), "{}", mended.code);
}

const OF_JSON: &str = r#""""Reads orders."""

import json

NULLS = set()

COLUMNS = {
    "id": (to_integer, False),
    "price": (to_number, False),
}


def convert(row, column, value):
    to_type, nullable = COLUMNS[column]
    empty = value is None
    return None if empty and nullable else to_type(value)


def parse(file_path: str):
    yield {}
"#;

#[test]
fn values_of_json_are_no_texts() {
    let module = Module::parse(OF_JSON).unwrap();
    let mended = |told: ToldError| mend(&module, &[told], &Constraints::default()).unwrap().code;
    let text = mended(error("type_mismatch", "id", "A-7"));
    assert!(text.contains(r#""id": (to_text, False)"#) && text.contains("def to_text(value):"), "{text}");
    let test = "text is None or isinstance(text, str) and text.strip() in NULLS";
    for (column, filled) in [("id", "0"), ("price", "0.0")] {
        let code = mended(ToldError { value: None, ..error("null_value", column, "") });
        let converter = if column == "id" { "to_integer" } else { "to_number" };
        let expected = format!("(lambda text: {filled} if {test} else {converter}(text), False)");
        assert!(code.contains(&expected), "{code}");
    }
    let clean = mended(error("value_error", "price", "$5"));
    let expected = "(lambda text: to_number(clean(text) if isinstance(text, str) else text), False)";
    assert!(clean.contains(expected), "{clean}");
}

#[test]
fn a_parser_without_the_table_is_left_alone() {
    let module = Module::parse("def parse(file_path: str):\n    return []\n").unwrap();
    assert_eq!(mend(&module, &[error("null_value", "id", "")], &Constraints::default()), None);
}
