//! What errors look like.

use super::*;
use crate::event::FaultKind;

#[test]
fn times_are_rounded_for_people() {
    for (micros, expected) in [
        (0, "0 ms"),
        (50_000, "50 ms"),
        (949_999, "949 ms"),
        (999_998, "1 s"),
        (2_999_998, "3 s"),
        (3_000_000, "3 s"),
        (2_540_000, "2.5 s"),
        (99_960_000, "100 s"),
        (119_999_999, "120 s"),
        (600_400_000, "600 s"),
    ] {
        assert_eq!(shown(Duration::from_micros(micros)), expected, "{micros}");
    }
}

#[test]
fn skipped_lines_are_counted_and_the_first_is_shown_shortened() {
    let fault = |excerpt: &str| Some(ProtocolFault { kind: FaultKind::NotJson, excerpt: excerpt.to_owned() });
    let text = |lines, first| Skipped { lines, first }.to_string();
    assert_eq!(text(1, fault("hello")), "1 line was skipped, it is not JSON: `hello`");
    assert_eq!(text(7, fault("{")), "7 lines were skipped, the first is not JSON: `{`");
    assert_eq!(text(7, None), "7 lines were skipped");
    let long = text(2, fault(&"x".repeat(200)));
    assert!(long.ends_with(&format!("`{}…`", "x".repeat(80))), "{long}");
}
