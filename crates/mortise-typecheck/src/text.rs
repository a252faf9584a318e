//! Places in the program: lines, columns, the excerpt with its caret.

use ruff_text_size::{TextRange, TextSize};

/// Characters of an excerpt.
const WIDTH: usize = 120;
/// What ends a line.
const ENDS: [char; 2] = ['\n', '\r'];

/// The program's text and where its lines begin.
pub(crate) struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
}

/// A place as people count.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) excerpt: String,
    pub(crate) caret: (usize, usize),
}

impl<'a> Lines<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        // Python ends lines with `\n`, `\r\n` and `\r`.
        let is_end = |(at, end): &(usize, &str)| *end == "\n" || !source[at + 1..].starts_with('\n');
        let ends = source.match_indices(ENDS).filter(is_end);
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { source, starts }
    }

    pub(crate) fn text(&self, range: TextRange) -> &'a str {
        self.source.get(usize::from(range.start())..usize::from(range.end())).unwrap_or_default()
    }

    /// Where a range begins, with its line; what follows on further lines is left out.
    pub(crate) fn place(&self, range: TextRange) -> Place {
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
        Place { line, column: before + 1, excerpt, caret: (before - shift, width.min(room.max(1))) }
    }

    /// The range, or the end of the program's text if there is no text from there on: an empty line shows nothing.
    pub(crate) fn on_text(&self, range: TextRange, prefix: usize) -> TextRange {
        let text = self.source.trim_end();
        let end = TextSize::try_from(prefix + text.len()).unwrap_or(range.start());
        if range.start() > end { TextRange::empty(end) } else { range }
    }

    /// The range without what stands before the program.
    pub(crate) fn within(range: TextRange, prefix: usize) -> Option<TextRange> {
        let prefix = TextSize::try_from(prefix).ok()?;
        (range.start() >= prefix).then(|| TextRange::new(range.start() - prefix, range.end() - prefix))
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

    use super::{Lines, Place};

    #[test]
    fn a_place_is_counted_in_characters() {
        let source = "a = 1\n    ü = row[\"x\"]\n";
        let start = source.find("\"x\"").unwrap();
        let place = |from: usize, to: usize| {
            let size = |at: usize| TextSize::try_from(at).unwrap();
            Lines::new(source).place(TextRange::new(size(from), size(to)))
        };
        assert_eq!(
            place(start, start + 3),
            Place { line: 2, column: 13, excerpt: "ü = row[\"x\"]".to_owned(), caret: (8, 3) }
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
                Lines::new(&source).place(TextRange::empty(at)),
                Place { line: 3, column: 5, excerpt: "b = c".to_owned(), caret: (4, 1) },
                "{end:?}"
            );
        }
    }

    #[test]
    fn what_is_after_the_text_is_shown_at_its_end() {
        let lines = Lines::new("x = (1,\nprint(x\n\n");
        let at = |at: u32| lines.place(lines.on_text(TextRange::empty(TextSize::new(at)), 0));
        assert_eq!(at(17), Place { line: 2, column: 8, excerpt: "print(x".to_owned(), caret: (7, 1) });
        assert_eq!(at(8).column, 1);
    }
}
