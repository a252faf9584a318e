//! Times as people write them.

use super::*;

#[test]
fn ages_have_a_unit() {
    let hours = |text| parse_age(text).map(|age| age.as_secs() / 3_600);
    assert_eq!(["12h", "7d", "4w"].map(hours), [Ok(12), Ok(168), Ok(672)]);
    for wrong in ["", "7", "d", "-1d", "1y"] {
        assert!(parse_age(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_time_is_an_age_or_a_day() {
    assert_eq!(parse_since("1970-01-02"), Ok(Since::At(86_400_000)));
    assert_eq!(parse_since("1h").unwrap().ms(3_600_001), 1);
    assert_eq!(parse_since("99w").unwrap().ms(5), 0);
}
