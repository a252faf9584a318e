//! Rows for ages; the rest is tested over real servers.

use super::*;

#[test]
fn an_age_is_shown_in_the_largest_unit_that_it_fills() {
    let rows =
        [(0, "0 s ago"), (59, "59 s ago"), (60, "1 min ago"), (7_199, "1 h ago"), (172_800, "2 d ago")];
    for (seconds, expected) in rows {
        assert_eq!(ago(Duration::from_secs(seconds)), expected);
    }
}
