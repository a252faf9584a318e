//! A panic has its own exit code.

use super::guard;
use crate::exit::Exit;

#[test]
fn a_panic_is_a_bug_with_exit_code_70() {
    assert_eq!(guard(|| panic!("broken invariant")).code(), 70);
    assert_eq!(guard(|| Exit::Ok), Exit::Ok);
}
