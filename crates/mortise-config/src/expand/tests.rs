//! Variables that exist, do not exist, and have defaults.

use proptest::prelude::*;

use super::*;

fn environment() -> Environment {
    let variables = [("A", "1"), ("B_2", "two"), ("EMPTY", ""), ("SNEAKY", "${A}"), ("_x", "under")];
    Environment {
        variables: variables.map(|(key, value)| (key.into(), value.into())).into(),
        ..Environment::default()
    }
}

#[test]
fn variables_are_put_in_once() {
    for (text, expected) in [
        ("", ""),
        ("plain $A $ {A} $", "plain $A $ {A} $"),
        ("${A}", "1"),
        ("x${A}y${B_2}z${_x}", "x1ytwozunder"),
        ("${EMPTY}", ""),
        ("${EMPTY:-d}", "d"),
        ("${A:-d}", "1"),
        ("${NONE:-d}", "d"),
        ("${NONE:-}", ""),
        ("${NONE:-a:-b}", "a:-b"),
        ("${SNEAKY}", "${A}"),
        ("$${A}", "${A}"),
        ("$${A}${A}", "${A}1"),
        ("a$$b", "a$$b"),
    ] {
        assert_eq!(expand(text, &environment(), &mut Vec::new()).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_variable_is_refused() {
    let name = |name: &str| name.to_owned();
    for (text, expected) in [
        ("${NONE}", ExpandError::Unset { name: name("NONE") }),
        ("${", ExpandError::Unclosed),
        ("${A", ExpandError::Unclosed),
        ("${}", ExpandError::BadName),
        ("${ A}", ExpandError::BadName),
        ("${1A}", ExpandError::BadName),
        ("${env:A}", ExpandError::BadName),
        ("${A-b}", ExpandError::BadName),
        ("${NONE:-${A}}", ExpandError::Nested { name: name("NONE") }),
    ] {
        assert_eq!(expand(text, &environment(), &mut Vec::new()), Err(expected), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_value_that_is_not_unicode_is_refused() {
    use std::os::unix::ffi::OsStringExt;
    let value = std::ffi::OsString::from_vec(vec![0xff]);
    let environment = Environment { variables: [("A".into(), value)].into(), ..Environment::default() };
    assert_eq!(
        expand("${A}", &environment, &mut Vec::new()),
        Err(ExpandError::NotUnicode { name: "A".to_owned() })
    );
}

proptest! {
    #[test]
    fn any_text_expands_or_is_refused(text in "[${}:A\\-a ]{0,40}") {
        let _ = expand(&text, &environment(), &mut Vec::new());
    }

    #[test]
    fn text_without_a_dollar_is_itself(text in "[^$]{0,40}") {
        prop_assert_eq!(expand(&text, &environment(), &mut Vec::new()), Ok(text));
    }
}
