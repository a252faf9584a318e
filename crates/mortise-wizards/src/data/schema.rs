//! A table's schema as it is proposed, with the evidence for every type.

use mortise_contract::json::canonical_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::data_type::{Column, DataType};
use super::dialect::CsvDialect;
use super::fault::DataError;
use super::infer::{ColumnInference, InferredColumn};
use super::nulls::NullTokens;
use super::table::{FileFormat, ParquetColumn, Ragged, Row, Table};
use crate::answer::{DecisionOption, DecisionQuestion, ResultWarning};
use crate::hex::sha256_hex;

mod column;

pub use column::{Constraint, DiscoveredColumn, TypeEvidence};

/// Rows after which the caller's patience is looked at.
const ROWS_BETWEEN_LOOKS: u64 = 1_024;

/// A proposal for the schema of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoveredSchema {
    /// The same for the same file
    pub discovery_id: String,
    /// The file it was read from
    pub source_file: String,
    /// The file's name without its ending
    pub name: String,
    /// The file's format
    pub format: FileFormat,
    /// How a delimited file is written
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<CsvDialect>,
    /// Rows that were looked at
    pub rows_analyzed: u64,
    /// The mean of the columns' confidence, from 0 to 1
    pub confidence: f64,
    /// What the reader noticed
    pub warnings: Vec<ResultWarning>,
    /// SHA-256 of what would be approved
    pub proposal_hash: String,
    /// The columns in their order
    pub columns: Vec<DiscoveredColumn>,
}

impl DiscoveredSchema {
    /// The columns as a parser takes them. A date whose format is in question is text until it is answered.
    pub fn parser_columns(&self) -> Vec<Column> {
        let column = |column: &DiscoveredColumn| {
            let open = column.constraint.needs_human_decision;
            Column {
                name: column.name.clone(),
                data_type: if open { DataType::String } else { column.data_type },
                nullable: column.nullable,
                format: column.format.clone().filter(|_| !open),
            }
        };
        self.columns.iter().map(column).collect()
    }

    /// The questions that its columns raise.
    pub fn questions(&self) -> impl Iterator<Item = &DecisionQuestion> {
        self.columns.iter().filter_map(|column| column.constraint.human_question.as_ref())
    }
}

/// What to look at.
#[derive(Clone, Debug)]
pub struct InferOptions {
    /// Rows at most.
    pub max_rows: u64,
    /// Words that mean a missing value.
    pub nulls: NullTokens,
}

impl Default for InferOptions {
    fn default() -> Self {
        Self { max_rows: 1_000, nulls: NullTokens::default() }
    }
}

/// Infers the schema of a table from its first rows.
///
/// # Errors
///
/// The file can't be read as far as that, or the token fires.
pub fn infer(
    table: &Table,
    options: &InferOptions,
    stop: &CancellationToken,
) -> Result<DiscoveredSchema, DataError> {
    let mut columns: Vec<ColumnInference> =
        table.columns().iter().map(|_| ColumnInference::new(&options.nulls)).collect();
    let mut rows = table.rows()?;
    let mut row = Row::default();
    let mut nested = vec![false; columns.len()];
    while rows.count() < options.max_rows && rows.read(&mut row)? {
        if rows.count() % ROWS_BETWEEN_LOOKS == 0 && stop.is_cancelled() {
            return Err(DataError::Canceled);
        }
        for (index, column) in columns.iter_mut().enumerate() {
            let kind = row.kind(index);
            nested[index] |= kind == super::infer::CellKind::Nested;
            column.observe_kind(row.cell(index), kind);
        }
    }
    let id = discovery_id(table.shown());
    let mut warnings = warnings(table, &rows, &options.nulls);
    let mut discovered = Vec::new();
    for (index, inference) in columns.iter().enumerate() {
        let name = &table.columns()[index];
        let inferred = inference.finish(name);
        discovered.push(match table.schema().get(index) {
            Some(schema) => {
                warnings.extend(schema.loss.map(|loss| ResultWarning::new("WARN_TYPE_LOSS", loss).on(name)));
                column::from_footer(name, schema, &inferred)
            }
            None => column::from_values(&id, name, &inferred),
        });
        if nested[index] && table.schema().is_empty() {
            let text = "nested values are given as JSON text";
            warnings.push(ResultWarning::new("WARN_NESTED", text).on(name));
        }
        warnings.extend(near_miss(name, &inferred, table.schema().get(index)));
        if inferred.formulas > 0 {
            let text = format!(
                "{} values look like formulas of a spreadsheet; they are text here",
                inferred.formulas
            );
            warnings.push(ResultWarning::new("WARN_FORMULAS", text).on(name));
        }
    }
    let confidence = match discovered.len() {
        0 => 0.0,
        count => discovered.iter().map(|column| column.constraint.confidence).sum::<f64>() / count as f64,
    };
    let mut schema = DiscoveredSchema {
        discovery_id: id,
        source_file: table.shown().to_owned(),
        name: table.stem().to_owned(),
        format: table.format(),
        dialect: table.dialect().cloned(),
        rows_analyzed: rows.count(),
        confidence: rounded(confidence),
        warnings,
        proposal_hash: String::new(),
        columns: discovered,
    };
    schema.proposal_hash = proposal_hash(&schema);
    Ok(schema)
}

/// A number with three digits after the point, so that it reads the same everywhere.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn discovery_id(path: &str) -> String {
    format!("disc_{}", &sha256_hex(path)[..12])
}

/// The hash of what a person approves: the file, its form, the columns with types and formats.
fn proposal_hash(schema: &DiscoveredSchema) -> String {
    let columns: Vec<_> = schema
        .columns
        .iter()
        .map(|column| {
            json!({
                "name": column.name,
                "data_type": column.data_type,
                "nullable": column.nullable,
                "format": column.format,
                "needs_human_decision": column.constraint.needs_human_decision,
            })
        })
        .collect();
    let proposal = json!({
        "source_file": schema.source_file,
        "format": schema.format,
        "dialect": schema.dialect,
        "columns": columns,
    });
    sha256_hex(&canonical_text(&proposal))
}

fn warnings(table: &Table, rows: &super::table::Rows, nulls: &NullTokens) -> Vec<ResultWarning> {
    let mut warnings = Vec::new();
    let mut warn = |code: &str, message: String| warnings.push(ResultWarning::new(code, message));
    let ragged = rows.ragged();
    if let Some(first) = ragged.first_row {
        warn(
            "WARN_RAGGED_ROWS",
            format!("{}; the first is row {first}", ragged_rows(ragged, table.columns().len())),
        );
    }
    if rows.malformed() > 0 {
        warn(
            "WARN_ENCODING",
            format!("{} places could not be decoded as {}", rows.malformed(), table.encoding().name()),
        );
    }
    if table.encoding().guessed {
        warn("WARN_ENCODING_GUESSED", format!("the encoding {} is a guess", table.encoding().name()));
    }
    if let Some(dialect) = table.dialect() {
        if dialect.skip_lines > 0 {
            let lines = match dialect.skip_lines {
                1 => "1 line before the table is skipped".to_owned(),
                lines => format!("{lines} lines before the table are skipped"),
            };
            let first = table.preamble().first().map(|first| format!(": `{first}`"));
            warn("WARN_PREAMBLE", format!("{lines}{}", first.unwrap_or_default()));
        }
        if let Some(comment) = dialect.comment {
            warn("WARN_COMMENTS", format!("lines that begin with `{comment}` are skipped"));
        }
        if dialect.header_confidence < 0.7 && !table.columns().is_empty() {
            let said = if dialect.has_header { "names the columns" } else { "is data" };
            warn("WARN_HEADER", format!("it is not certain that the first row {said}"));
        }
    }
    for (index, (raw, name)) in table.header().iter().zip(table.columns()).enumerate() {
        if raw.trim() != name && !raw.is_empty() || raw.trim().is_empty() {
            let reason =
                format!("column {} is called `{name}`, since its name is missing or occurs twice", index + 1);
            warn("WARN_COLUMN_NAME", reason);
        }
        if nulls.contains(raw.trim()) && !raw.trim().is_empty() {
            warn(
                "WARN_COLUMN_NAME",
                format!("column `{name}` has a name that means a missing value elsewhere"),
            );
        }
    }
    warnings
}

/// `2 rows have fewer and 1 row has more cells than the 3 columns`.
fn ragged_rows(ragged: Ragged, columns: usize) -> String {
    let some = |count: u64, kind: &str| match count {
        0 => None,
        1 => Some(format!("1 row has {kind}")),
        count => Some(format!("{count} rows have {kind}")),
    };
    let parts: Vec<String> =
        [some(ragged.short, "fewer"), some(ragged.long, "more")].into_iter().flatten().collect();
    let columns = if columns == 1 { "the one column".to_owned() } else { format!("the {columns} columns") };
    format!("{} cells than {columns}", parts.join(" and "))
}

fn near_miss(name: &str, column: &InferredColumn, schema: Option<&ParquetColumn>) -> Option<ResultWarning> {
    let near = column.near_miss.as_ref().filter(|_| schema.is_none())?;
    let share = near.share * 100.0;
    let first = near.counter_examples.first();
    let example = first.map_or_else(String::new, |it| format!(", but not `{}` in row {}", it.value, it.row));
    let text = format!("{share:.1} % of the values are of type {}{example}", near.type_name);
    Some(ResultWarning::new("WARN_NEAR_MISS", text).on(name))
}

/// The question how dates are to be read.
pub(crate) fn date_question(id: &str, name: &str, column: &InferredColumn) -> DecisionQuestion {
    let options = column
        .date_formats
        .iter()
        .map(|format| {
            let readings: Vec<String> = column
                .read_both_ways
                .iter()
                .filter_map(|value| {
                    let (_, day) = value.readings.iter().find(|(own, _)| own == format)?;
                    Some(format!("`{}` is {day}", value.value))
                })
                .collect();
            DecisionOption::new(format.as_str(), label(format.order()), readings.join(", "))
        })
        .collect();
    DecisionQuestion {
        id: format!("date_format:{id}:{name}"),
        question: format!("How are the dates of `{name}` written?"),
        options,
        blocking: true,
        default_option: None,
        context: Some(format!("values: {}", column.sample_values.join(", "))),
    }
}

fn label(order: &str) -> &'static str {
    match order {
        "dmy" => "day, month, year",
        "mdy" => "month, day, year",
        _ => "year, month, day",
    }
}

/// The question whether some words mean a missing value.
pub(crate) fn null_question(id: &str, name: &str, column: &InferredColumn) -> Option<DecisionQuestion> {
    let without = column.without_null_tokens?;
    let words: Vec<String> = column.suggested_null_tokens.iter().map(|word| format!("`{word}`")).collect();
    let words = words.join(", ");
    Some(DecisionQuestion {
        id: format!("null_tokens:{id}:{name}"),
        question: format!("Does {words} in `{name}` mean that there is no value?"),
        options: vec![
            DecisionOption::new("yes", "no value", format!("the column is of type {}", without.as_str())),
            DecisionOption::new("no", "a value", "the column is text"),
        ],
        blocking: false,
        default_option: Some("no".to_owned()),
        context: None,
    })
}

#[cfg(test)]
mod tests;
