//! The options of `generate_parser`.

use mortise_formats::format::{ErrorBody, ErrorCode};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::data::data_type::DataType;
use crate::data::nulls::NullTokens;
use crate::data::strptime::is_time_format;
use crate::data::table::{FileFormat, ReadOptions};
use crate::parsers::check::shortened;
use crate::parsers::plan::{BadCells, Delimited, SinkKind, SourceFormat};
use crate::parsers::planning::{PlanChoices, WantedColumn};
use crate::parsers::tools::input::no_time_format;
use crate::python_literal as literal;

/// How files are read and rows are written.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    /// The files' format, instead of what is found
    pub(super) file_format: Option<FileFormat>,
    /// What separates cells, instead of what is found
    pub(super) delimiter: Option<String>,
    /// Lines before the table, instead of what is found
    #[schemars(range(max = 10_000))]
    pub(super) skip_rows: Option<u64>,
    /// Cells that mean no value, instead of the empty cell, null, NA and N/A; JSON has its own null and no such words
    #[schemars(length(max = 100))]
    pub(super) null_values: Option<Vec<String>>,
    /// How days are written where the schema does not say
    pub(super) date_format: String,
    /// How timestamps are written where the schema does not say
    pub(super) timestamp_format: String,
    /// Answers how ambiguous days are written
    pub(super) date_order: Option<DateOrder>,
    /// Whether a bad cell raises an error that names its row and column
    pub(super) include_error_handling: bool,
    /// Whether the parser checks that all columns are there
    pub(super) include_validation: bool,
    /// What to do with a row that has a bad cell: stop, or leave it out and count it
    pub(super) bad_cells: BadCellsOption,
    /// Where the rows go
    pub(super) sink_type: SinkKind,
    /// The table of a database sink, if not the topic
    #[schemars(length(min = 1, max = 128))]
    pub(super) table_name: Option<String>,
    /// Modules to import besides
    #[schemars(length(max = 20))]
    pub(super) extra_imports: Vec<String>,
}

/// How days are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub(super) enum DateOrder {
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
    /// Year, month, day.
    Ymd,
}

impl DateOrder {
    pub(super) fn as_str(self) -> &'static str {
        self.into()
    }
}

/// What to do with a row that has a bad cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum BadCellsOption {
    /// Stop.
    #[default]
    Raise,
    /// Leave it out and count it.
    Collect,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            file_format: None,
            delimiter: None,
            skip_rows: None,
            null_values: None,
            date_format: "%Y-%m-%d".to_owned(),
            timestamp_format: "%Y-%m-%dT%H:%M:%S".to_owned(),
            date_order: None,
            include_error_handling: true,
            include_validation: true,
            bad_cells: BadCellsOption::Raise,
            sink_type: SinkKind::Parquet,
            table_name: None,
            extra_imports: Vec::new(),
        }
    }
}

impl Options {
    /// What a schema can't say about them.
    pub(super) fn check(&self) -> Result<(), ErrorBody> {
        let refuse = |field: &str, reason: String, suggestion: &str| {
            Err(ErrorBody::new(ErrorCode::ParamRange, reason, suggestion)
                .at_field(format!("options.{field}")))
        };
        if self.file_format == Some(FileFormat::Parquet) {
            return Err(unsupported());
        }
        if let Some(delimiter) = &self.delimiter
            && self.delimiter().is_none()
        {
            let reason = format!("`{}` is no single character", shortened(delimiter));
            return refuse("delimiter", reason, "give one of `,`, `;`, `|` or a tab");
        }
        if let Some(module) = self.extra_imports.iter().find(|module| !literal::is_module(module)) {
            let reason = format!("`{}` is no name of a module", shortened(module));
            return refuse("extra_imports", reason, "give names such as `zoneinfo`");
        }
        for (field, format) in
            [("date_format", &self.date_format), ("timestamp_format", &self.timestamp_format)]
        {
            if !is_time_format(format) {
                return Err(no_time_format(format).at_field(format!("options.{field}")));
            }
        }
        match self.bad_cells == BadCellsOption::Collect && !self.include_error_handling {
            true => refuse(
                "bad_cells",
                "bad cells can't be collected without error handling".to_owned(),
                "leave `include_error_handling` out",
            ),
            false => Ok(()),
        }
    }

    /// The delimiter, if it is one character.
    pub(super) fn delimiter(&self) -> Option<char> {
        let text = self.delimiter.as_deref()?;
        let mut characters = if text == "\\t" { "\t".chars() } else { text.chars() };
        let delimiter = characters.next().filter(|delimiter| delimiter.is_ascii() && *delimiter != '\n')?;
        characters.next().is_none().then_some(delimiter)
    }

    pub(super) fn reading(&self) -> ReadOptions {
        ReadOptions {
            format: self.file_format,
            delimiter: self.delimiter(),
            skip_lines: self.skip_rows,
            ..ReadOptions::default()
        }
    }

    /// The format of files that were not read.
    pub(super) fn source_format(&self) -> SourceFormat {
        match self.file_format {
            Some(FileFormat::Json) => SourceFormat::Json,
            Some(FileFormat::Ndjson) => SourceFormat::Ndjson,
            format => SourceFormat::Delimited(Delimited {
                delimiter: self.delimiter().unwrap_or(if format == Some(FileFormat::Tsv) {
                    '\t'
                } else {
                    ','
                }),
                skip_lines: usize::try_from(self.skip_rows.unwrap_or(0)).unwrap_or(0),
                ..Delimited::default()
            }),
        }
    }

    /// The words that mean no value, if the caller gave any.
    pub(super) fn nulls(&self) -> Option<NullTokens> {
        self.null_values.clone().map(NullTokens::only)
    }

    /// Formats for columns whose schema has none.
    pub(super) fn fill_formats(&self, wanted: &mut [WantedColumn]) {
        for wanted in wanted {
            let usual = match wanted.column.data_type {
                DataType::Date => &self.date_format,
                DataType::Timestamp => &self.timestamp_format,
                _ => continue,
            };
            wanted.column.format.get_or_insert_with(|| usual.clone());
        }
    }

    /// What a plan has besides its file and columns.
    pub(super) fn choices(&self, name: &str) -> PlanChoices {
        PlanChoices {
            name: name.to_owned(),
            nulls: self.nulls(),
            sink: self.sink_type,
            table: self.table_name.clone(),
            bad_cells: match (self.bad_cells, self.include_error_handling) {
                (BadCellsOption::Collect, _) => BadCells::Collect,
                (BadCellsOption::Raise, true) => BadCells::Raise,
                (BadCellsOption::Raise, false) => BadCells::Plain,
            },
            validate: self.include_validation,
            imports: self.extra_imports.clone(),
        }
    }
}

pub(super) fn unsupported() -> ErrorBody {
    ErrorBody::new(
        ErrorCode::FormatUnsupported,
        "Parquet files need no parser: their schema is in the file, and Python's standard library can't read them",
        "query the file with query_output",
    )
    .at_field("file_path")
}
