//! A summary of a CSV text.

use schemars::JsonSchema;
use serde::Serialize;

/// Columns a table may have.
const COLUMNS: usize = 1_000;

/// What a table holds.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct CsvSummary {
    pub(super) row_count: usize,
    pub(super) columns: Vec<CsvColumn>,
}

/// One column.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Column")]
pub(super) struct CsvColumn {
    pub(super) name: String,
    pub(super) kind: ColumnKind,
    /// Values that are not empty.
    pub(super) count: usize,
    /// Distinct values.
    pub(super) distinct: usize,
    /// Of columns of numbers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) numbers: Option<ColumnFigures>,
}

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Kind")]
#[serde(rename_all = "lowercase")]
pub(super) enum ColumnKind {
    /// Every value is a number.
    Number,
    /// Some value is not.
    Text,
    /// There is no value.
    Empty,
}

/// Figures of a column of numbers.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Numbers")]
pub(super) struct ColumnFigures {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) mean: f64,
    pub(super) sum: f64,
}

/// Why a string is not a table.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CsvError {
    #[error("there is no line with the names of the columns")]
    NoHeader,
    #[error("there are {found} columns; at most {COLUMNS} are read")]
    TooManyColumns { found: usize },
    #[error("row {row} has {found} values where there are {expected} columns")]
    Ragged { row: usize, found: usize, expected: usize },
    #[error("a quoted value that begins in row {row} has no end")]
    OpenQuote { row: usize },
}

/// Summarises a table whose first row names the columns.
pub(super) fn summarise(text: &str, delimiter: char) -> Result<CsvSummary, CsvError> {
    let mut rows = rows(text, delimiter)?.into_iter();
    let names = rows.next().ok_or(CsvError::NoHeader)?;
    if names.len() > COLUMNS {
        return Err(CsvError::TooManyColumns { found: names.len() });
    }
    let rows: Vec<_> = rows.collect();
    for (index, row) in rows.iter().enumerate() {
        if row.len() != names.len() {
            return Err(CsvError::Ragged { row: index + 1, found: row.len(), expected: names.len() });
        }
    }
    let column = |(position, name): (usize, String)| {
        let values: Vec<_> = rows.iter().map(|row| row[position].as_str()).collect();
        summary_of(name, &values)
    };
    Ok(CsvSummary { row_count: rows.len(), columns: names.into_iter().enumerate().map(column).collect() })
}

fn summary_of(name: String, values: &[&str]) -> CsvColumn {
    let values: Vec<_> = values.iter().copied().filter(|value| !value.is_empty()).collect();
    let numbers: Vec<f64> = values
        .iter()
        .filter_map(|value| value.parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect();
    let kind = match values.len() {
        0 => ColumnKind::Empty,
        count if count == numbers.len() => ColumnKind::Number,
        _ => ColumnKind::Text,
    };
    let count = values.len();
    let mut distinct = values;
    distinct.sort_unstable();
    distinct.dedup();
    let figures = (kind == ColumnKind::Number).then(|| figures(&numbers));
    CsvColumn { name, kind, count, distinct: distinct.len(), numbers: figures }
}

fn figures(numbers: &[f64]) -> ColumnFigures {
    let sum: f64 = numbers.iter().sum();
    let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    ColumnFigures {
        min: numbers.iter().copied().fold(f64::INFINITY, f64::min),
        max: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        mean: sum / f64::from(count),
        sum,
    }
}

/// Rows of values; quotes protect delimiters, newlines and doubled quotes. Blank lines are skipped.
fn rows(text: &str, delimiter: char) -> Result<Vec<Vec<String>>, CsvError> {
    let mut rows = Vec::new();
    let (mut row, mut value) = (Vec::new(), String::new());
    let (mut quoted, mut was_quoted) = (false, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                value.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if value.is_empty() => (quoted, was_quoted) = (true, true),
            '\n' if !quoted => {
                finish_value(&mut row, &mut value, &mut was_quoted);
                finish_row(&mut rows, &mut row);
            }
            _ if character == delimiter && !quoted => finish_value(&mut row, &mut value, &mut was_quoted),
            _ => value.push(character),
        }
    }
    if quoted {
        return Err(CsvError::OpenQuote { row: rows.len() });
    }
    finish_value(&mut row, &mut value, &mut was_quoted);
    finish_row(&mut rows, &mut row);
    Ok(rows)
}

fn finish_value(row: &mut Vec<String>, value: &mut String, was_quoted: &mut bool) {
    let text = std::mem::take(value);
    row.push(if std::mem::take(was_quoted) {
        text.trim_end_matches('\r').to_owned()
    } else {
        text.trim().to_owned()
    });
}

fn finish_row(rows: &mut Vec<Vec<String>>, row: &mut Vec<String>) {
    let row = std::mem::take(row);
    if row.len() > 1 || row.iter().any(|value| !value.is_empty()) {
        rows.push(row);
    }
}

#[cfg(test)]
mod tests;
