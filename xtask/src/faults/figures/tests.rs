use super::*;

#[test]
fn a_figure_beyond_its_pass_line_fails() {
    assert!(Figure::at_most("x", 1.0, 1.0, "ms").holds);
    assert!(!Figure::at_most("x", 1.1, 1.0, "ms").holds);
    assert!(!Figure::at_least("x", 0.9, 1.0, "ms").holds);
    assert!(!Figure::none("x", 1, &["why".to_owned()]).holds);
    assert!(!Figure::is("x", 1, 0).holds);
    // What could not be measured has not passed.
    assert!(!Figure::at_most("x", f64::NAN, 1.0, "ms").holds);
    assert!(!Figure::at_least("x", f64::NAN, 1.0, "ms").holds);
}

#[test]
fn the_table_shows_what_failed() {
    let table = table(&[Figure::plain("calls", "1,000"), Figure::none("lost", 2, &["a|b".to_owned()])]);
    assert!(table.ends_with("| calls | 1,000 |  |\n| lost | 2 (a\\|b) **FAILED** | 0 |\n"), "{table}");
}

#[test]
fn percentiles_are_values_that_were_measured() {
    let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
    assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (50.0, 99.0));
    assert_eq!(percentile(&[7.0], 0.99), 7.0);
    assert!(percentile(&[], 0.5).is_nan());
}

#[test]
fn numbers_are_short() {
    assert_eq!(
        [0.5, 12.0, 99.456, 1234567.8, -1234.0].map(number),
        ["0.50", "12", "99.46", "1,234,568", "-1,234"]
    );
}
