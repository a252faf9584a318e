//! Bars, units and what is left out.

use super::{PLOTS, time};
use crate::bench::figures::BenchFigures;

#[test]
fn times_have_a_unit_that_a_person_reads() {
    let shown = [0.000_021, 0.000_597, 0.0149, 5.94, 282.6, 1269.3, 64_740.0].map(time);
    assert_eq!(shown, ["21 ns", "0.6 µs", "15 µs", "5.9 ms", "283 ms", "1.27 s", "65 s"]);
}

#[test]
fn the_longest_bar_fills_the_room_and_unknown_systems_have_none() {
    let figure = r#"{"tester": {
        "mortise check": {"wall_ms": 690.0, "peak_mib": 0.0},
        "Inspector CLI": {"wall_ms": 60070.0, "peak_mib": 0.0}
    }}"#;
    let figures: BenchFigures = serde_json::from_str(figure).unwrap();
    let plot = PLOTS.iter().find(|plot| plot.name == "bench-tester").unwrap();
    let svg = plot.draw(&figures).unwrap();
    assert!(svg.contains("class=\"m\" x=\"190\" y=\"48\" width=\"4.9\""), "{svg}");
    assert!(svg.contains("class=\"o\" x=\"190\" y=\"74\" width=\"430.0\""), "{svg}");
    assert!(svg.contains(">690 ms<") && svg.contains(">60 s<") && !svg.contains("fastmcp CLI<"), "{svg}");
    assert!(plot.draw(&BenchFigures::default()).is_err());
}
