//! `query_output`: looks at a table.

use std::time::Instant;

use mortise_contract::text::nearest;
use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use super::counted;
use crate::answer::{Common, Done, Phase, Workflow};
use crate::data::fault::DataError;
use crate::data::files::{DataFile, Files};
use crate::data::nulls::NullTokens;
use crate::data::schema::{InferOptions, infer};
use crate::data::table::{FileFormat, ReadOptions, Row as TableRow, Table};
use crate::data::value::{Converter, Value};
use crate::limits::WIZARD_QUERY_TIME;
use crate::parsers::check::shortened;
use crate::parsers::value::{to_json, to_text};
use crate::store::database::{DatabaseError, DatabaseTable, is_database};
use crate::store::query::{Query, Selection, parse};
use crate::tool::room::fitting;
use crate::tool::{Wizard, blocking};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A Parquet, SQLite, CSV or TSV file, as execute_pipeline tells it
    source: String,
    /// SELECT columns WHERE conditions ORDER BY columns LIMIT count; nothing else
    #[serde(default)]
    sql: Option<String>,
    /// Rows at most
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: usize,
    /// json; table and csv add the rows as `text`
    #[serde(default)]
    format: Format,
}

fn hundred() -> usize {
    100
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// Rows as JSON.
    #[default]
    Json,
    /// Rows as an aligned table besides.
    Table,
    /// Rows as CSV besides.
    Csv,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Output {
    /// The names of the columns
    columns: Vec<String>,
    /// How many
    column_count: usize,
    /// The rows, values in the order of the columns
    rows: Vec<Vec<Json>>,
    /// How many
    row_count: usize,
    /// Whether there are more rows, or columns, rows or values were cut
    truncated: bool,
    /// Values of which only the beginning is given, marked by an ellipsis
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    values_cut: usize,
    /// Columns after the given ones that do not fit
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    columns_left_out: usize,
    /// Rows after the given ones that were asked for and do not fit
    #[serde(skip_serializing_if = "is_zero")]
    #[schemars(default)]
    rows_left_out: usize,
    /// How long it took
    duration_ms: u64,
    /// The file
    source: String,
    /// The rows as a table or CSV, if asked for
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Bytes of the names of columns. What does not fit is cut in this order: long values, then columns from the last
/// one, until the names and the first row fit, then rows from the last one.
const NAME_BYTES: usize = 100_000;
/// Bytes of values after which no more rows are given.
const MOST_BYTES: usize = 450_000;
/// Characters of one value that are given.
const CELL_CHARACTERS: usize = 20_000;
/// Bytes of the same rows as text.
const TEXT_BYTES: usize = 350_000;

pub(super) fn wizard() -> Wizard {
    Wizard::new("query_output", FormatKind::Metadata)
        .description(
            "Looks at a table: the first rows of a Parquet, SQLite, CSV or TSV file, or those of a simple query such as \
             `select id, price where price > 10 order by price desc limit 5`. It only reads; no joins, no functions.",
        )
        .read_only()
        .within(WIZARD_QUERY_TIME)
        .handler(|wizards: std::sync::Arc<crate::Wizards>, input: Input, _| async move {
            let started = Instant::now();
            let query = match &input.sql {
                Some(sql) => parse(sql).map_err(|error| {
                    ErrorBody::new(
                        ErrorCode::ParamRange,
                        error.to_string(),
                        "write `select columns where conditions order by columns limit count`",
                    )
                    .at_field("sql")
                })?,
                None => Query::default(),
            };
            let looking = move |stop: &CancellationToken| query_output(&wizards.files()?.until(stop), &input, &query, stop);
            let Looked { mut output, has_more, unsaid } = blocking(looking).await?;
            output.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let more = match (has_more, output.truncated) {
                (true, _) => ", there are more",
                (false, true) => ", shortened",
                (false, false) => "",
            };
            let rows = counted(output.row_count as u64, "row");
            let text = output.text.clone().unwrap_or_else(|| format!("{rows}{more}"));
            let common = warnings(&output, unsaid);
            Ok(Done::new(output).common(common).feedback(text))
        })
}

/// What was found in a table.
struct Looked {
    output: Output,
    /// Whether there are more rows than are given.
    has_more: bool,
    /// How many of those that are given are not in the text.
    unsaid: usize,
}

fn query_output(
    files: &Files,
    input: &Input,
    query: &Query,
    stop: &CancellationToken,
) -> Result<Looked, ErrorBody> {
    let file = files.open(&input.source)?;
    let source = file.shown().to_owned();
    let limit = query.limit.map_or(input.limit, |limit| limit.min(input.limit));
    let Found { columns, rows, matched } = match is_database(&file)? {
        true => in_database(&file, query, limit, stop)?,
        false => in_table(file, query, limit, stop)?,
    };
    let shown = query.columns.clone().unwrap_or_else(|| columns.clone());
    let places: Vec<usize> =
        shown.iter().filter_map(|name| columns.iter().position(|column| column == name)).collect();
    let mut rows = rows
        .into_iter()
        .map(|row| places.iter().map(|place| shorter(to_json(&row[*place]))).collect::<Vec<Json>>());
    let first = rows.next();
    let (mut names, mut columns_left_out) = fitting(shown, NAME_BYTES);
    if let Some(first) = &first {
        let brackets = 2;
        let (_, wide) = fitting(first.iter().take(names.len()), MOST_BYTES - brackets);
        names.truncate(names.len() - wide);
        columns_left_out += wide;
    }
    let width = names.len();
    let rows = first.into_iter().chain(rows).map(|mut row| {
        row.truncate(width);
        row
    });
    let (rows, rows_left_out) = fitting(rows, MOST_BYTES);
    let values_cut = rows.iter().flatten().filter(|value| value.as_str().and_then(beyond).is_some()).count();
    let has_more = matched > limit as u64 || rows_left_out > 0;
    let mut output = Output {
        column_count: width,
        columns: names,
        row_count: rows.len(),
        rows,
        truncated: has_more || values_cut + columns_left_out > 0,
        values_cut,
        columns_left_out,
        rows_left_out,
        duration_ms: 0,
        source,
        text: None,
    };
    let text = match input.format {
        Format::Json => return Ok(Looked { output, has_more, unsaid: 0 }),
        Format::Csv => (csv_rows(&output)?, ""),
        Format::Table => (table_rows(&output), "\n"),
    };
    let (rows, unsaid) = fitting(text.0, TEXT_BYTES);
    output.truncated |= unsaid > 0;
    output.text = Some(rows.join(text.1));
    Ok(Looked { output, has_more, unsaid })
}

/// A value that is cut where it is very long.
fn shorter(mut value: Json) -> Json {
    if let Json::String(text) = &mut value
        && let Some(end) = beyond(text)
    {
        text.truncate(end);
        text.push('…');
    }
    value
}

/// Where a text becomes longer than is given. One that was cut is longer by its mark.
fn beyond(text: &str) -> Option<usize> {
    text.char_indices().nth(CELL_CHARACTERS).map(|(end, _)| end)
}

/// What of a table does not fit, and what to do about it.
fn warnings(output: &Output, unsaid: usize) -> Common {
    let mut common = Common { workflow: Some(Workflow::new(Phase::Verification)), ..Common::default() };
    let mut warn = |count: usize, what: &str, advice: &str| {
        if count > 0 {
            common.warn("WARN_TRUNCATED", format!("{} {advice}", counted(count as u64, what)));
        }
    };
    let long = format!("cut to {CELL_CHARACTERS} characters");
    warn(output.values_cut, "long value", &long);
    warn(output.columns_left_out, "column", "left out; name those that you need with `select`");
    warn(output.rows_left_out, "row", "left out; narrow the query with `where`");
    warn(unsaid, "row", "missing from `text` and given in `rows`");
    common
}

/// The columns of a table, and the rows that are wanted.
struct Found {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    /// How many there are; beyond what is asked for it may be one more and no count.
    matched: u64,
}

fn in_database(
    file: &DataFile,
    query: &Query,
    limit: usize,
    stop: &CancellationToken,
) -> Result<Found, ErrorBody> {
    let refused = |error: DatabaseError| {
        if stop.is_cancelled() {
            return DataError::Canceled.into();
        }
        let (code, suggestion) = match &error {
            DatabaseError::TooLarge { .. } => {
                (ErrorCode::FormatUnsupported, "write Parquet instead, or use `sqlite3`".to_owned())
            }
            DatabaseError::Empty | DatabaseError::Overlapping | DatabaseError::Unreadable(_) => {
                (ErrorCode::FormatUnsupported, "see with `sqlite3` whether the file is whole".to_owned())
            }
            DatabaseError::Several { tables } => {
                (ErrorCode::ParamRange, format!("say `select * from` one of {}", listed(tables)))
            }
            DatabaseError::NoSuchTable { name, tables } => {
                let near = nearest(name, tables.iter().map(String::as_str));
                let meant = near.map(|near| format!("did you mean `{}`? ", shortened(near)));
                let known = format!("say `select * from` one of {}", listed(tables));
                (ErrorCode::ParamRange, meant.unwrap_or_default() + &known)
            }
            DatabaseError::File(_) => (ErrorCode::Io, "see whether the file can be read".to_owned()),
        };
        let field = if code == ErrorCode::ParamRange { "sql" } else { "source" };
        ErrorBody::new(code, format!("`{}`: {error}", file.shown()), suggestion).at_field(field)
    };
    let table = DatabaseTable::open(file, query.table.as_deref(), stop).map_err(refused)?;
    let columns = table.columns().to_vec();
    known(query, &columns)?;
    let mut selection = Selection::new(query, &columns, limit);
    table.rows(|values| !stop.is_cancelled() && selection.offer(values)).map_err(refused)?;
    if stop.is_cancelled() {
        return Err(DataError::Canceled.into());
    }
    let (rows, matched) = selection.finish();
    Ok(Found { columns, rows, matched })
}

fn in_table(
    file: DataFile,
    query: &Query,
    limit: usize,
    stop: &CancellationToken,
) -> Result<Found, ErrorBody> {
    let table = Table::open(file, &ReadOptions::default())?;
    if matches!(table.format(), FileFormat::Json | FileFormat::Ndjson) {
        return Err(ErrorBody::new(
            ErrorCode::FormatUnsupported,
            format!("`{}` is JSON", table.shown()),
            "read it with read_sample, or write it as a table with execute_pipeline",
        )
        .at_field("source"));
    }
    let columns = table.columns().to_vec();
    known(query, &columns)?;
    let schema = infer(&table, &InferOptions::default(), stop)?;
    let nulls = NullTokens::only([String::new()]);
    let converters: Vec<Converter> = schema
        .parser_columns()
        .into_iter()
        .map(|mut column| {
            column.nullable = true;
            Converter::new(&column, &nulls)
        })
        .collect();
    let mut rows = table.rows()?;
    let mut row = TableRow::default();
    let mut selection = Selection::new(query, &columns, limit);
    while rows.read(&mut row)? {
        if rows.count().is_multiple_of(1024) && stop.is_cancelled() {
            return Err(DataError::Canceled.into());
        }
        let values = converters.iter().enumerate().map(|(place, converter)| {
            let cell = row.cell(place);
            // A value that came after those that told the type is shown as it is.
            converter
                .value(cell)
                .unwrap_or_else(|_| cell.map_or(Value::Null, |text| Value::Text(text.to_owned())))
        });
        if !selection.offer(values.collect()) {
            break;
        }
    }
    let (rows, matched) = selection.finish();
    Ok(Found { columns, rows, matched })
}

fn known(query: &Query, columns: &[String]) -> Result<(), ErrorBody> {
    let Some(unknown) = query.unknown_column(columns) else { return Ok(()) };
    let near = nearest(&unknown, columns.iter().map(String::as_str));
    let meant = near.map(|near| format!("did you mean `{}`? ", shortened(near)));
    Err(ErrorBody::new(
        ErrorCode::ParamRange,
        format!("there is no column `{}`", shortened(&unknown)),
        format!("{}use one of {}", meant.unwrap_or_default(), listed(columns)),
    )
    .at_field("sql"))
}

/// The first of some names, and how many there are besides.
fn listed(names: &[String]) -> String {
    const LISTED: usize = 20;
    let first: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{}`", shortened(name))).collect();
    match names.len().checked_sub(LISTED) {
        None | Some(0) => first.join(", "),
        Some(more) => format!("{} and {more} more", first.join(", ")),
    }
}

fn plain(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => to_text(&Value::Text(text.clone())),
        other => other.to_string(),
    }
}

/// The header and the rows, each with what ends it.
fn csv_rows(output: &Output) -> Result<Vec<String>, ErrorBody> {
    let failed =
        |error: &dyn std::error::Error| ErrorBody::new(ErrorCode::Internal, error.to_string(), "report this");
    let written = |cells: Vec<String>| {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(cells).map_err(|error| failed(&error))?;
        let bytes = writer.into_inner().map_err(|error| failed(&error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let header = std::iter::once(output.columns.clone());
    let rows = output.rows.iter().map(|row| row.iter().map(plain).collect());
    header.chain(rows).map(written).collect()
}

/// The header and the rows, aligned.
fn table_rows(output: &Output) -> Vec<String> {
    const WIDEST: usize = 40;
    let cell = |text: String| {
        let line = text.replace(['\n', '\r', '\t'], " ");
        match line.char_indices().nth(WIDEST) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    };
    let mut lines: Vec<Vec<String>> = vec![output.columns.iter().cloned().map(cell).collect()];
    lines.extend(output.rows.iter().map(|row| row.iter().map(|value| cell(plain(value))).collect()));
    let width = |place: usize| lines.iter().map(|line| line[place].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..output.columns.len()).map(width).collect();
    let join = |line: &Vec<String>| {
        let cells = line.iter().zip(&widths).map(|(text, width)| format!("{text:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(join).collect()
}
