use super::*;
use crate::parsers::run::Stage;

fn raised(bases: &[&str], column: Option<&str>, value: Option<&str>) -> ParserFailure<Breach> {
    ParserFailure::Raised(Box::new(Raised {
        stage: Stage::Parse,
        class: bases[0].to_owned(),
        bases: bases.iter().map(|base| (*base).to_owned()).collect(),
        message: "null empty format type mismatch".to_owned(),
        line: None,
        row: None,
        column: column.map(Into::into),
        value: value.map(Into::into),
    }))
}

#[track_caller]
fn check(failure: &ParserFailure<Breach>, expected: Category) {
    let day = Column { name: "day".to_owned(), data_type: DataType::Date, nullable: false, format: None };
    assert_eq!(Category::of(failure, &[day]), expected);
}

#[test]
fn classes_decide_and_words_do_not() {
    check(&raised(&["ValueError", "Exception"], None, None), Category::ParseError);
    check(&raised(&["UnicodeDecodeError", "UnicodeError", "ValueError"], None, None), Category::ParseError);
    check(&raised(&["KeyError", "LookupError"], None, None), Category::SchemaViolation);
    check(&raised(&["TypeError"], None, None), Category::TypeMismatch);
    check(&raised(&["FileNotFoundError", "OSError"], None, None), Category::FileNotFound);
    check(&raised(&["ZeroDivisionError", "ArithmeticError"], None, None), Category::TypeMismatch);
    check(&raised(&["Odd", "Exception"], None, None), Category::Unknown);
}

#[test]
fn a_cell_says_more() {
    let cell = ["CellError", "ValueError"];
    check(&raised(&cell, Some("day"), Some("x")), Category::FormatMismatch);
    check(&raised(&cell, Some("id"), Some("x")), Category::TypeMismatch);
    check(&raised(&cell, Some("id"), Some(" ")), Category::NullNotAllowed);
    check(&raised(&cell, Some("id"), None), Category::NullNotAllowed);
}

#[test]
fn messages_from_elsewhere_are_read_in_order() {
    for (message, expected) in [
        ("Type mismatch: null", Category::TypeMismatch),
        ("empty value, bad format", Category::NullNotAllowed),
        ("bad date format", Category::FormatMismatch),
        ("could not parse", Category::ParseError),
        ("No such file or directory", Category::FileNotFound),
        ("boom", Category::Unknown),
    ] {
        assert_eq!(Category::of_message(message), expected, "{message}");
    }
}
