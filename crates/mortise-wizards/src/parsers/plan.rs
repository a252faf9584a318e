//! What a generated parser is to read and to yield.

use mortise_formats::format::Complexity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::data_type::DataType;
use crate::data::nulls::NullTokens;
use crate::parsers::value::is_dated;

/// Everything that decides the text of a generated parser.
#[derive(Clone, Debug, PartialEq)]
pub struct ParserPlan {
    /// The data's name as people spell it.
    pub name: String,
    /// How files are read.
    pub source: PlanSource,
    /// The columns in the order of the output, at least one, with unique output names.
    pub columns: Vec<PlanColumn>,
    /// Cells that stand for no value.
    pub nulls: NullTokens,
    /// Where the rows are to go.
    pub sink: SinkKind,
    /// The table of a database sink, if not the topic.
    pub table: Option<String>,
    /// What becomes of a cell that is not what its column holds.
    pub bad_cells: BadCells,
    /// Whether the parser checks that all columns are there.
    pub validate: bool,
    /// Further modules to import.
    pub imports: Vec<String>,
}

/// How files are read.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanSource {
    /// The kind of file.
    pub format: SourceFormat,
    /// The encoding's name as Python spells it, such as `utf-8-sig`.
    pub encoding: String,
    /// Whether the file is compressed.
    pub gzip: bool,
}

/// The kind of file.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceFormat {
    /// Cells between delimiters.
    Delimited(Delimited),
    /// One JSON document: an array of objects, or one object.
    Json,
    /// One JSON object per line.
    Ndjson,
}

/// The dialect of a file of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimited {
    /// Between two cells.
    pub delimiter: char,
    /// Around cells that hold delimiters; none if quotes mean nothing.
    pub quote: Option<char>,
    /// Whether a backslash escapes a quote, instead of a second quote.
    pub backslash: bool,
    /// Lines before the header.
    pub skip_lines: usize,
    /// How a line to leave out starts.
    pub comment: Option<String>,
    /// Whether the first row names the columns.
    pub header: bool,
    /// How many cells a row has, where that is not how many the header has.
    pub cells: Option<usize>,
}

impl Default for Delimited {
    fn default() -> Self {
        Self {
            delimiter: ',',
            quote: Some('"'),
            backslash: false,
            skip_lines: 0,
            comment: None,
            header: true,
            cells: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlanColumn {
    /// Where it is in the file.
    pub place: ColumnPlace,
    /// Its name in the output.
    pub name: String,
    pub data_type: DataType,
    /// Whether it may be empty.
    pub nullable: bool,
    /// How dates and timestamps are written, in the directives of `strptime`; several are separated by `|`.
    pub format: Option<String>,
    /// Whether unusual spellings must be read: thousands with commas, days without their zero.
    pub tolerant: bool,
}

/// Where a column is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnPlace {
    /// Under this header, or under this key.
    Named(String),
    /// In this cell, from 0.
    Position(usize),
}

/// What becomes of a cell that is not what its column holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BadCells {
    /// The parser stops with an error that names row and column.
    #[default]
    Raise,
    /// The row is left out and noted.
    Collect,
    /// Python's own error ends the parser.
    Plain,
}

/// Where rows go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SinkKind {
    /// A Parquet file.
    #[default]
    Parquet,
    /// A table of an SQLite database.
    Sqlite,
    /// A CSV file.
    Csv,
}

impl SinkKind {
    /// The value of `SINK`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The kind that `SINK` names.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Parquet, Self::Sqlite, Self::Csv].into_iter().find(|kind| kind.as_str() == word)
    }

    /// The ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Sqlite => "sqlite",
            Self::Csv => "csv",
        }
    }
}

impl ParserPlan {
    /// The name of the stream of rows: lower case, runs of anything but letters and digits become `_`.
    pub fn topic(&self) -> String {
        topic(&self.name)
    }

    pub fn parser_name(&self) -> String {
        format!("{}_parser", self.topic())
    }

    /// Simple is at most five columns without dates; complex is more than ten columns, or more than three with dates.
    pub fn complexity(&self) -> Complexity {
        let dated = self.columns.iter().filter(|column| is_dated(column.data_type)).count();
        match (dated, self.columns.len()) {
            (4.., _) | (_, 11..) => Complexity::Complex,
            (0, ..=5) => Complexity::Simple,
            _ => Complexity::Medium,
        }
    }
}

/// The topic for a name. Never empty, never starting with a digit.
pub fn topic(name: &str) -> String {
    const LONGEST: usize = 64;
    let mut topic = String::new();
    for character in name.chars() {
        match character.to_ascii_lowercase() {
            plain @ ('a'..='z' | '0'..='9') => topic.push(plain),
            _ if topic.is_empty() || topic.ends_with('_') => {}
            _ => topic.push('_'),
        }
        if topic.len() == LONGEST {
            break;
        }
    }
    let topic = topic.trim_end_matches('_');
    match topic.chars().next() {
        None => "data".to_owned(),
        Some('0'..='9') => format!("t_{topic}"),
        Some(_) => topic.to_owned(),
    }
}

#[cfg(test)]
mod tests;
