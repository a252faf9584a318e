use super::*;

#[test]
fn numbers_are_whole_or_have_a_fraction() {
    use Number::{Float, Integer};
    for (text, expected) in [
        ("0", Some(Integer(0))),
        ("+5", Some(Integer(5))),
        ("-12", Some(Integer(-12))),
        ("9223372036854775807", Some(Integer(i64::MAX))),
        ("9223372036854775808", None),
        ("00501", None),
        ("-01", None),
        ("01.5", None),
        ("0.5", Some(Float(0.5))),
        (".5", Some(Float(0.5))),
        ("5.", Some(Float(5.0))),
        ("1e-5", Some(Float(1e-5))),
        ("1.5E3", Some(Float(1500.0))),
        ("1,234", Some(Float(1234.0))),
        ("-1,234,567.89", Some(Float(-1_234_567.89))),
        ("0,125", None),
        ("1,2,3", None),
        ("1234,567", None),
        ("1,23", None),
        ("1,5", None),
        ("", None),
        ("-", None),
        (".", None),
        ("e5", None),
        ("1e", None),
        ("1e999", None),
        ("NaN", None),
        ("inf", None),
        ("1_000", None),
        ("0x1f", None),
        ("1 000", None),
    ] {
        assert_eq!(number(text), expected, "{text}");
    }
}

#[test]
fn durations_have_units() {
    for (text, expected) in [
        ("P1D", true),
        ("PT2H30M", true),
        ("P1Y2M3DT4H5M6.5S", true),
        ("P", false),
        ("PT", false),
        ("P1H", false),
        ("5 min", true),
        ("1.5 hours", true),
        ("30s", true),
        ("5 apples", false),
        ("Paris", false),
        ("5", false),
    ] {
        assert_eq!(is_duration(text), expected, "{text}");
    }
}

#[test]
fn words_of_truth_have_any_case() {
    for (text, expected) in [
        ("YES", Some(true)),
        ("f", Some(false)),
        ("1", Some(true)),
        ("on", None),
        ("", None),
        ("truely", None),
    ] {
        assert_eq!(boolean(text), expected, "{text}");
    }
}
