//! What is said of series.

use super::{Ratio, Series, sentence, shown};
use crate::bench::measure::Sample;

#[test]
fn a_small_ratio_is_not_shown_as_nothing() {
    let ratio = |median: f64| Ratio { median, low: median * 0.9, high: median * 1.1 };
    assert_eq!(shown(ratio(1.0)), "1.00 (0.90 to 1.10)");
    assert_eq!(shown(ratio(0.05)), "0.050 (0.045 to 0.055)");
    assert_eq!(shown(ratio(0.0021)), "0.0021 (0.0019 to 0.0023)");
}

#[test]
fn a_sentence_compares_the_systems() {
    let series = |system: &str, wall_ms| Series {
        system: system.to_owned(),
        samples: vec![Sample { wall_ms, cpu_ms: 0.0, peak_kib: 0 }],
    };
    let all = [series("mortise", 728.9), series("Inspector CLI", 2926.9), series("fastmcp CLI", 3342.1)];
    assert_eq!(sentence(&all), "mortise takes 729 ms; Inspector CLI 2.93 s, fastmcp CLI 3.34 s.");
}
