//! How deeply code nests, read off its tokens before a tree is made of it.
//!
//! The tree is walked and freed by recursion, so a few kilobytes of brackets could use up any stack.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use crate::limits;

/// Levels that code may have. People and models stay far below.
pub const MAX_LEVELS: usize = limits::CODE_LEVELS;

pub(super) fn is_flat(text: &str) -> bool {
    let mut lexer = lex(text, Mode::Module);
    let mut blocks = 0usize;
    // For each open bracket: what deepens the tree since the last separator.
    let mut open = vec![0usize];
    let mut total = 0usize;
    loop {
        let kind = lexer.next_token();
        match kind {
            TokenKind::EndOfFile => return true,
            TokenKind::Indent => blocks += 1,
            TokenKind::Dedent => blocks = blocks.saturating_sub(1),
            TokenKind::Comma | TokenKind::Newline | TokenKind::Semi => {
                total -= open.last_mut().map(std::mem::take).unwrap_or(0);
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => total -= close(&mut open),
            _ if opens(kind) => {
                deepen(&mut open, &mut total);
                open.push(0);
            }
            _ if kind.is_operator() || chains(kind) => deepen(&mut open, &mut total),
            _ => {}
        }
        if total + blocks > MAX_LEVELS {
            return false;
        }
    }
}

/// What was deep inside a bracket that closes; one that closes nothing changes nothing.
fn close(open: &mut Vec<usize>) -> usize {
    match open.len() {
        0 | 1 => 0,
        _ => open.pop().unwrap_or(0),
    }
}

fn deepen(open: &mut [usize], total: &mut usize) {
    if let Some(last) = open.last_mut() {
        *last += 1;
        *total += 1;
    }
}

fn opens(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart
    )
}

fn chains(kind: TokenKind) -> bool {
    matches!(
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
            | TokenKind::Colon
    )
}
