//! Source that is not Python, in Python's own words.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::ParseError;
use ruff_text_size::{Ranged as _, TextRange, TextSize};

/// What the parser says, what Python says, and which error that is.
const WORDS: [(&str, &str); 6] = [
    ("Unexpected indentation", "IndentationError: unexpected indent"),
    ("unindent does not match", "IndentationError: unindent does not match any outer indentation level"),
    ("Expected `:`, found `=`", "SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?"),
    ("Expected `:`", "SyntaxError: expected ':'"),
    ("Expected an expression", "SyntaxError: invalid syntax"),
    ("Simple statements must be separated", "SyntaxError: invalid syntax"),
];

/// Texts of the parser about a literal without an end, and what Python calls the literal.
const UNTERMINATED: [(&str, &str); 3] = [
    ("missing closing quote in string literal", "string"),
    ("f-string: unterminated string", "f-string"),
    ("f-string: unterminated triple-quoted string", "triple-quoted f-string"),
];

/// Where the first literal without an end stands, and what the parser says of it.
pub(crate) fn unterminated(errors: &[ParseError]) -> Option<(TextRange, String)> {
    let said = errors.iter().map(|error| (error.location, error.error.to_string()));
    said.into_iter().find(|(_, said)| UNTERMINATED.iter().any(|(known, _)| known == said))
}

/// Where brackets do not match, and what Python says of it: nothing else in the program is as good a hint.
///
/// Python reads no further than a literal without an end. What stands behind it does not count, and brackets that
/// are open there are not at fault.
pub(crate) fn brackets(tokens: &[Token], literal: Option<TextSize>) -> Option<(TextRange, String)> {
    let mut open: Vec<(char, TextRange)> = Vec::new();
    for token in tokens.iter().take_while(|token| literal.is_none_or(|literal| token.start() < literal)) {
        let (opening, closing) = match token.kind() {
            TokenKind::Lpar => ('(', None),
            TokenKind::Lsqb => ('[', None),
            TokenKind::Lbrace => ('{', None),
            TokenKind::Rpar => ('(', Some(')')),
            TokenKind::Rsqb => ('[', Some(']')),
            TokenKind::Rbrace => ('{', Some('}')),
            _ => continue,
        };
        match (closing, open.last()) {
            (None, _) => open.push((opening, token.range())),
            (Some(_), Some((last, _))) if *last == opening => _ = open.pop(),
            (Some(closing), Some((last, _))) => {
                let message =
                    format!("closing parenthesis '{closing}' does not match opening parenthesis '{last}'");
                return Some((token.range(), message));
            }
            (Some(closing), None) => return Some((token.range(), format!("unmatched '{closing}'"))),
        }
    }
    open.last()
        .filter(|_| literal.is_none())
        .map(|(opening, range)| (*range, format!("'{opening}' was never closed")))
}

/// A message of the parser in Python's words; `line` is the number and the text of the line that it is about.
pub(crate) fn in_words(said: &str, (number, line): (usize, &str)) -> String {
    let is_print =
        line.trim_start().strip_prefix("print").is_some_and(|rest| rest.starts_with([' ', '"', '\'']));
    if is_print && said.starts_with("Simple statements") {
        return "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?".to_owned();
    }
    if let Some((_, literal)) = UNTERMINATED.iter().find(|(known, _)| *known == said) {
        let is_triple = *literal == "string" && ["\'\'\'", "\"\"\""].iter().any(|quote| line.contains(quote));
        let triple = if is_triple { "triple-quoted " } else { "" };
        return format!("SyntaxError: unterminated {triple}{literal} literal (detected at line {number})");
    }
    if let Some((_, words)) = WORDS.iter().find(|(known, _)| said.starts_with(known)) {
        return (*words).to_owned();
    }
    let error =
        if said.starts_with("Expected an indented block") { "IndentationError" } else { "SyntaxError" };
    format!("{error}: {}", lower_first(said))
}

/// A sentence as it goes on behind a colon.
pub(crate) fn lower_first(sentence: &str) -> String {
    let mut rest = sentence.chars();
    rest.next().into_iter().flat_map(char::to_lowercase).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

    use super::{brackets, in_words, unterminated};

    #[test]
    fn brackets_are_reported_as_python_reports_them() {
        for (source, expected) in [
            ("print(", Some("'(' was never closed")),
            ("print((1, 2)\nx = 3\n", Some("'(' was never closed")),
            ("x = [1, {2: 3]\n", Some("closing parenthesis ']' does not match opening parenthesis '{'")),
            ("x = 1)\n", Some("unmatched ')'")),
            ("x = '('\n", None),
            ("f'{x[0]}'\n", None),
            ("print('a", None),
            ("print(f'a", None),
            ("print(f\"\"\"a", None),
            ("f(\n  g(1))\n  x='a)\n", None),
            ("print(1]\nx = 'a", Some("closing parenthesis ']' does not match opening parenthesis '('")),
        ] {
            let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
            let literal = unterminated(parsed.errors()).map(|(range, _)| range.start());
            let found = brackets(parsed.tokens(), literal).map(|(_, message)| message);
            assert_eq!(found.as_deref(), expected, "{source}");
        }
    }

    /// What the parser of this version says, so that another version that says it otherwise is noticed.
    #[test]
    fn the_parser_is_put_into_pythons_words() {
        for (source, expected) in [
            ("if x\n    y\n", "SyntaxError: expected ':'"),
            (
                "if x = 1:\n    y\n",
                "SyntaxError: invalid syntax. Maybe you meant '==' or ':=' instead of '='?",
            ),
            ("print x\n", "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)?"),
            ("const x = 5;\n", "SyntaxError: invalid syntax"),
            ("x = 'a\n", "SyntaxError: unterminated string literal (detected at line 1)"),
            ("x = f'a\n", "SyntaxError: unterminated f-string literal (detected at line 1)"),
            ("x = '''a\n", "SyntaxError: unterminated triple-quoted string literal (detected at line 1)"),
            ("if x:\ny = 1\n", "IndentationError: expected an indented block after `if` statement"),
            ("x = 1\n  y = 2\n", "IndentationError: unexpected indent"),
            ("x = +\n", "SyntaxError: invalid syntax"),
        ] {
            let parsed = parse_unchecked(source, ParseOptions::from(Mode::Module));
            let said = parsed.errors().first().map(|error| error.error.to_string()).unwrap_or_default();
            let line = source.lines().next().unwrap_or_default();
            assert_eq!(in_words(&said, (1, line)), expected, "{source} {said}");
        }
    }
}
