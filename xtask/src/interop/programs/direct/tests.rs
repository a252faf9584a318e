//! What the stage lets pass.

use super::{Found, judge};

fn found(differences: &[&str], refused: usize) -> Found {
    let differences = differences.iter().map(ToString::to_string).collect();
    Found { right: 150, differences, wrong: 100, refused, missed: vec!["ran".to_owned()] }
}

#[test]
fn a_difference_or_too_few_refusals_fail() {
    assert!(judge(&found(&[], 85)).unwrap().contains("85 of 100"));
    assert!(judge(&found(&[], 84)).unwrap_err().to_string().contains("ran"));
    assert!(judge(&found(&["prints other"], 100)).unwrap_err().to_string().contains("prints other"));
    assert!(judge(&Found { right: 149, ..found(&[], 100) }).is_err());
}
