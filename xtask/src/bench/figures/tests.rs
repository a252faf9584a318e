//! Figures survive the file and keep four digits.

use super::{BenchFigure, BenchFigures, rounded};
use crate::bench::measure::Sample;
use crate::bench::series::Series;

#[test]
fn a_part_that_runs_again_replaces_its_figures() {
    let sample = |wall_ms| Sample { wall_ms, cpu_ms: 0.0, peak_kib: 2048 };
    let series = |wall_ms| [Series { system: "ours".to_owned(), samples: vec![sample(wall_ms)] }];
    let mut figures = BenchFigures::default();
    figures.record("calls", &series(1.0));
    figures.record("calls", &series(123.456));
    let text = serde_json::to_string(&figures).unwrap();
    let figures: BenchFigures = serde_json::from_str(&text).unwrap();
    assert_eq!(figures.get("calls", "ours"), Some(BenchFigure { wall_ms: 123.5, peak_mib: 2.0 }));
    assert_eq!(figures.get("calls", "other"), None);
}

#[test]
fn four_digits_are_kept() {
    let shown = [0.0, 0.000_597_12, 12.3456, 98_765.4].map(|value| rounded(value).to_string());
    assert_eq!(shown, ["0", "0.0005971", "12.35", "98770"]);
}
