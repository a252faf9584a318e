//! Tables without borders that fit the width they are given. `comfy-table` lays them out.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table as Layout, Width, presets};
use textwrap::core::Word;
use unicode_width::UnicodeWidthStr as _;

use super::{Mark, Terminal, Tint};

/// Between two columns.
const GAP: u16 = 2;
/// A column that wraps is never narrower than this; below it rows are stacked instead.
const NARROWEST: usize = 16;
/// A column that does not wrap is never wider than this on a terminal.
const FIXED_AT_MOST: usize = 36;

/// Bytes of a word that is broken only at its end.
const UNBROKEN: usize = 24;

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableColumn {
    pub(crate) title: &'static str,
    /// How its cells are coloured.
    pub(crate) tint: Option<Tint>,
    pub(crate) fit: Fit,
}

/// What a column does when the line is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Keeps its width.
    Fixed,
    /// Breaks its cells into lines.
    Wraps,
}

/// Whether the cells of a column of data are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Digits {
    /// All of them.
    Only,
    /// Not all.
    Mixed,
}

/// A table to be shown; cells must be escaped already. Columns without content are left out.
#[derive(Debug)]
pub(crate) struct TerminalTable {
    columns: Vec<HeldColumn>,
    rows: Vec<Vec<TableCell>>,
    indent: usize,
}

/// One cell, and its colour if it is not that of its column.
pub(crate) type TableCell = (String, Option<Tint>);

#[derive(Debug)]
struct HeldColumn {
    title: String,
    tint: Option<Tint>,
    fit: Fit,
    side: CellAlignment,
}

impl TerminalTable {
    /// A table with these columns, every line indented by `indent`.
    pub(crate) fn new(columns: &[TableColumn], indent: usize) -> Self {
        let held = |column: &TableColumn| HeldColumn {
            title: column.title.to_owned(),
            tint: column.tint,
            fit: column.fit,
            side: CellAlignment::Left,
        };
        Self { columns: columns.iter().map(held).collect(), rows: Vec::new(), indent }
    }

    /// A table of the user's data: titles as they come, numbers to the right.
    pub(crate) fn of_data(titles: impl IntoIterator<Item = (String, Digits)>) -> Self {
        let held = |(title, digits)| HeldColumn {
            title,
            tint: None,
            fit: if digits == Digits::Only { Fit::Fixed } else { Fit::Wraps },
            side: if digits == Digits::Only { CellAlignment::Right } else { CellAlignment::Left },
        };
        Self { columns: titles.into_iter().map(held).collect(), rows: Vec::new(), indent: 0 }
    }

    /// Leaves out the line of titles.
    pub(crate) fn without_titles(mut self) -> Self {
        self.columns.iter_mut().for_each(|column| column.title.clear());
        self
    }

    /// Puts the cells of these columns to the right, as numbers are read.
    pub(crate) fn right_aligned(mut self, columns: &[usize]) -> Self {
        for at in columns {
            if let Some(column) = self.columns.get_mut(*at) {
                column.side = CellAlignment::Right;
            }
        }
        self
    }

    /// Adds a row, one cell per column.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        let cells = cells.into_iter().zip(&self.columns);
        self.rows.push(cells.map(|(cell, column)| (cell, column.tint)).collect());
    }

    /// Adds a row whose first cell is a mark.
    pub(crate) fn marked_row<const N: usize>(&mut self, mark: Mark, cells: [String; N]) {
        let cells = cells.into_iter().zip(self.columns.iter().skip(1));
        let first = (mark.sign().to_owned(), Some(mark.tint()));
        self.rows
            .push(std::iter::once(first).chain(cells.map(|(cell, column)| (cell, column.tint))).collect());
    }

    /// Adds a row whose cells have colours of their own, one per column.
    pub(crate) fn cells(&mut self, cells: Vec<TableCell>) {
        self.rows.push(cells);
    }

    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the columns fit side by side.
    pub(crate) fn fits(&self, terminal: &Terminal) -> bool {
        let width = terminal.width().map(|width| width.saturating_sub(self.indent));
        width.is_none_or(|width| self.least_width() <= width)
    }

    /// Lays the table out for stdout.
    pub(crate) fn render(self, terminal: &Terminal) -> String {
        match terminal.width().map(|width| width.saturating_sub(self.indent)) {
            Some(width) if self.least_width() > width => self.stacked(terminal),
            width => self.side_by_side(terminal, width),
        }
    }

    /// The columns that have content: where they stand, and how wide their widest cell is.
    fn used(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.columns.len()).filter_map(|at| {
            let widest = self.rows.iter().map(|row| row[at].0.width()).max().filter(|width| *width > 0)?;
            Some((at, widest.max(self.columns[at].title.width())))
        })
    }

    /// What the table takes when every column that wraps is as narrow as it may be.
    fn least_width(&self) -> usize {
        let least = |(at, natural): (usize, usize)| match self.columns[at].fit {
            Fit::Fixed => natural.min(FIXED_AT_MOST),
            Fit::Wraps => natural.min(NARROWEST),
        };
        self.used().map(|column| least(column) + usize::from(GAP)).sum::<usize>().saturating_sub(GAP.into())
    }

    fn side_by_side(&self, terminal: &Terminal, width: Option<usize>) -> String {
        let palette = terminal.stdout.palette;
        let mut layout = Layout::new();
        layout
            .load_style(presets::NOTHING)
            .force_no_tty()
            .set_content_arrangement(ContentArrangement::Disabled);
        if terminal.colors_stdout() {
            layout.enforce_styling().style_text_only();
        }
        if let Some(width) = width {
            // The last column's gap is cut off with the white space at the end of a line.
            let width = u16::try_from(width).unwrap_or(u16::MAX).saturating_add(GAP);
            layout.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            layout.set_header(self.columns.iter().map(|column| palette.cell(Some(Tint::Dim), &column.title)));
        }
        for row in &self.rows {
            layout.add_row(row.iter().map(|(cell, tint)| palette.cell(*tint, cell)));
        }
        for (column, held) in layout.column_iter_mut().zip(&self.columns) {
            column
                .set_padding((0, GAP))
                .set_constraint(ColumnConstraint::Hidden)
                .set_cell_alignment(held.side);
        }
        for (at, natural) in self.used() {
            let Some(column) = layout.column_mut(at) else { continue };
            match self.columns[at].fit {
                _ if width.is_none() => column.remove_constraint(),
                Fit::Fixed => column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(
                    natural.min(FIXED_AT_MOST) as u16 + GAP,
                ))),
                Fit::Wraps => column.remove_constraint(),
            };
        }
        let indent = " ".repeat(self.indent);
        layout.lines().map(|line| format!("{}\n", format!("{indent}{line}").trim_end())).collect()
    }

    /// For narrow terminals: the first cell of a row, the others below it.
    fn stacked(&self, terminal: &Terminal) -> String {
        let mut out = String::new();
        for row in &self.rows {
            // A mark stands before the first cell.
            let mark = row.first().filter(|(cell, _)| Mark::ALL.iter().any(|mark| mark.sign() == cell));
            for (index, (cell, tint)) in row.iter().enumerate().skip(usize::from(mark.is_some())) {
                if cell.is_empty() {
                    continue;
                }
                let is_first = index == usize::from(mark.is_some());
                let indent = " ".repeat(self.indent + if is_first { 0 } else { 2 });
                let mut lead = vec![(None, indent.as_str())];
                if let Some((sign, tint)) = mark.filter(|_| is_first) {
                    lead.extend([(*tint, sign.as_str()), (None, " ")]);
                }
                out.push_str(&terminal.hang(&lead, *tint, cell.trim_start()));
            }
        }
        out
    }
}

/// Breaks `text` into lines of at most `width` columns, between words where it can. Lines keep the indentation of
/// the line that they continue.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let of_line = |line: &str| -> Vec<String> {
        let indent = &line[..(line.len() - line.trim_start_matches(' ').len()).min(width / 2)];
        let options = textwrap::Options::new(width.max(1))
            .initial_indent(indent)
            .subsequent_indent(indent)
            .word_separator(textwrap::WordSeparator::Custom(words))
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
        textwrap::wrap(line.trim_start_matches(' '), options).into_iter().map(Into::into).collect()
    };
    text.split('\n').flat_map(of_line).collect()
}

/// Words between spaces; long ones, as JSON has them, may also be broken behind a comma.
fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    let (mut parts, mut rest) = (Vec::new(), line);
    for word in textwrap::WordSeparator::AsciiSpace.find_words(line) {
        let (whole, after) = rest.split_at(word.word.len() + word.whitespace.len());
        rest = after;
        match word.word.len() > UNBROKEN {
            true => parts.extend(whole.split_inclusive(',').map(Word::from)),
            false => parts.push(word),
        }
    }
    Box::new(parts.into_iter())
}

#[cfg(test)]
mod tests;
