//! Words of commands that people copy, quoted for a shell.

use std::borrow::Cow;

/// The word as a shell takes it: `city=Oslo` as it is, `city='New York'` quoted behind its name.
pub(crate) fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |text: &str| {
        let is_safe = |c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | ',')
        };
        !text.is_empty() && text.chars().all(is_safe)
    };
    match word.split_once('=') {
        Some((name, value)) if is_plain(name) && is_plain(value) => Cow::Borrowed(word),
        Some((name, value)) if is_plain(name) => Cow::Owned(format!("{name}={}", quoted(value))),
        _ => quoted(word),
    }
}

fn quoted(text: &str) -> Cow<'_, str> {
    // Only a text with a zero byte can't be quoted, and no argument has one.
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(text))
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn values_are_quoted_behind_their_names_and_only_where_a_shell_needs_it() {
        for (word, expected) in [
            ("city=Oslo", "city=Oslo"),
            ("city=New York", "city='New York'"),
            ("tags:=[1, 2]", "tags:='[1, 2]'"),
            ("a b=c", "'a b=c'"),
            ("city=", "city=''"),
            ("~", "'~'"),
            ("print(1)", "'print(1)'"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }
}
