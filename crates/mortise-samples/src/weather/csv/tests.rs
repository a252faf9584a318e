//! Tables, good and bad.

use super::{ColumnKind, CsvError, rows, summarise};

#[track_caller]
fn check(text: &str, expected: &[&[&str]]) {
    assert_eq!(rows(text, ',').unwrap(), expected);
}

#[test]
fn quotes_protect_what_is_in_them() {
    check("a,b\n1,2\n", &[&["a", "b"], &["1", "2"]]);
    check("a, b \r\n1 ,2", &[&["a", "b"], &["1", "2"]]);
    check("\"a,\"\"x\"\"\",b\n\"1\n2\",\" 3 \"", &[&["a,\"x\"", "b"], &["1\n2", " 3 "]]);
    check("a,b\n\n,\n", &[&["a", "b"], &["", ""]]);
    check("5\" pipe,x", &[&["5\" pipe", "x"]]);
    check("", &[]);
}

#[test]
fn columns_are_summarised_by_kind() {
    let summary = summarise("name;age;note\nAnn;31;\nBob;29;\nAnn;inf;\n", ';').unwrap();
    let kinds: Vec<_> =
        summary.columns.iter().map(|column| (column.kind, column.count, column.distinct)).collect();
    assert_eq!(kinds, [(ColumnKind::Text, 3, 2), (ColumnKind::Text, 3, 3), (ColumnKind::Empty, 0, 0)]);
    let numbers = summarise("n\n1\n2.5\n\n4\n", ',').unwrap().columns.remove(0).numbers.unwrap();
    assert_eq!((numbers.min, numbers.max, numbers.mean, numbers.sum), (1.0, 4.0, 2.5, 7.5));
}

#[test]
fn what_is_no_table_is_refused() {
    assert_eq!(summarise("  \n", ','), Err(CsvError::NoHeader));
    assert_eq!(summarise("a,b\n1", ','), Err(CsvError::Ragged { row: 1, found: 1, expected: 2 }));
    assert_eq!(summarise("a\n\"x", ','), Err(CsvError::OpenQuote { row: 1 }));
    assert_eq!(summarise(&",".repeat(1000), ','), Err(CsvError::TooManyColumns { found: 1001 }));
}
