//! Tables without borders that fit the width they are given. `comfy-table` lays them out.

use comfy_table::{
    Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table as Layout, Width, presets,
};
use unicode_width::UnicodeWidthStr as _;

use super::{Terminal, Tint};

/// Between two columns.
const GAP: u16 = 2;
/// A column that wraps is never narrower than this; below it rows are stacked instead.
const NARROWEST: usize = 16;
/// A column that does not wrap is never wider than this on a terminal.
const FIXED_AT_MOST: usize = 36;

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

/// A table to be shown; cells must be escaped already. Columns without content are left out.
#[derive(Debug)]
pub(crate) struct TerminalTable {
    columns: Vec<TableColumn>,
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl TerminalTable {
    /// A table with these columns, every line indented by `indent`.
    pub(crate) fn new(columns: &[TableColumn], indent: usize) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new(), indent }
    }

    /// Adds a row, one cell per column.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into());
    }

    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
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
            let widest = self.rows.iter().map(|row| row[at].width()).max().filter(|width| *width > 0)?;
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
        layout.set_header(self.columns.iter().map(|column| tinted(column.title, Some(Tint::Dim))));
        for row in &self.rows {
            layout.add_row(row.iter().zip(&self.columns).map(|(cell, column)| tinted(cell, column.tint)));
        }
        for column in layout.column_iter_mut() {
            column.set_padding((0, GAP)).set_constraint(ColumnConstraint::Hidden);
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
        let width = terminal.width().unwrap_or(usize::MAX);
        for row in &self.rows {
            for (index, (cell, column)) in row.iter().zip(&self.columns).enumerate() {
                if cell.is_empty() {
                    continue;
                }
                let indent = self.indent + if index == 0 { 0 } else { 2 };
                for part in wrap(cell.trim_start(), width.saturating_sub(indent).max(8)) {
                    out.push_str(&" ".repeat(indent));
                    match column.tint {
                        Some(tint) => out.push_str(&terminal.paint(tint, &part)),
                        None => out.push_str(&part),
                    }
                    out.push('\n');
                }
            }
        }
        out
    }
}

fn tinted(text: &str, tint: Option<Tint>) -> Cell {
    let cell = Cell::new(text);
    match tint {
        None => cell,
        Some(Tint::Heading) => cell.add_attribute(Attribute::Bold),
        Some(Tint::Name) => cell.fg(Color::DarkCyan),
        Some(Tint::Type) => cell.fg(Color::DarkBlue),
        Some(Tint::Dim) => cell.add_attribute(Attribute::Dim),
        Some(Tint::Good) => cell.fg(Color::DarkGreen),
        Some(Tint::Warn) => cell.fg(Color::DarkYellow),
        Some(Tint::Bad) => cell.fg(Color::DarkRed).add_attribute(Attribute::Bold),
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
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation)
            .wrap_algorithm(textwrap::WrapAlgorithm::FirstFit);
        textwrap::wrap(line.trim_start_matches(' '), options).into_iter().map(Into::into).collect()
    };
    text.split('\n').flat_map(of_line).collect()
}

#[cfg(test)]
mod tests;
