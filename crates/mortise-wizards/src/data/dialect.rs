//! How a delimited file is written: delimiter, quotes, lines before the table, header.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod header;
mod sniff;

pub use sniff::{SniffHint, Sniffed, sniff};

/// How a quote inside a quoted cell is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Escape {
    /// Twice.
    Doubled,
    /// After a backslash.
    Backslash,
}

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LineEnding {
    /// `\n`.
    Lf,
    /// `\r\n`.
    Crlf,
    /// `\r`.
    Cr,
}

/// How a delimited file is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CsvDialect {
    /// What separates cells
    pub delimiter: char,
    /// What encloses cells, where that is needed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<char>,
    /// How a quote inside a quoted cell is written
    pub escape: Escape,
    /// What begins a line that is no row
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<char>,
    /// Lines before the table
    pub skip_lines: u64,
    /// Whether the first row names the columns
    pub has_header: bool,
    /// How sure that is, from 0 to 1
    pub header_confidence: f64,
    /// What ends a line
    pub line_ending: LineEnding,
    /// How bytes become text, e.g. `utf-8`
    pub encoding: String,
    /// Whether the file begins with a byte order mark
    pub bom: bool,
    /// Whether the file is compressed with gzip
    pub gzip: bool,
}

impl CsvDialect {
    /// A reader of the csv crate's for this dialect; lines before the table are already gone.
    pub(crate) fn reader<R: std::io::Read>(&self, inner: R) -> csv::Reader<R> {
        self.builder().from_reader(inner)
    }

    pub(crate) fn builder(&self) -> csv::ReaderBuilder {
        let byte = |character: char| u8::try_from(character).unwrap_or(b',');
        let mut builder = csv::ReaderBuilder::new();
        builder
            .delimiter(byte(self.delimiter))
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(64 << 10)
            .quoting(self.quote.is_some())
            .quote(self.quote.map_or(b'"', byte))
            .comment(self.comment.map(byte));
        match self.escape {
            Escape::Doubled => builder.double_quote(true).escape(None),
            Escape::Backslash => builder.double_quote(true).escape(Some(b'\\')),
        };
        builder
    }
}
