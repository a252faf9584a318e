//! Tables without borders that fit the width they are given.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Terminal, Tint};

/// Between two columns.
const GAP: usize = 2;
/// A column that wraps is never narrower than this; below it rows are stacked instead.
const NARROWEST: usize = 16;
/// A column that does not wrap is never wider than this on a terminal.
const FIXED_AT_MOST: usize = 36;

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// The heading.
    pub(crate) title: &'static str,
    /// How its cells are coloured.
    pub(crate) tint: Option<Tint>,
    /// Whether it gives way when the line is too long.
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
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl Table {
    /// A table with these columns, every line indented by `indent`.
    pub(crate) fn new(columns: &[Column], indent: usize) -> Self {
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
    pub(crate) fn render(mut self, terminal: &Terminal) -> String {
        self.drop_empty_columns();
        let natural = self.natural_widths();
        let widths = match terminal.width() {
            None => Some(natural),
            Some(width) => self.fitted(&natural, width.saturating_sub(self.indent)),
        };
        match widths {
            Some(widths) => self.side_by_side(terminal, &widths),
            None => self.stacked(terminal),
        }
    }

    fn drop_empty_columns(&mut self) {
        let used: Vec<bool> = (0..self.columns.len())
            .map(|index| self.rows.iter().any(|row| row.get(index).is_some_and(|cell| !cell.is_empty())))
            .collect();
        let keep = |index: &mut usize| {
            *index += 1;
            used[*index - 1]
        };
        let mut index = 0;
        self.columns.retain(|_| keep(&mut index));
        for row in &mut self.rows {
            let mut index = 0;
            row.retain(|_| keep(&mut index));
        }
    }

    fn natural_widths(&self) -> Vec<usize> {
        self.columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                self.rows.iter().map(|row| row[index].width()).fold(column.title.width(), usize::max)
            })
            .collect()
    }

    /// Column widths within `width`, or `None` when the table is better stacked.
    ///
    /// Columns that wrap are all cut at the same width, the largest that fits.
    fn fitted(&self, natural: &[usize], width: usize) -> Option<Vec<usize>> {
        let gaps = GAP * natural.len().saturating_sub(1);
        let at = |cap: usize| -> Vec<usize> {
            let fit = |(column, natural): (&Column, &usize)| match column.fit {
                Fit::Fixed => *natural.min(&FIXED_AT_MOST),
                Fit::Wraps => *natural.min(&cap),
            };
            self.columns.iter().zip(natural).map(fit).collect()
        };
        let fits = |widths: &[usize]| widths.iter().sum::<usize>() + gaps <= width;
        let widest = natural.iter().copied().max().unwrap_or(0).max(NARROWEST);
        let mut widths =
            (NARROWEST..=widest.min(width.max(NARROWEST))).rev().map(at).find(|widths| fits(widths))?;
        let spare = width - gaps - widths.iter().sum::<usize>();
        if let (Some(last), Some(natural)) = (widths.last_mut(), natural.last()) {
            *last = (*last + spare).min(*natural);
        }
        Some(widths)
    }

    fn side_by_side(&self, terminal: &Terminal, widths: &[usize]) -> String {
        let mut out = String::new();
        let titles: Vec<(String, Option<Tint>)> =
            self.columns.iter().map(|column| (column.title.to_owned(), Some(Tint::Dim))).collect();
        self.push_row(terminal, &titles, widths, &mut out);
        for row in &self.rows {
            let cells: Vec<(String, Option<Tint>)> =
                row.iter().zip(&self.columns).map(|(cell, column)| (cell.clone(), column.tint)).collect();
            self.push_row(terminal, &cells, widths, &mut out);
        }
        out
    }

    fn push_row(
        &self,
        terminal: &Terminal,
        cells: &[(String, Option<Tint>)],
        widths: &[usize],
        out: &mut String,
    ) {
        let wrapped: Vec<Vec<String>> =
            cells.iter().zip(widths).map(|((cell, _), width)| wrap(cell, *width)).collect();
        let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
        for level in 0..height {
            let mut line = " ".repeat(self.indent);
            let mut owed = 0;
            for (index, lines) in wrapped.iter().enumerate() {
                let part = lines.get(level).map_or("", String::as_str);
                if !part.is_empty() {
                    line.push_str(&" ".repeat(owed));
                    owed = 0;
                    match cells[index].1 {
                        Some(tint) => line.push_str(&terminal.paint(tint, part)),
                        None => line.push_str(part),
                    }
                }
                owed += widths[index] - part.width().min(widths[index]) + GAP;
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
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

/// Breaks `text` into lines of at most `width` columns, between words where it can.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    if text.width() <= width && !text.contains('\n') {
        return vec![text.to_owned()];
    }
    text.split('\n').flat_map(|line| wrap_line(line, width)).collect()
}

fn wrap_line(text: &str, width: usize) -> Vec<String> {
    let indent = " ".repeat((text.len() - text.trim_start_matches(' ').len()).min(width / 2));
    let mut lines = Vec::new();
    let mut line = indent.clone();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let separator = usize::from(line.len() > indent.len());
        if line.width() + separator + word.width() <= width {
            line.extend(std::iter::repeat_n(' ', separator));
            line.push_str(word);
            continue;
        }
        if separator == 1 {
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        for character in word.chars() {
            if line.width() + character.width().unwrap_or(0) > width && line.len() > indent.len() {
                lines.push(std::mem::replace(&mut line, indent.clone()));
            }
            line.push(character);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests;
