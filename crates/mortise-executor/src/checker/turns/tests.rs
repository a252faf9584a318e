//! Sessions share the checker.

use super::Turns;

fn order(turns: &mut Turns<u32>) -> Vec<u32> {
    std::iter::from_fn(|| turns.next(|_| true)).map(|(_, job)| job).collect()
}

#[test]
fn sessions_take_turns_however_long_their_lines_are() {
    let mut turns = Turns::new(100);
    for job in [1, 2, 3] {
        assert_eq!(turns.push("a", job), None);
    }
    assert_eq!(turns.push("b", 10), None);
    assert_eq!(turns.push("c", 20), None);
    assert_eq!(order(&mut turns), [1, 10, 20, 2, 3]);
}

#[test]
fn at_the_bound_the_longest_line_gives_up_its_newest() {
    let mut turns = Turns::new(3);
    for job in [1, 2, 3] {
        assert_eq!(turns.push("a", job), None);
    }
    assert_eq!(turns.push("a", 4), Some(4));
    assert_eq!(turns.push("b", 10), Some(3));
    assert_eq!(turns.waiting(), 3);
    assert_eq!(order(&mut turns), [1, 10, 2]);
}

#[test]
fn of_equally_long_lines_the_newcomer_finds_no_room() {
    let mut turns = Turns::new(2);
    assert_eq!((turns.push("a", 1), turns.push("b", 2), turns.push("c", 3)), (None, None, Some(3)));
}

#[test]
fn a_session_that_may_not_yet_is_passed_over() {
    let mut turns = Turns::new(100);
    turns.push("a", 1);
    turns.push("b", 2);
    assert_eq!(turns.next(|session| session != "a"), Some(("b".to_owned(), 2)));
    assert_eq!(turns.next(|session| session != "a"), None);
    assert_eq!(turns.remove(|job| *job == 1), [1]);
    assert_eq!(turns.waiting(), 0);
}
