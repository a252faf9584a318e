//! Text from servers on its way into comments, literals and descriptions.

use std::fmt::Write as _;

use mortise_contract::contract::hidden_kind;
use mortise_contract::text::{cut_bytes, one_line};

use crate::limits;

/// Bytes of a description beside a type.
const COMMENT: usize = 200;

/// The text without characters that a person does not see.
pub(super) fn visible(text: &str) -> String {
    let mut previous = ' ';
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        if hidden_kind(character, previous).is_none() && !is_line_end(character) {
            kept.push(character);
        } else if is_line_end(character) {
            kept.push('\n');
        }
        previous = character;
    }
    kept
}

/// One line for a comment: nothing in it ends a comment or a fence of code.
pub(super) fn comment_line(text: &str) -> String {
    let line = cut_bytes(&one_line(&visible(text)), COMMENT);
    break_backticks(&unclosed(&line))
}

/// The bytes of a text for a comment and those of it that are shown, if that is not all.
pub(super) fn cut_comment(text: &str) -> Option<(usize, usize)> {
    if text.len() <= COMMENT {
        return None;
    }
    Some(one_line(&visible(text)).len()).filter(|bytes| *bytes > COMMENT).map(|bytes| (bytes, COMMENT))
}

/// The lines of a tool's description, without hidden characters, within a bound.
pub(super) fn description_lines(text: &str) -> Vec<String> {
    let clean =
        visible(&cut_bytes(text, limits::DESCRIPTION_BYTES)).replace("\r\n", "\n").replace('\r', "\n");
    break_backticks(&clean).lines().map(|line| line.trim_end().to_owned()).collect()
}

/// The text with nothing in it that opens or closes a comment, however its marks overlap.
pub(super) fn unclosed(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        let is_mark = matches!((kept.chars().next_back(), character), (Some('*'), '/') | (Some('/'), '*'));
        if is_mark {
            kept.push(' ');
        }
        kept.push(character);
    }
    kept
}

/// Separates backticks that would open or close a fence of code.
pub(super) fn break_backticks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        if run == 3 {
            kept.push(' ');
            run = 1;
        }
        kept.push(character);
    }
    kept
}

/// A TypeScript string literal that equals `text` and holds no character that hides something.
pub(super) fn typescript_string(text: &str) -> String {
    quoted(text, |character, out| {
        // Beyond the basic plane an escape takes two units.
        let mut units = [0; 2];
        for unit in character.encode_utf16(&mut units) {
            _ = write!(out, "\\u{unit:04x}");
        }
    })
}

/// A Python string literal that equals `text` and holds no character that hides something.
pub(super) fn python_string(text: &str) -> String {
    quoted(text, |character, out| {
        let code = u32::from(character);
        _ = if code > 0xffff { write!(out, "\\U{code:08x}") } else { write!(out, "\\u{code:04x}") };
    })
}

fn quoted(text: &str, escape: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut ticks = 0;
    for character in text.chars() {
        ticks = if character == '`' { ticks + 1 } else { 0 };
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '`' if ticks == 3 => {
                ticks = 0;
                escape(character, &mut out);
            }
            _ if is_line_end(character) || hidden_kind(character, ' ').is_some() => {
                escape(character, &mut out)
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// Ends a line for a compiler, though it is neither `\n` nor `\r`.
fn is_line_end(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}' | '\u{85}')
}
