//! JSON for a person at a terminal: indented, coloured, with what is wrong marked at its place.

use unicode_width::UnicodeWidthStr as _;

use super::layout::Mark;
use super::{Terminal, Tint, escape, pretty};

/// Something to say about one place in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceNote {
    /// JSON pointer to the place.
    pub(crate) pointer: String,
    /// What is wrong there.
    pub(crate) sentence: String,
}

/// A value as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownJson {
    /// Its lines.
    pub(crate) text: String,
    /// Whether every note has found its place.
    pub(crate) has_all: bool,
}

/// Shows a well-formed JSON text; every token stays as its sender wrote it.
pub(crate) fn show(terminal: &Terminal, json: &str, notes: &[PlaceNote]) -> ShownJson {
    let indented = pretty::indent(json);
    let mut place = JsonPlace::default();
    let (mut text, mut found) = (String::with_capacity(indented.len() * 2), 0);
    for line in indented.lines() {
        let token = LineToken::of(line);
        let pointer = place.enter(&token);
        push_line(terminal, &token, &mut text);
        let mut here = notes.iter().filter(|note| pointer.as_ref() == Some(&note.pointer)).peekable();
        if here.peek().is_none() {
            text.push('\n');
            continue;
        }
        for note in here {
            push_note(terminal, line, note, &mut text);
            found += 1;
        }
    }
    ShownJson { text, has_all: found == notes.len() }
}

/// One line of an indented text: `  "key": value,`.
struct LineToken<'a> {
    indent: &'a str,
    /// The key as written, with its quotes.
    key: Option<&'a str>,
    /// The rest, without the comma.
    value: &'a str,
    comma: &'a str,
}

impl<'a> LineToken<'a> {
    fn of(line: &'a str) -> Self {
        let rest = line.trim_start_matches(' ');
        let indent = &line[..line.len() - rest.len()];
        let (rest, comma) = match rest.strip_suffix(',') {
            Some(rest) => (rest, ","),
            None => (rest, ""),
        };
        match string_end(rest).map(|end| rest.split_at(end)) {
            Some((key, value)) if value.starts_with(": ") => {
                Self { indent, key: Some(key), value: &value[2..], comma }
            }
            _ => Self { indent, key: None, value: rest, comma },
        }
    }
}

/// Where the string that a text begins with ends.
fn string_end(text: &str) -> Option<usize> {
    let mut characters = text.char_indices().skip_while(|(at, character)| *at == 0 && *character != '"');
    characters.next().filter(|(at, _)| *at == 0)?;
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => _ = characters.next(),
            '"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The pointer of the line that is looked at.
#[derive(Default)]
struct JsonPlace {
    path: String,
    /// For every open object or array: the length of its own path, and the next index of an array.
    open: Vec<(usize, Option<usize>)>,
}

impl JsonPlace {
    /// The pointer of the value that begins on this line; none for a line that closes one.
    fn enter(&mut self, token: &LineToken<'_>) -> Option<String> {
        if matches!(token.value, "}" | "]") {
            self.open.pop();
            return None;
        }
        if let Some((length, index)) = self.open.last_mut() {
            self.path.truncate(*length);
            self.path.push('/');
            match (index, token.key) {
                (Some(index), _) => {
                    self.path.push_str(&index.to_string());
                    *index += 1;
                }
                (None, key) => {
                    let key: String = key.and_then(|key| serde_json::from_str(key).ok()).unwrap_or_default();
                    self.path.push_str(&key.replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        match token.value {
            "{" => self.open.push((self.path.len(), None)),
            "[" => self.open.push((self.path.len(), Some(0))),
            _ => {}
        }
        Some(self.path.clone())
    }
}

fn push_line(terminal: &Terminal, token: &LineToken<'_>, text: &mut String) {
    text.push_str(token.indent);
    if let Some(key) = token.key {
        text.push_str(&terminal.paint(Tint::Name, &escape::json(key)));
        text.push_str(": ");
    }
    let is_word = token.value.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '-');
    match is_word {
        true => text.push_str(&terminal.paint(Tint::Type, token.value)),
        false => text.push_str(&escape::json(token.value)),
    }
    text.push_str(token.comma);
}

/// Beside the line if there is room, else below it.
fn push_note(terminal: &Terminal, line: &str, note: &PlaceNote, text: &mut String) {
    let (sign, sentence) = (Mark::Bad, escape::line(&note.sentence));
    let room = terminal.width().map_or(usize::MAX, |width| width.saturating_sub(line.width() + 4));
    if !text.ends_with('\n') && sentence.width() <= room {
        text.push_str(&format!("  {} {}\n", terminal.mark(sign), terminal.paint(Tint::Bad, &sentence)));
        return;
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let indent = " ".repeat(line.len() - line.trim_start_matches(' ').len());
    let lead = [(None, indent.as_str()), (Some(sign.tint()), sign.sign()), (None, " ")];
    text.push_str(&terminal.hang(&lead, Some(Tint::Bad), &sentence));
}

#[cfg(test)]
mod tests;
