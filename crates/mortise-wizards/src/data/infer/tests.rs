use super::*;
use crate::data::data_type::DataType;

fn infer_named(name: &str, values: &[&str]) -> InferredColumn {
    let mut column = ColumnInference::new(&NullTokens::default());
    for value in values {
        column.observe(Some(value));
    }
    column.finish(name)
}

fn infer(values: &[&str]) -> InferredColumn {
    infer_named("value", values)
}

#[track_caller]
fn check(values: &[&str], expected: &str) {
    assert_eq!(infer(values).resolved.as_str(), expected, "{values:?}");
}

fn formats(column: &InferredColumn) -> Vec<&'static str> {
    column.date_formats.iter().map(|format| format.as_str()).collect()
}

#[test]
fn the_first_type_that_all_values_have_is_taken() {
    check(&["1", "2", "3"], "integer");
    check(&["1", "2", "3", "4.5"], "float");
    check(&["1e-5", "2"], "float");
    check(&["1,234", "5"], "float");
    check(&["yes", "NO", "y"], "boolean");
    check(&["true", "false", "1"], "boolean");
    check(&["00501", "10001"], "string");
    check(&["99999999999999999999"], "string");
    check(&["2024-01-15", "2024-02-29"], "date");
    check(&["2024-01-15", "2023-02-29"], "string");
    check(&["2024-01-15T10:00:00Z"], "timestamp");
    check(&["10:00", "23:59:59"], "time");
    check(&["25:00"], "string");
    check(&["P1D", "5 min"], "duration");
    check(&["see: 10:00", "10:00"], "string");
    check(&["", "NA", "null", "N/A", " "], "null");
    check(&[], "null");
    check(&["1", "", "NULL"], "integer");
    check(&["a", "1"], "string");
    check(&["1,2,3"], "string");
}

#[test]
fn one_value_beyond_twelve_settles_day_and_month() {
    let column = infer(&["05/06/2024", "15/05/2024"]);
    assert_eq!((formats(&column), column.format.as_deref()), (vec!["%d/%m/%Y"], Some("%d/%m/%Y")));
    assert!(!column.needs_decision());
    assert_eq!(column.confidence, 0.9);
}

#[test]
fn what_can_be_read_in_two_ways_is_asked() {
    let column = infer(&["31/05/24"]);
    assert_eq!(formats(&column), ["%d/%m/%y", "%y/%m/%d"]);
    assert!(column.needs_decision());
    assert_eq!((column.confidence, column.data_type), (0.5, DataType::Date));
    let readings: Vec<_> = column.read_both_ways[0].readings.iter().map(|(_, day)| day.as_str()).collect();
    assert_eq!(readings, ["2024-05-31", "2031-05-24"]);
    let moments = infer(&["05/06/2024 10:00", "07/08/2024 11:30"]);
    assert_eq!(formats(&moments), ["%d/%m/%Y", "%m/%d/%Y"]);
    assert_eq!(moments.format.as_deref(), Some("%d/%m/%Y %H:%M"));
}

#[test]
fn zero_and_one_are_numbers_that_may_be_truth() {
    let column = infer(&["0", "1", "1"]);
    assert_eq!(column.resolved, ResolvedType::Integer);
    assert_eq!((column.alternatives[0].type_name.as_str(), column.confidence), ("boolean", 0.6));
}

#[test]
fn eight_digits_are_days_where_the_name_says_so() {
    let values = ["20240115", "20240229"];
    let number = infer_named("order_id", &values);
    assert_eq!((number.resolved, number.alternatives[0].type_name.as_str()), (ResolvedType::Integer, "date"));
    for name in ["order_date", "dt", "orderDate", "DAY"] {
        let date = infer_named(name, &values);
        assert_eq!((date.resolved, date.format.as_deref()), (ResolvedType::Date, Some("%Y%m%d")), "{name}");
    }
    assert_eq!(infer_named("order_date", &["20240115", "20241345"]).resolved, ResolvedType::Integer);
    assert!(infer_named("n", &["10000101", "20240229"]).alternatives.is_empty());
    assert_eq!(infer_named("n", &["240115", "240229"]).alternatives, []);
    assert_eq!(infer_named("day", &["240115", "240229"]).resolved, ResolvedType::Date);
    assert_eq!(infer_named("code", &["010203", "020304"]).resolved, ResolvedType::String);
}

#[test]
fn every_struck_out_type_has_its_counter_examples() {
    let column = infer(&["1", "2", "x", "y", "z", "w"]);
    let of = |name: &str| -> Vec<(u64, &str)> {
        let examples = column.eliminated.iter().filter(|example| example.type_name == name);
        examples.map(|example| (example.row, example.value.as_str())).collect()
    };
    assert_eq!(of("integer"), [(3, "x"), (4, "y"), (5, "z")]);
    assert_eq!(of("float"), of("integer"));
    assert_eq!(of("date"), [(1, "1"), (2, "2"), (3, "x")]);
    let zero = infer(&["10001", "00501"]);
    let reason = zero.eliminated.iter().find(|example| example.type_name == "integer").unwrap();
    assert_eq!((reason.row, reason.reason.as_str()), (2, "a leading zero, which a number would lose"));
}

#[test]
fn formats_that_disagree_leave_text_with_the_reason() {
    let column = infer(&["2024-01-15", "15/01/2024", "2024-01-16"]);
    assert_eq!(column.resolved, ResolvedType::String);
    let example = column.eliminated.iter().find(|example| example.type_name == "date").unwrap();
    assert_eq!(
        (example.row, example.reason.as_str()),
        (2, "not of the form `%Y-%m-%d` of the values before it")
    );
}

#[test]
fn a_near_miss_is_told_and_changes_nothing() {
    let mut values: Vec<String> = (0..97).map(|number| number.to_string()).collect();
    values.extend(["ten", "eleven", "twelve"].map(str::to_owned));
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let column = infer(&values);
    assert_eq!(column.resolved, ResolvedType::String);
    let near = column.near_miss.unwrap();
    assert_eq!((near.type_name.as_str(), near.share), ("integer", 0.97));
    let shown: Vec<&str> = near.counter_examples.iter().map(|example| example.value.as_str()).collect();
    assert_eq!(shown, ["ten", "eleven", "twelve"]);
    assert!(infer(&["1", "2", "x"]).near_miss.is_none());
}

#[test]
fn words_that_seem_to_mean_nothing_are_suggested() {
    let column = infer(&["1", "2", "3", "4", "-"]);
    assert_eq!(column.resolved, ResolvedType::String);
    assert_eq!(column.suggested_null_tokens, ["-"]);
    assert_eq!(column.without_null_tokens, Some(ResolvedType::Integer));
    assert!(infer(&["1", "-", "-"]).suggested_null_tokens.is_empty());
    assert!(infer(&["a", "b", "c", "d", "e", "None"]).suggested_null_tokens.is_empty());
}

#[test]
fn missing_words_can_be_named() {
    let mut column = ColumnInference::new(&NullTokens::only(["-99".to_owned()]));
    for value in ["1", "-99", "NA"] {
        column.observe(Some(value));
    }
    let column = column.finish("n");
    assert_eq!((column.null_rows, column.resolved), (1, ResolvedType::String));
}

#[test]
fn confidence_grows_with_the_values() {
    assert_eq!(infer(&["1", "2"]).confidence, 0.9);
    assert_eq!(infer(&["3"; 10]).confidence, 1.0);
}

#[test]
fn json_tells_the_kind_of_its_values() {
    let resolved = |cells: &[(&str, CellKind)]| {
        let mut column = ColumnInference::new(&NullTokens::default());
        for (text, kind) in cells {
            column.observe_kind(Some(text), *kind);
        }
        column.finish("n").resolved
    };
    assert_eq!(resolved(&[("1", CellKind::Number), ("2.5", CellKind::Number)]), ResolvedType::Float);
    assert_eq!(resolved(&[("1", CellKind::Number), ("1", CellKind::Text)]), ResolvedType::String);
    assert_eq!(resolved(&[("true", CellKind::Boolean)]), ResolvedType::Boolean);
    assert_eq!(resolved(&[("true", CellKind::Text)]), ResolvedType::String);
    assert_eq!(resolved(&[("2024-01-15", CellKind::Text)]), ResolvedType::Date);
    assert_eq!(resolved(&[("{}", CellKind::Nested)]), ResolvedType::String);
    assert_eq!(resolved(&[("", CellKind::Text), ("NA", CellKind::Text)]), ResolvedType::String);
}

#[test]
fn several_forms_of_time_are_all_told() {
    let column = infer(&["2024-01-15 10:00", "2024-01-15 10:00:30", "2024-01-15T10:00"]);
    assert_eq!(column.format.as_deref(), Some("%Y-%m-%d %H:%M|%Y-%m-%d %H:%M:%S|%Y-%m-%dT%H:%M"));
    assert_eq!(infer(&["10:00", "10:00:01"]).format.as_deref(), Some("%H:%M|%H:%M:%S"));
}

mod laws {
    use proptest::prelude::*;

    use super::*;
    use crate::data::data_type::Column;
    use crate::data::value::{Converter, Value};

    fn cell() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?[0-9]{1,20}",
            "-?[0-9]{1,6}\\.[0-9]{0,4}",
            "[0-9]{1,2}[/.-][0-9]{1,2}[/.-][0-9]{2,4}",
            "20[0-9]{2}-[01][0-9]-[0-3][0-9]( [0-2][0-9]:[0-5][0-9](:[0-5][0-9])?)?",
            "[0-2][0-9]:[0-5][0-9]",
            "(yes|no|true|F|0|1|NA|null|-|None|)",
            "\\PC{0,12}",
        ]
    }

    proptest! {
        /// Whatever type is found, every value of the column can be read with it.
        #[test]
        fn what_is_inferred_reads_every_value(cells in prop::collection::vec(cell(), 0..40), name in "[a-z_]{0,8}") {
            let values: Vec<&str> = cells.iter().map(String::as_str).collect();
            let found = infer_named(&name, &values);
            let column = Column {
                name,
                data_type: found.data_type,
                nullable: found.null_rows > 0,
                format: found.format.clone(),
            };
            let converter = Converter::new(&column, &NullTokens::default());
            let mut nulls = 0;
            for cell in &cells {
                let value = converter.value(Some(cell));
                prop_assert!(value.is_ok(), "{cell:?} as {column:?}: {value:?}");
                nulls += u64::from(value == Ok(Value::Null));
            }
            prop_assert_eq!(nulls, found.null_rows);
        }

        /// The order of the values changes what is shown, never the type.
        #[test]
        fn the_order_of_values_does_not_matter(cells in prop::collection::vec(cell(), 0..16)) {
            let forwards: Vec<&str> = cells.iter().map(String::as_str).collect();
            let backwards: Vec<&str> = cells.iter().rev().map(String::as_str).collect();
            let (one, other) = (infer(&forwards), infer(&backwards));
            prop_assert_eq!(one.resolved, other.resolved);
            prop_assert_eq!(one.date_formats, other.date_formats);
            prop_assert_eq!(one.format, other.format);
            prop_assert_eq!(one.confidence, other.confidence);
        }
    }
}
