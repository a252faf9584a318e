//! Text from outside, made safe to show on a terminal.
//!
//! Servers choose the text of names, descriptions and results. Unescaped it
//! could move the cursor, set the window's title, fake a line of ours or hide
//! instructions in characters that nobody sees.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Shows control and invisible characters as escapes; line breaks and tabs stay.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // The line ending of Windows, not an overwrite of the line.
            '\r' if characters.peek() == Some(&'\n') => {}
            character if is_hidden(character) => _ = write!(shown, "{}", character.escape_unicode()),
            character => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// The same on one line: white space of any kind becomes one space.
pub(crate) fn line(raw: &str) -> String {
    let mut shown = String::with_capacity(raw.len());
    for word in raw.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(&text(word));
    }
    shown
}

/// The same for a JSON text, which stays JSON: hidden characters become `\u` escapes.
///
/// Outside of strings JSON has no such characters, so that every one of them may be escaped.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\r' => shown.push(character),
            character if is_hidden(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    _ = write!(shown, "\\u{unit:04x}");
                }
            }
            character => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal would act on this character or show nothing for it.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        character if character.is_control() => true,
        // Soft hyphen, Arabic letter mark, Hangul and Mongolian fillers.
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180b}'..='\u{180f}'
        | '\u{3164}'
        | '\u{ffa0}' => true,
        // Zero width, direction marks and overrides, line separators, invisible operators.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // Tags and the supplementary variation selectors, both used to smuggle text.
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
