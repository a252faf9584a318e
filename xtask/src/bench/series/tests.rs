use super::{Ratio, shown};

#[test]
fn a_small_ratio_is_not_shown_as_nothing() {
    let ratio = |median: f64| Ratio { median, low: median * 0.9, high: median * 1.1 };
    assert_eq!(shown(ratio(1.0)), "1.00 (0.90 to 1.10)");
    assert_eq!(shown(ratio(0.05)), "0.050 (0.045 to 0.055)");
    assert_eq!(shown(ratio(0.0021)), "0.0021 (0.0019 to 0.0023)");
}
