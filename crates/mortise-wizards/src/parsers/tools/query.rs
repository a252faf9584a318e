//! `query_output`: looks at a table.

use std::time::Instant;

use mortise_contract::text::{counted, cut, nearest, one_line};
use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use crate::answer::{Common, Phase, WizardResult, Workflow};
use crate::data::files::{DataFile, DataFiles};
use crate::data::table::{FileFormat, ReadOptions, Table};
use crate::data::value::Value;
use crate::limits::WIZARD_QUERY_TIME;
use crate::parsers::check::shortened;
use crate::parsers::value::to_json;
use crate::store::database::{DatabaseError, OpenDatabase, is_database};
use crate::store::query::{QueryError, QuerySource, QueryText};
use crate::tool::room::{fitting, size};
use crate::tool::{Wizard, blocking};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueryInput {
    /// A Parquet, SQLite, CSV or TSV file, as execute_pipeline tells it
    source: String,
    /// One SELECT in SQLite's SQL; FROM may be left out where there is one table
    #[serde(default)]
    sql: Option<String>,
    /// Rows at most
    #[serde(default = "hundred")]
    #[schemars(range(min = 1, max = 10_000))]
    limit: usize,
    /// json; table and csv add the rows as `text`
    #[serde(default)]
    format: QueryFormat,
}

fn hundred() -> usize {
    100
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum QueryFormat {
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
struct QueryOutput {
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
const CELL_CHARACTERS: usize = 20_000;
const TEXT_BYTES: usize = 350_000;

pub(super) fn wizard() -> Wizard {
    Wizard::new("query_output", FormatKind::Metadata)
        .description(
            "Looks at a table: the first rows of a Parquet, SQLite, CSV or TSV file, or those of a query in SQLite's SQL such \
             as `select id, price where price > 10 order by price desc limit 5`. It only reads.",
        )
        .read_only()
        .within(WIZARD_QUERY_TIME)
        .handler(|wizards: std::sync::Arc<crate::Wizards>, input: QueryInput, _| async move {
            let started = Instant::now();
            let looking = move |stop: &CancellationToken| query_output(&wizards.files()?.until(stop), &input, stop);
            let Looked { mut output, has_more, unsaid } = blocking(looking).await?;
            output.duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
            let more = match (has_more, output.truncated) {
                (true, _) => ", there are more",
                (false, true) => ", shortened",
                (false, false) => "",
            };
            let rows = counted(output.row_count, "row");
            let text = output.text.clone().unwrap_or_else(|| format!("{rows}{more}"));
            let common = warnings(&output, unsaid);
            Ok(WizardResult::new(output).common(common).feedback(text))
        })
}

struct Looked {
    output: QueryOutput,
    /// Whether there are more rows than are given.
    has_more: bool,
    /// How many of those that are given are not in the text.
    unsaid: usize,
}

fn query_output(
    files: &DataFiles,
    input: &QueryInput,
    stop: &CancellationToken,
) -> Result<Looked, ErrorBody> {
    let query = QueryText::parse(input.sql.as_deref().unwrap_or("select *"))
        .map_err(|error| query_refused(&input.source, error))?;
    let file = files.open(&input.source)?;
    let source = file.shown().to_owned();
    let refused = |error: QueryError| query_refused(&source, error);
    let tables = match is_database(&file)? {
        true => {
            let database =
                OpenDatabase::open(&file, stop).map_err(|error| database_refused(&source, &error))?;
            QuerySource::database(database, &query)
        }
        false => QuerySource::file(queried_table(file)?, &query, stop),
    };
    let tables = tables.map_err(refused)?;
    let selection = tables.select(&query, input.limit).map_err(refused)?;
    let unknown = selection.columns_left_out;
    let (columns, left_out) = fitting(selection.columns.clone(), NAME_BYTES);
    let mut shown = ShownRows {
        columns,
        columns_left_out: left_out + unknown,
        rows: Vec::new(),
        room: None,
        rows_left_out: 0,
    };
    let has_more = selection.each_row(|row| shown.add(row)).map_err(refused)?;
    let ShownRows { columns, columns_left_out, rows, rows_left_out, .. } = shown;
    let values_cut = rows.iter().flatten().filter(|value| value.as_str().and_then(beyond).is_some()).count();
    let has_more = has_more || rows_left_out > 0;
    let mut output = QueryOutput {
        column_count: columns.len(),
        columns,
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
        QueryFormat::Json => return Ok(Looked { output, has_more, unsaid: 0 }),
        QueryFormat::Csv => (csv_rows(&output)?, ""),
        QueryFormat::Table => (table_rows(&output), "\n"),
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
fn warnings(output: &QueryOutput, unsaid: usize) -> Common {
    let mut common = Common { workflow: Some(Workflow::new(Phase::Verification)), ..Common::default() };
    let mut warn = |count: usize, what: &str, advice: &str| {
        if count > 0 {
            common.warn("WARN_TRUNCATED", format!("{} {advice}", counted(count, what)));
        }
    };
    let long = format!("cut to {CELL_CHARACTERS} characters");
    warn(output.values_cut, "long value", &long);
    warn(output.columns_left_out, "column", "left out; name those that you need with `select`");
    warn(output.rows_left_out, "row", "left out; narrow the query with `where`");
    warn(unsaid, "row", "missing from `text` and given in `rows`");
    common
}

/// The columns and rows that fit into a result. The first row decides how many columns do.
struct ShownRows {
    columns: Vec<String>,
    columns_left_out: usize,
    rows: Vec<Vec<Json>>,
    /// Bytes for further rows, after the first row.
    room: Option<usize>,
    rows_left_out: usize,
}

impl ShownRows {
    fn add(&mut self, row: Vec<Value>) {
        if self.rows_left_out > 0 {
            self.rows_left_out += 1;
            return;
        }
        let mut row: Vec<Json> =
            row.iter().take(self.columns.len()).map(|value| shorter(to_json(value))).collect();
        let room = self.room.unwrap_or_else(|| {
            let brackets = 2;
            let (_, wide) = fitting(&row, MOST_BYTES - brackets);
            self.columns.truncate(self.columns.len() - wide);
            self.columns_left_out += wide;
            row.truncate(self.columns.len());
            MOST_BYTES
        });
        match room.checked_sub(size(&row)) {
            Some(rest) => {
                self.room = Some(rest);
                self.rows.push(row);
            }
            None => self.rows_left_out = 1,
        }
    }
}

fn queried_table(file: DataFile) -> Result<Table, ErrorBody> {
    let table = Table::open(file, &ReadOptions::default())?;
    if matches!(table.format(), FileFormat::Json | FileFormat::Ndjson) {
        return Err(ErrorBody::new(
            ErrorCode::FormatUnsupported,
            format!("`{}` is JSON", table.shown()),
            "read it with read_sample, or write it as a table with execute_pipeline",
        )
        .at_field("source"));
    }
    Ok(table)
}

fn database_refused(source: &str, error: &DatabaseError) -> ErrorBody {
    let (code, suggestion) = match error {
        DatabaseError::TooLarge { .. } => {
            (ErrorCode::FormatUnsupported, "write Parquet instead, or use `sqlite3`")
        }
        DatabaseError::Empty | DatabaseError::Unreadable(_) => {
            (ErrorCode::FormatUnsupported, "see with `sqlite3` whether the file is whole")
        }
        DatabaseError::File(_) => (ErrorCode::Io, "see whether the file can be read"),
    };
    ErrorBody::new(code, format!("`{source}`: {error}"), suggestion).at_field("source")
}

fn query_refused(source: &str, error: QueryError) -> ErrorBody {
    let meant = |name: &str, known: &[String]| {
        let near = nearest(name, known.iter().map(String::as_str));
        near.map(|near| format!("did you mean `{}`? ", shortened(near))).unwrap_or_default()
    };
    let (reason, suggestion) = match &error {
        QueryError::Data(_) => (String::new(), String::new()),
        QueryError::NoTableNamed { tables } => {
            (format!("`{source}`: {error}"), format!("say `select * from` one of {}", listed(tables)))
        }
        QueryError::NoSuchTable { name, tables } => (
            format!("`{source}`: {error}"),
            format!("{}say `select * from` one of {}", meant(name, tables), listed(tables)),
        ),
        QueryError::NoSuchColumn { name, columns } => {
            (error.to_string(), format!("{}use one of {}", meant(name, columns), listed(columns)))
        }
        QueryError::OnlyOneTable { .. } => {
            (error.to_string(), "leave FROM out, or use one name for the table".to_owned())
        }
        QueryError::TooMuchMemory => {
            (error.to_string(), "select fewer columns, or narrow the query with `where`".to_owned())
        }
        QueryError::Sqlite(_) => {
            let suggestion = "see with `sqlite3` whether the file is whole";
            return ErrorBody::new(ErrorCode::FormatUnsupported, format!("`{source}`: {error}"), suggestion)
                .at_field("source");
        }
        _ => (
            error.to_string(),
            "write `select columns where conditions order by columns limit count`, names that are keywords in \
             double quotes"
                .to_owned(),
        ),
    };
    match error {
        QueryError::Data(error) => error.into(),
        _ => ErrorBody::new(ErrorCode::ParamRange, reason, suggestion).at_field("sql"),
    }
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
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The header and the rows, each with what ends it.
fn csv_rows(output: &QueryOutput) -> Result<Vec<String>, ErrorBody> {
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
fn table_rows(output: &QueryOutput) -> Vec<String> {
    let cell = |text: String| cut(&one_line(&text), 40);
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
