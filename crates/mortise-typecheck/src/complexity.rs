//! How deeply a program nests and how much there is to work out, read off its tokens.
//!
//! The type checker walks the tree of a program by recursion, so a program of a few kilobytes could
//! use up any stack, and a stack that is used up can't be caught. Its work grows with calls times names,
//! and it looks only now and then whether it was told to stop. Such programs are not checked.

use std::collections::HashSet;

use mortise_contract::limits::CHECK_LEVELS;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use crate::finding::Unchecked;

/// Calls times names of a program that is checked.
const WORK: usize = 1_000_000;

/// Why a program is too much to be checked, if so.
pub(crate) fn excess(source: &str) -> Option<Unchecked> {
    // Not by the parser: dropping what it makes of a tower takes as much stack as the tower is high.
    let mut lexer = lex(source, Mode::Module);
    let mut blocks = 0_usize;
    // Operators since the last separator, for each bracket that is open.
    let mut open = vec![0_usize];
    let mut total = 0_usize;
    let mut named = 0_usize;
    let mut calls = 0_usize;
    let mut last = TokenKind::Newline;
    loop {
        let kind = lexer.next_token();
        match (last, kind) {
            (_, TokenKind::Name) => named += 1,
            (TokenKind::Name | TokenKind::Rpar | TokenKind::Rsqb, TokenKind::Lpar) => calls += 1,
            _ => {}
        }
        last = kind;
        match kind {
            TokenKind::EndOfFile => {
                let names = named.min(words(source));
                return (calls * names > WORK).then_some(Unchecked::Size { calls, names });
            }
            TokenKind::Indent => blocks += 1,
            TokenKind::Dedent => blocks = blocks.saturating_sub(1),
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace | TokenKind::FStringStart => {
                total += 1;
                if let Some(last) = open.last_mut() {
                    *last += 1;
                }
                open.push(0);
            }
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace | TokenKind::FStringEnd => {
                // One that was never opened closes nothing.
                let closed = if open.len() > 1 { open.pop() } else { None };
                total -= closed.unwrap_or(0);
            }
            TokenKind::Comma | TokenKind::Newline | TokenKind::Semi => {
                if let Some(last) = open.last_mut() {
                    total -= std::mem::take(last);
                }
            }
            kind if deepens(kind) => {
                total += 1;
                if let Some(last) = open.last_mut() {
                    *last += 1;
                }
            }
            _ => {}
        }
        if total + blocks > CHECK_LEVELS {
            return Some(Unchecked::Nesting { limit: CHECK_LEVELS });
        }
    }
}

/// Different words, those in texts included: the lexer does not say where its names stand.
fn words(source: &str) -> usize {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let words = source.split(|c| !is_part(c)).filter(|word| !word.starts_with(|c: char| c.is_numeric()));
    words.filter(|word| !word.is_empty()).collect::<HashSet<_>>().len()
}

fn deepens(kind: TokenKind) -> bool {
    kind.is_operator()
        || matches!(
            kind,
            TokenKind::Dot
                | TokenKind::And
                | TokenKind::Or
                | TokenKind::Not
                | TokenKind::If
                | TokenKind::Else
                | TokenKind::In
                | TokenKind::Is
                | TokenKind::Lambda
                | TokenKind::Await
                | TokenKind::For
                | TokenKind::Yield
        )
}

#[cfg(test)]
mod tests {
    use super::excess;
    use crate::finding::Unchecked;

    #[test]
    fn programs_of_people_are_flat_and_towers_are_not() {
        let rows = [
            ("x = [1, 2, 3]\n".repeat(1000), true),
            (format!("x = [{}]\n", "{'a': 1, 'b': [2, 3]}, ".repeat(1000)), true),
            (format!("x = {}\n", vec!["y"; 100].join(" + ")), true),
            (format!("x = {}\n", vec!["y"; 10_000].join(" + ")), false),
            (format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000)), false),
            (format!("x = y{}\n", ".z()".repeat(10_000)), false),
            (format!("x = {}y\n", "not ".repeat(10_000)), false),
            (format!("x = {}y\n", "lambda: ".repeat(10_000)), false),
            (format!("x = {}\n", "[".repeat(10_000)), false),
            (")".repeat(1000), true),
        ];
        for (source, expected) in rows {
            assert_eq!(excess(&source).is_none(), expected, "{}", &source[..source.len().min(60)]);
        }
    }

    #[test]
    fn many_calls_with_many_names_are_too_much() {
        let program = |count: usize| (0..count).map(|n| format!("print(name_{n})\n")).collect::<String>();
        assert_eq!(excess(&program(900)), None);
        assert_eq!(excess(&program(1200)), Some(Unchecked::Size { calls: 1200, names: 1201 }));
        assert_eq!(excess(&"print(x)\n".repeat(20_000)), None);
    }
}
