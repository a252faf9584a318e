//! Which pager is used.

use mortise_client::environment::Environment;

use super::PagerCommand;

#[track_caller]
fn check(variables: &[(&str, &str)], expected: Option<&[&str]>) {
    let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let environment = Environment { variables, ..Environment::default() };
    let words = PagerCommand::of(&environment).map(|pager| pager.words);
    let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
    assert_eq!(words, expected);
}

#[test]
fn our_own_variable_wins_and_nothing_means_no_pager() {
    check(&[], Some(&["less"]));
    check(&[("PAGER", "more -s")], Some(&["more", "-s"]));
    check(&[("PAGER", "more"), ("MORTISE_PAGER", "bat 'a b'")], Some(&["bat", "a b"]));
    check(&[("PAGER", "more"), ("MORTISE_PAGER", "")], None);
    check(&[("PAGER", "cat")], None);
    check(&[("PAGER", "less 'unclosed")], None);
}

#[test]
fn a_pager_that_is_not_there_shows_nothing() {
    let pager = |words: &[&str]| PagerCommand {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        less: None,
    };
    assert!(pager(&["/nowhere/at-all"]).show("text").is_err());
    assert!(pager(&["sh", "-c", "exit 127"]).show("text").is_err());
    assert!(pager(&["true"]).show(&"long text\n".repeat(100_000)).is_ok());
}
