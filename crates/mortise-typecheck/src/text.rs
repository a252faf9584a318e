//! Places in the program: lines, columns, the excerpt with its caret.

use ruff_text_size::{TextRange, TextSize};

/// Characters of an excerpt.
const WIDTH: usize = 120;
const ENDS: [char; 2] = ['\n', '\r'];

/// The program's text, where its lines begin, and what the checker reads beside it.
pub(crate) struct ProgramLines<'a> {
    source: &'a str,
    starts: Vec<usize>,
    /// Bytes that stand before the program.
    prefix: usize,
    /// Where in the program something was added, in order, and how many bytes.
    added: Vec<(usize, usize)>,
}

/// A place in the program as a finding shows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceExcerpt {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) excerpt: String,
    pub(crate) caret: (usize, usize),
}

impl<'a> ProgramLines<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        // Python ends lines with `\n`, `\r\n` and `\r`.
        let is_end = |(at, end): &(usize, &str)| *end == "\n" || !source[at + 1..].starts_with('\n');
        let ends = source.match_indices(ENDS).filter(is_end);
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { source, starts, prefix: 0, added: Vec::new() }
    }

    /// The same, where the checker reads something before the program and within it.
    pub(crate) fn amid(self, prefix: usize, added: Vec<(usize, usize)>) -> Self {
        Self { prefix, added, ..self }
    }

    pub(crate) fn text(&self, range: TextRange) -> &'a str {
        self.source.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }

    /// The number of the line at a place, from 1, and its text.
    pub(crate) fn line(&self, at: TextSize) -> (usize, &'a str) {
        let at = usize::from(at).min(self.source.len());
        let number = self.starts.partition_point(|begin| *begin <= at).max(1);
        (number, self.source[self.starts[number - 1]..].lines().next().unwrap_or_default())
    }

    /// Where a range begins, with its line; what follows on further lines is left out.
    pub(crate) fn place(&self, range: TextRange) -> SourceExcerpt {
        let start = usize::from(range.start()).min(self.source.len());
        let line = self.starts.partition_point(|begin| *begin <= start).max(1);
        let begin = self.starts[line - 1];
        let end = self.source[begin..].find(ENDS).map_or(self.source.len(), |at| begin + at);
        let text: Vec<char> =
            self.source[begin..end].chars().map(|c| if c == '\t' { ' ' } else { c }).collect();
        let before = self.source.get(begin..start).map_or(0, |before| before.chars().count());
        let stop = usize::from(range.end()).clamp(start, end.max(start));
        let width = self.source.get(start..stop).map_or(1, |marked| marked.chars().count()).max(1);
        let (excerpt, shift) = cut(&text, before);
        let room = excerpt.chars().count().saturating_sub(before - shift);
        SourceExcerpt { line, column: before + 1, excerpt, caret: (before - shift, width.min(room.max(1))) }
    }

    /// The range, or the end of the program's text if there is no text from there on: an empty line shows nothing.
    pub(crate) fn on_text(&self, range: TextRange) -> TextRange {
        let text = self.source.trim_end();
        let added: usize = self.added.iter().map(|(_, length)| length).sum();
        let end = TextSize::try_from(self.prefix + added + text.len()).unwrap_or(range.start());
        if range.start() > end { TextRange::empty(end) } else { range }
    }

    /// The place in the program of a range that the checker speaks of; none for what stands before the program.
    pub(crate) fn within(&self, range: TextRange) -> Option<TextRange> {
        let start = self.original(range.start())?;
        Some(TextRange::new(start, self.original(range.end())?.max(start)))
    }

    fn original(&self, at: TextSize) -> Option<TextSize> {
        let read = usize::from(at).checked_sub(self.prefix)?;
        let mut place = read;
        for (added, length) in &self.added {
            // As far as the ones before it go, this one begins at its place in the program.
            if place <= *added {
                break;
            }
            place = (*added).max(place.saturating_sub(*length));
        }
        TextSize::try_from(place).ok()
    }
}

/// The line around a place without its indentation, and how many characters were left out before it.
fn cut(line: &[char], place: usize) -> (String, usize) {
    let indent = line.iter().take_while(|c| c.is_whitespace()).count().min(place);
    let first = match line.len() - indent > WIDTH && place > indent + WIDTH / 2 {
        true => place - WIDTH / 2,
        false => indent,
    };
    let shown: String =
        line[first..].iter().take(WIDTH).map(|c| if c.is_control() { '\u{fffd}' } else { *c }).collect();
    (shown, first)
}

#[cfg(test)]
mod tests {
    use ruff_text_size::{TextRange, TextSize};

    use super::{ProgramLines, SourceExcerpt};

    #[test]
    fn a_place_is_counted_in_characters() {
        let source = "a = 1\n    ü = row[\"x\"]\n";
        let start = source.find("\"x\"").unwrap();
        let place = |from: usize, to: usize| {
            let size = |at: usize| TextSize::try_from(at).unwrap();
            ProgramLines::new(source).place(TextRange::new(size(from), size(to)))
        };
        assert_eq!(
            place(start, start + 3),
            SourceExcerpt { line: 2, column: 13, excerpt: "ü = row[\"x\"]".to_owned(), caret: (8, 3) }
        );
        assert_eq!(place(source.len(), source.len()).line, 3);
        assert_eq!(place(0, source.len()).caret, (0, 5));
    }

    #[test]
    fn lines_end_as_python_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let source = format!("a = 1{end}{end}b = c{end}");
            let at = TextSize::try_from(source.find('c').unwrap()).unwrap();
            assert_eq!(
                ProgramLines::new(&source).place(TextRange::empty(at)),
                SourceExcerpt { line: 3, column: 5, excerpt: "b = c".to_owned(), caret: (4, 1) },
                "{end:?}"
            );
        }
    }

    #[test]
    fn what_is_after_the_text_is_shown_at_its_end() {
        let lines = ProgramLines::new("x = (1,\nprint(x\n\n");
        let at = |at: u32| lines.place(lines.on_text(TextRange::empty(TextSize::new(at))));
        assert_eq!(
            at(17),
            SourceExcerpt { line: 2, column: 8, excerpt: "print(x".to_owned(), caret: (7, 1) }
        );
        assert_eq!(at(8).column, 1);
    }

    #[test]
    fn what_was_added_does_not_move_places() {
        // `before\n` stands before the program, `++` after `a` and `---` after `bc`.
        let lines = ProgramLines::new("abcd").amid(7, vec![(1, 2), (3, 3)]);
        let read = "before\na++bc---d";
        for (letter, expected) in [('a', 0), ('b', 1), ('c', 2), ('d', 3)] {
            let at = TextSize::try_from(read.rfind(letter).unwrap()).unwrap();
            let range = TextRange::new(at, at + TextSize::new(1));
            let found = lines.within(range).unwrap();
            assert_eq!(usize::from(found.start()), expected, "{letter}");
            assert_eq!(usize::from(found.end()), expected + 1, "{letter}");
        }
        assert_eq!(lines.within(TextRange::empty(TextSize::new(3))), None);
    }
}
