//! Marks, and lines that wrap with a hanging indent.

use unicode_width::UnicodeWidthStr as _;

use super::table::wrap;
use super::{Terminal, Tint};

/// The least room for words behind a lead; below it they start on a line of their own.
const LEAST_ROOM: usize = 20;
/// How far words are indented that start on a line of their own.
const BELOW: usize = 4;

/// How something stands, in one character and its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Good.
    Good,
    /// Failed.
    Bad,
    /// A warning.
    Warn,
    /// A note, or something that was skipped.
    Note,
}

impl Mark {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Good, Self::Bad, Self::Warn, Self::Note];

    /// The character.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Bad => "✗",
            Self::Warn => "!",
            Self::Note => "·",
        }
    }

    /// Its colour.
    pub(crate) fn tint(self) -> Tint {
        match self {
            Self::Good => Tint::Good,
            Self::Bad => Tint::Bad,
            Self::Warn => Tint::Warn,
            Self::Note => Tint::Dim,
        }
    }
}

/// A piece of a line with its colour.
pub(crate) type Piece<'a> = (Option<Tint>, &'a str);

impl Terminal {
    /// A mark for stdout.
    pub(crate) fn mark(&self, mark: Mark) -> String {
        self.paint(mark.tint(), mark.sign())
    }

    /// Pieces as one line.
    pub(crate) fn pieces(&self, pieces: &[Piece<'_>]) -> String {
        pieces.iter().map(|(tint, text)| self.tinted(*tint, text)).collect()
    }

    /// `text` behind `lead`, wrapped to the width of stdout. Later lines start below the first word of `text`.
    pub(crate) fn hang(&self, lead: &[Piece<'_>], tint: Option<Tint>, text: &str) -> String {
        let lead_width: usize = lead.iter().map(|(_, text)| text.width()).sum();
        let (lead, width) = (self.pieces(lead), self.width().unwrap_or(usize::MAX));
        let (mut out, indent) = match width.saturating_sub(lead_width) {
            room if room >= LEAST_ROOM || text.width() <= room => (lead, lead_width),
            _ => (format!("{}\n{:BELOW$}", lead.trim_end(), ""), BELOW),
        };
        let lines = wrap(text, width.saturating_sub(indent).max(8));
        for (number, line) in lines.iter().enumerate() {
            if number > 0 {
                out.push_str(&" ".repeat(indent));
            }
            out.push_str(&self.tinted(tint, line.trim_end()));
            out.push('\n');
        }
        out
    }

    /// A line that begins with a mark.
    pub(crate) fn marked(&self, indent: usize, mark: Mark, text: &str) -> String {
        self.hang(&[(None, &" ".repeat(indent)), (Some(mark.tint()), mark.sign()), (None, " ")], None, text)
    }

    /// A command to copy. A long one is continued with backslashes, so that it can still be pasted. An option stays
    /// on one line with the word behind it.
    pub(crate) fn command(&self, indent: usize, words: &[String]) -> String {
        let width = self.width().unwrap_or(usize::MAX);
        let pieces: Vec<String> = words
            .chunk_by(|word, next| word.starts_with("--") && word != "--" && !next.starts_with('-'))
            .map(|piece| piece.join(" "))
            .collect();
        let (mut out, mut line) = (String::new(), " ".repeat(indent));
        for (number, piece) in pieces.iter().enumerate() {
            let is_first = line.trim_start().is_empty();
            let last = if number + 1 == pieces.len() { 0 } else { 2 };
            if !is_first && line.width() + 1 + piece.width() + last > width {
                out.push_str(&format!("{line} \\\n"));
                line = format!("{:1$}{piece}", "", indent + 2);
                continue;
            }
            if !is_first {
                line.push(' ');
            }
            line.push_str(piece);
        }
        format!("{out}{line}\n")
    }

    fn tinted(&self, tint: Option<Tint>, text: &str) -> String {
        tint.map_or_else(|| text.to_owned(), |tint| self.paint(tint, text))
    }
}

/// At most `width` columns of `text`; what is cut off is marked with `…`.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for character in text.chars() {
        used += unicode_width::UnicodeWidthChar::width(character).unwrap_or(0);
        if used + 1 > width {
            break;
        }
        out.push(character);
    }
    format!("{}…", out.trim_end())
}

#[cfg(test)]
mod tests;
