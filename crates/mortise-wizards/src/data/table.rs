//! One way to read every kind of table: columns with names, rows of cells, one row at a time.
//!
//! Memory is bounded by one record, however large the file.
//!
//! ```
//! use mortise_wizards::data::files::DataFiles;
//! use mortise_wizards::data::table::{ReadOptions, Row, Table};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("orders.csv"), "id;price\n1;2,50\n2;\n")?;
//! let files = DataFiles::new(&[folder.path().to_owned()], None)?;
//! let table = Table::open(files.open("orders.csv")?, &ReadOptions::default())?;
//! assert_eq!(table.columns(), ["id", "price"]);
//! let mut rows = table.rows()?;
//! let mut row = Row::default();
//! while rows.read(&mut row)? {
//!     let cells: Vec<Option<&str>> = row.cells().collect();
//!     assert_eq!(cells.len(), 2);
//! }
//! assert_eq!(rows.count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bounds::COLUMNS;
use super::data_type::Column;
use super::dialect::{CsvDialect, SniffHint, sniff};
use super::fault::DataError;
use super::files::DataFile;
use super::infer::CellKind;
use super::nulls::NullTokens;
use super::source::DataSource;
use super::value::Converter;

mod delimited;
mod json;
mod parquet;

#[cfg(test)]
pub(crate) use parquet::test_files;
pub use parquet::{Oversized, ParquetColumn};

/// The formats of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FileFormat {
    /// Cells between commas, semicolons, bars.
    Csv,
    /// Cells between tabs.
    Tsv,
    /// An array of objects, or one object.
    Json,
    /// One object per line.
    Ndjson,
    /// Columns with a schema.
    Parquet,
}

impl FileFormat {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether cells stand between delimiters.
    pub fn is_delimited(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv)
    }
}

/// What is known about a file before it is read. Everything else is found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    pub format: Option<FileFormat>,
    /// What separates its cells.
    pub delimiter: Option<char>,
    /// Lines before the table, instead of those that were found.
    pub skip_lines: Option<u64>,
    /// How it is written, as an earlier reading found it.
    pub dialect: Option<CsvDialect>,
    /// The keys of JSON objects that are wanted, in this order, instead of those that occur.
    pub columns: Option<Vec<String>>,
}

/// A file that is known to be a table.
#[derive(Debug)]
pub struct Table {
    source: DataSource,
    format: FileFormat,
    dialect: Option<CsvDialect>,
    header: Vec<String>,
    columns: Vec<String>,
    schema: Vec<ParquetColumn>,
    preamble: Vec<String>,
    regularity: f64,
}

impl Table {
    /// Finds out what a file is. Reads its beginning, and all of it only for the keys of JSON objects.
    ///
    /// # Errors
    ///
    /// No kind of table, not of the format that was named, or unreadable.
    pub fn open(file: DataFile, options: &ReadOptions) -> Result<Self, DataError> {
        let source = DataSource::open(file)?;
        if source.bytes.starts_with(b"PAR1") && options.format.is_none_or(|own| own == FileFormat::Parquet) {
            return parquet::open(source);
        }
        let wants_json = matches!(options.format, Some(FileFormat::Json | FileFormat::Ndjson));
        let named_json =
            options.format.is_none() && matches!(source.ending().as_str(), "json" | "ndjson" | "jsonl");
        if let Some(kind) = source.foreign() {
            return Err(DataError::Unsupported { path: source.shown().to_owned(), kind: kind.to_owned() });
        }
        if source.is_garbled() {
            let encoding = source.encoding.name();
            return Err(DataError::Undecodable { path: source.shown().to_owned(), encoding });
        }
        match options.format {
            Some(FileFormat::Parquet) => {
                Err(mismatch(&source, "Parquet file", "it does not begin with `PAR1`"))
            }
            None if !named_json && !json::begins_with_object(&source) => delimited::open(source, options),
            Some(FileFormat::Csv | FileFormat::Tsv) => delimited::open(source, options),
            _ if wants_json || named_json || json::begins_with_object(&source) => json::open(source, options),
            _ => delimited::open(source, options),
        }
    }

    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// How it is written, if it has cells between delimiters.
    pub fn dialect(&self) -> Option<&CsvDialect> {
        self.dialect.as_ref()
    }

    /// The names of the columns: none is empty, none occurs twice.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The names as the file has them; empty without a header.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// What a Parquet file says about its columns; empty for other formats.
    pub fn schema(&self) -> &[ParquetColumn] {
        &self.schema
    }

    /// The words that mean a missing value: formats with a null of their own have none.
    pub fn null_tokens(&self) -> NullTokens {
        match self.format.is_delimited() {
            true => NullTokens::default(),
            false => NullTokens::only([]),
        }
    }

    /// What makes the cells in this place values of a column, with the words that mean a missing value.
    pub fn converter(&self, place: Option<usize>, column: &Column, nulls: &NullTokens) -> Converter {
        let converter = Converter::new(column, nulls);
        match place.and_then(|place| self.schema.get(place)) {
            Some(own) => converter.of_cells(own.data_type),
            None => converter,
        }
    }

    /// Lines before the table.
    pub fn preamble(&self) -> &[String] {
        &self.preamble
    }

    /// The share of rows at the beginning that have as many cells as most.
    pub fn regularity(&self) -> f64 {
        self.regularity
    }

    /// How bytes become text.
    pub fn encoding(&self) -> super::encoding::Encoding {
        self.source.encoding
    }

    /// Whether the file is one JSON object in no array: its rows may as well be in one of its members.
    pub fn is_lone_object(&self) -> bool {
        self.format == FileFormat::Json && self.source.sample.trim_start().starts_with('{')
    }

    /// Whether the file is compressed.
    pub fn is_gzip(&self) -> bool {
        self.source.gzip
    }

    /// The path that callers see.
    pub fn shown(&self) -> &str {
        self.source.shown()
    }

    /// The file's name without its ending.
    pub fn stem(&self) -> &str {
        let name = self.source.name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// All rows, from the first.
    ///
    /// # Errors
    ///
    /// The file can't be read again.
    pub fn rows(&self) -> Result<Rows, DataError> {
        let inner = match self.format {
            FileFormat::Csv | FileFormat::Tsv => FormatRows::Delimited(delimited::rows(self)?),
            FileFormat::Json | FileFormat::Ndjson => FormatRows::Json(json::rows(self)?),
            FileFormat::Parquet => FormatRows::Parquet(parquet::rows(self)?),
        };
        Ok(Rows { inner, count: 0 })
    }
}

/// Reads the rows of a table.
pub struct Rows {
    inner: FormatRows,
    count: u64,
}

enum FormatRows {
    Delimited(delimited::DelimitedRows),
    Json(json::JsonRows),
    Parquet(parquet::ParquetRows),
}

impl Rows {
    /// Reads the next row into `row`; false when there is none.
    ///
    /// # Errors
    ///
    /// The file ends in the middle, a record is too long, or a value of JSON is not an object.
    pub fn read(&mut self, row: &mut Row) -> Result<bool, DataError> {
        let found = match &mut self.inner {
            FormatRows::Delimited(rows) => rows.read(row, self.count),
            FormatRows::Json(rows) => rows.read(row, self.count),
            FormatRows::Parquet(rows) => rows.read(row, self.count),
        }?;
        self.count += u64::from(found);
        Ok(found)
    }

    /// How many rows were read.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Rows with more or fewer cells than there are columns, so far.
    pub fn ragged(&self) -> Ragged {
        match &self.inner {
            FormatRows::Delimited(rows) => rows.ragged(),
            _ => Ragged::default(),
        }
    }

    /// How often bytes could not be decoded, so far.
    pub fn malformed(&self) -> u64 {
        match &self.inner {
            FormatRows::Delimited(rows) => rows.malformed(),
            FormatRows::Json(rows) => rows.malformed(),
            FormatRows::Parquet(_) => 0,
        }
    }
}

/// Rows that do not have as many cells as there are columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ragged {
    /// Rows with fewer cells; the others are missing.
    pub short: u64,
    /// Rows with more cells; the others are left out.
    pub long: u64,
    /// The first of them, from 1.
    pub first_row: Option<u64>,
}

/// The cells of a row. To be used for one row after the other.
#[derive(Clone, Debug, Default)]
pub struct Row {
    record: csv::StringRecord,
    /// What the format says about each cell, `None` where there is no value; empty if it says nothing.
    kinds: Vec<Option<CellKind>>,
    width: usize,
}

impl Row {
    /// The cells in the order of the columns; `None` where there is no value at all. Words that mean a missing value,
    /// the empty text among them, are still words here.
    pub fn cells(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.width).map(|index| self.cell(index))
    }

    pub fn cell(&self, index: usize) -> Option<&str> {
        match self.kinds.get(index) {
            Some(None) => None,
            _ => self.record.get(index),
        }
    }

    /// How many cells there are beyond the columns, if one of them holds anything.
    pub(crate) fn surplus(&self) -> Option<usize> {
        let mut beyond = self.record.iter().skip(self.width);
        let is_filled = beyond.any(|cell| !cell.trim().is_empty());
        is_filled.then(|| self.record.len() - self.width)
    }

    pub(crate) fn kind(&self, index: usize) -> CellKind {
        self.kinds.get(index).copied().flatten().unwrap_or(CellKind::Untyped)
    }

    fn clear(&mut self, width: usize) {
        self.record.clear();
        self.kinds.clear();
        self.width = width;
    }

    fn push(&mut self, cell: Option<(&str, CellKind)>) {
        self.record.push_field(cell.map_or("", |(text, _)| text));
        self.kinds.push(cell.map(|(_, kind)| kind));
    }
}

fn mismatch(source: &DataSource, format: &'static str, reason: impl Into<String>) -> DataError {
    DataError::Mismatch { path: source.shown().to_owned(), format, reason: reason.into() }
}

fn too_wide(source: &DataSource, columns: usize) -> Result<(), DataError> {
    match columns > COLUMNS {
        true => Err(DataError::ManyColumns { path: source.shown().to_owned(), columns }),
        false => Ok(()),
    }
}

/// Names for columns: what is empty gets one, what occurs twice gets a number.
fn usable_names(header: &[String], columns: usize) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns);
    let mut taken = std::collections::BTreeSet::new();
    let mut numbers = std::collections::BTreeMap::new();
    for index in 0..columns {
        let raw = header.get(index).map(|name| name.trim()).filter(|name| !name.is_empty());
        let wanted = raw.map_or_else(|| format!("column_{}", index + 1), str::to_owned);
        let mut name = wanted.clone();
        while !taken.insert(name.clone()) {
            // Counts on where the last column of this name stopped.
            let number = numbers.entry(wanted.clone()).or_insert(1u32);
            *number += 1;
            name = format!("{wanted}_{number}");
        }
        names.push(name);
    }
    names
}

fn sniffed_hint(source: &DataSource, options: &ReadOptions) -> SniffHint {
    let tabs = options.format == Some(FileFormat::Tsv) || matches!(source.ending().as_str(), "tsv" | "tab");
    SniffHint { delimiter: options.delimiter, tabs }
}

#[cfg(test)]
mod tests;
