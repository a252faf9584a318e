//! `read_sample`: the first rows of a table.

use std::sync::Arc;

use mortise_formats::format::{ErrorBody, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{plural, range};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::dialect::CsvDialect;
use crate::data::table::{FileFormat, ReadOptions, Row, Table};
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

/// Characters of a cell that are shown.
const CELL_CHARACTERS: usize = 1_000;
/// Bytes of all cells.
const ALL_BYTES: usize = 500_000;
const HIDDEN: &str = "***";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SampleInput {
    /// The file
    #[schemars(length(min = 1))]
    file_path: String,
    /// Rows at most
    #[serde(default = "rows")]
    #[schemars(range(min = 1, max = 1000))]
    rows: u64,
    /// Columns whose values are shown as `***`
    #[serde(default)]
    redact_columns: Vec<String>,
}

fn rows() -> u64 {
    10
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SampleOutput {
    /// The names of the columns
    pub columns: Vec<String>,
    /// The rows: the cells as text, `null` where there is none
    #[schemars(schema_with = "cells")]
    pub rows: Vec<Vec<Option<String>>>,
    /// How many rows are shown
    pub row_count: usize,
    /// The file's format
    pub file_format: FileFormat,
    /// How a delimited file is written
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<CsvDialect>,
    /// The columns whose values are hidden
    pub redacted: Vec<String>,
    /// Whether cells or rows were left out to keep the result small
    pub truncated: bool,
}

fn cells(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    // Types of results name no null, since an absent field is left out; here it stands for an absent cell.
    schemars::json_schema!({
        "type": "array",
        "items": {
            "type": "array",
            "items": { "description": "Text, or null", "not": { "type": ["boolean", "number", "array", "object"] } }
        }
    })
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("read_sample", FormatKind::Metadata)
        .description(
            "Shows the first rows of a table, whatever its format: delimited text, JSON, NDJSON, Parquet, also with \
             gzip. Cells are text as the file has them. Columns with private values can be hidden.",
        )
        .read_only()
        .handler(|wizards: Arc<Wizards>, input: SampleInput, _context| async move {
            blocking(move |stop| {
                let file = wizards.files()?.until(stop).open(&input.file_path);
                let file = file.map_err(|error| ErrorBody::from(error).at_field("file_path"))?;
                let table = Table::open(file, &ReadOptions::default())?;
                sampled(&table, &input)
            })
            .await
        })
}

fn sampled(table: &Table, input: &SampleInput) -> Result<WizardResult<SampleOutput>, ErrorBody> {
    let columns = table.columns().to_vec();
    for (index, name) in input.redact_columns.iter().enumerate() {
        if !columns.contains(name) {
            let known: Vec<String> = columns.iter().take(50).map(|name| format!("`{name}`")).collect();
            return Err(range(
                &format!("redact_columns[{index}]"),
                format!("there is no column `{name}`"),
                format!("name some of {}", known.join(", ")),
            ));
        }
    }
    let hidden: Vec<bool> = columns.iter().map(|name| input.redact_columns.contains(name)).collect();
    let (mut reading, mut row) = (table.rows()?, Row::default());
    let (mut rows, mut truncated, mut room) = (Vec::new(), false, ALL_BYTES);
    while (rows.len() as u64) < input.rows && reading.read(&mut row)? {
        let mut cells = Vec::with_capacity(columns.len());
        for (cell, hidden) in row.cells().zip(&hidden) {
            cells.push(cell.map(|text| match hidden {
                true => HIDDEN.to_owned(),
                false => {
                    let cut: String = text.chars().take(CELL_CHARACTERS).collect();
                    truncated |= cut.len() < text.len();
                    cut
                }
            }));
        }
        let bytes: usize = cells.iter().flatten().map(|cell| cell.len() + 3).sum();
        if bytes > room {
            truncated = true;
            break;
        }
        room -= bytes;
        rows.push(cells);
    }
    let feedback = format!(
        "{} of {} in `{}`",
        plural(rows.len(), "row", "rows"),
        plural(columns.len(), "column", "columns"),
        table.shown()
    );
    let workflow = Workflow::new(Phase::Discovery)
        .then(NextAction::new("discover_schemas", "infer types").with("files", vec![table.shown()]));
    let mut common = Common { workflow: Some(workflow), ..Common::default() };
    if reading.ragged().first_row.is_some() {
        common.warn("WARN_RAGGED_ROWS", "some rows have more or fewer cells than there are columns");
    }
    let output = SampleOutput {
        row_count: rows.len(),
        rows,
        file_format: table.format(),
        dialect: table.dialect().cloned(),
        redacted: columns.iter().filter(|name| input.redact_columns.contains(name)).cloned().collect(),
        columns,
        truncated,
    };
    Ok(WizardResult::new(output).feedback(feedback).common(common))
}
