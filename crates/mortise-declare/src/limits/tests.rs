//! The table shows the numbers that hold.

use super::*;

#[test]
fn every_limit_is_shown_with_its_number() {
    let numbers = [DECLARATION_BYTES, HINT_BYTES, HINT_BYTES_MIN, DESCRIPTION_BYTES];
    let shown = LIMITS.iter().map(|limit| limit.value.replace(',', ""));
    assert_eq!(shown.collect::<Vec<_>>(), numbers.map(|number| format!("{number} bytes")));
}
