use super::*;

#[test]
fn seconds_have_no_needless_decimals() {
    assert_eq!(seconds(Duration::from_secs(120)), "120s");
    assert_eq!(seconds(Duration::from_millis(500)), "0.5s");
}

#[test]
fn sizes_are_rounded_down_to_a_tenth() {
    assert_eq!(size(10), "10 bytes");
    assert_eq!(size(16 << 20), "16 MiB");
    assert_eq!(size((16 << 20) + (1 << 19)), "16.5 MiB");
    assert_eq!(size(1536), "1.5 KiB");
}
