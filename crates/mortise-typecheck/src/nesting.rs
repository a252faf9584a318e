//! How deeply a program nests, read off its tokens.
//!
//! The type checker walks the tree of a program by recursion. A tower of a few kilobytes would use up its stack and end
//! its process; counting brackets first costs microseconds and gives a reason that the author can act on.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use crate::finding::Unchecked;
use crate::limits::CHECK_LEVELS;

/// Why a program nests too deeply to be checked, if it does.
pub(crate) fn excess(source: &str) -> Option<Unchecked> {
    // Not by the parser: dropping the tree of a tower takes as much stack as the tower is high.
    let mut lexer = lex(source, Mode::Module);
    let mut blocks = 0_usize;
    // Operators since the last separator, for each open bracket.
    let mut open = vec![0_usize];
    let mut total = 0_usize;
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return None,
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
                // A bracket that was never opened closes nothing.
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
}
