//! Colours for Python and YAML on a terminal: comments, texts, keywords. Elsewhere the text stays as it is.

use crate::terminal::{Terminal, Tint, escape};

const PYTHON: [&str; 26] = [
    "and", "as", "class", "continue", "def", "elif", "else", "except", "False", "for", "from", "if",
    "import", "in", "is", "lambda", "None", "not", "or", "raise", "return", "True", "try", "while", "with",
    "yield",
];

/// Python as it is shown.
pub(super) fn python(terminal: &Terminal, code: &str) -> String {
    colored(terminal, code, |word| PYTHON.contains(&word))
}

/// YAML as it is shown.
pub(super) fn yaml(terminal: &Terminal, text: &str) -> String {
    colored(terminal, text, |word| word.ends_with(':'))
}

fn colored(terminal: &Terminal, code: &str, is_keyword: impl Fn(&str) -> bool) -> String {
    if !terminal.stdout_is_terminal() {
        return code.to_owned();
    }
    let escaped = escape::text(code);
    let mut output = String::with_capacity(escaped.len() * 2);
    let mut quote: Option<&str> = None;
    for line in escaped.split_inclusive('\n') {
        let mut rest = line;
        while !rest.is_empty() {
            let (piece, tint, open) = next(rest, quote, &is_keyword);
            quote = open;
            match tint {
                Some(tint) => output.push_str(&terminal.paint(tint, piece)),
                None => output.push_str(piece),
            }
            rest = &rest[piece.len()..];
        }
    }
    output
}

/// The next piece of a line, its colour, and the long quote that is still open after it.
fn next<'a>(
    rest: &'a str,
    quote: Option<&'static str>,
    is_keyword: &impl Fn(&str) -> bool,
) -> (&'a str, Option<Tint>, Option<&'static str>) {
    const LONG: &str = "\"\"\"";
    if quote.is_some() {
        return match rest.find(LONG) {
            Some(end) => (&rest[..end + LONG.len()], Some(Tint::Good), None),
            None => (rest, Some(Tint::Good), quote),
        };
    }
    if let Some(inner) = rest.strip_prefix(LONG) {
        return match inner.find(LONG) {
            Some(end) => (&rest[..end + 2 * LONG.len()], Some(Tint::Good), None),
            None => (rest, Some(Tint::Good), Some(LONG)),
        };
    }
    let first = rest.chars().next().unwrap_or_default();
    match first {
        '#' => (rest.trim_end_matches('\n'), Some(Tint::Dim), None).nonempty(rest),
        '"' | '\'' => (&rest[..short_end(rest, first)], Some(Tint::Good), None),
        _ if is_word(first) => {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let end =
                end + usize::from(rest[end..].starts_with(':') && is_keyword(&format!("{}:", &rest[..end])));
            let word = &rest[..end];
            (word, is_keyword(word).then_some(Tint::Type), None)
        }
        _ => {
            let plain = |c: char| is_word(c) || matches!(c, '#' | '"' | '\'');
            let end = rest.char_indices().skip(1).find(|(_, c)| plain(*c)).map_or(rest.len(), |(at, _)| at);
            (&rest[..end], None, None)
        }
    }
}

/// A piece is never empty, so that the text goes on.
trait NonEmpty<'a> {
    fn nonempty(self, rest: &'a str) -> Self;
}

impl<'a> NonEmpty<'a> for (&'a str, Option<Tint>, Option<&'static str>) {
    fn nonempty(self, rest: &'a str) -> Self {
        if self.0.is_empty() { (rest, None, None) } else { self }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Where a short text ends: after its closing quote, or with the line.
fn short_end(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
