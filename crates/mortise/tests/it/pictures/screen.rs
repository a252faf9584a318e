//! A screen: what a terminal shows after colours, carriage returns and erased lines.

/// One character with its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) character: char,
    pub(super) style: CellStyle,
}

/// How characters look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellStyle {
    pub(super) color: Option<Color>,
    pub(super) is_bold: bool,
    pub(super) is_dim: bool,
    pub(super) is_underlined: bool,
}

/// Red, green and blue.
pub(super) type Color = [u8; 3];

/// The lines of a screen that never scrolls.
#[derive(Debug)]
pub(super) struct Screen {
    columns: usize,
    rows: Vec<Vec<Cell>>,
    row: usize,
    column: usize,
    style: CellStyle,
}

impl Screen {
    /// An empty screen of this width.
    pub(super) fn new(columns: u16) -> Self {
        let columns = usize::from(columns);
        Self { columns, rows: vec![Vec::new()], row: 0, column: 0, style: CellStyle::default() }
    }

    pub(super) fn write(&mut self, text: &str) {
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            match character {
                '\u{1b}' => rest = self.escape(rest),
                '\r' => self.column = 0,
                '\n' => self.line_feed(),
                _ if character.is_control() => {}
                _ => self.put(character),
            }
        }
    }

    /// The rows without empty ones at the end.
    pub(super) fn lines(mut self) -> Vec<Vec<Cell>> {
        for row in &mut self.rows {
            while row.last().is_some_and(|cell| cell.character == ' ') {
                row.pop();
            }
        }
        while self.rows.last().is_some_and(Vec::is_empty) {
            self.rows.pop();
        }
        self.rows
    }

    fn line_feed(&mut self) {
        self.row += 1;
        self.column = 0;
        if self.row == self.rows.len() {
            self.rows.push(Vec::new());
        }
    }

    fn put(&mut self, character: char) {
        if self.column == self.columns {
            self.line_feed();
        }
        let blank = Cell { character: ' ', style: CellStyle::default() };
        let row = &mut self.rows[self.row];
        if row.len() <= self.column {
            row.resize(self.column + 1, blank);
        }
        row[self.column] = Cell { character, style: self.style };
        self.column += 1;
    }

    /// Carries out a sequence after its escape character and returns what follows it.
    fn escape<'a>(&mut self, text: &'a str) -> &'a str {
        if let Some(hyperlink) = text.strip_prefix(']') {
            return hyperlink.split_once("\u{1b}\\").map_or("", |(_, rest)| rest);
        }
        let Some(sequence) = text.strip_prefix('[') else { return text };
        let end = sequence.find(|character: char| character.is_ascii_alphabetic()).unwrap();
        let (numbers, rest) = sequence.split_at(end);
        match &rest[..1] {
            "m" => self.set_style(numbers),
            "A" => self.row = self.row.saturating_sub(numbers.parse().unwrap_or(1)),
            "K" if numbers == "2" => self.rows[self.row].clear(),
            "K" => self.rows[self.row].truncate(self.column),
            _ => {}
        }
        &rest[1..]
    }

    fn set_style(&mut self, numbers: &str) {
        let mut codes = numbers.split(';').map(|number| number.parse::<u8>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => self.style = CellStyle::default(),
                1 => self.style.is_bold = true,
                2 => self.style.is_dim = true,
                4 => self.style.is_underlined = true,
                22 => (self.style.is_bold, self.style.is_dim) = (false, false),
                24 => self.style.is_underlined = false,
                39 => self.style.color = None,
                38 if codes.next() == Some(2) => {
                    self.style.color = Some([(); 3].map(|()| codes.next().unwrap()));
                }
                // The spinner, which is never left on the screen.
                30..=37 | 90..=97 => {}
                _ => panic!("the pictures don't know the colour `{numbers}`"),
            }
        }
    }
}

#[test]
fn the_screen_shows_what_a_terminal_would() {
    let mut screen = Screen::new(8);
    screen.write(
        "⠁ work\r\u{1b}[2Kdone \u{1b}[38;2;224;48;48;1mbad\u{1b}[0m\r\nthe next\u{1b}]8;;x\u{1b}\\!\n\n",
    );
    let lines = screen.lines();
    let text: Vec<String> =
        lines.iter().map(|line| line.iter().map(|cell| cell.character).collect()).collect();
    assert_eq!(text, ["done bad", "the next", "!"]);
    assert_eq!(lines[0][5].style.color, Some([224, 48, 48]));
    assert!(lines[0][5].style.is_bold && lines[0][0].style == CellStyle::default());
}
