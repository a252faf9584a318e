//! One file under test: a parser's rows against a contract and an independent count, or the reader alone.

use std::sync::Arc;
use std::time::Duration;

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_script::Engine;
use tokio_util::sync::CancellationToken;

use crate::data::bounds::INFLATED_BYTES;
use crate::data::data_type::{Column, DataType};
use crate::data::files::{DataFiles, FileError};
use crate::data::table::{ReadOptions, Row, Table};
use crate::data::value::ValueError;
use crate::parsers::backtest::FileResult;
use crate::parsers::batch::Batch;
use crate::parsers::category::Category;
use crate::parsers::check::{self, Breach};
use crate::parsers::columns::Columns;
use crate::parsers::planning::{CellFault, WantedColumn};
use crate::parsers::run::{ParserContent, ParserJob, RowSink, run};
use crate::parsers::validate::explain;

pub(crate) struct ParserTester {
    pub(crate) files: DataFiles,
    pub(crate) method: Method,
    /// The columns that rows must have, if there is a contract.
    pub(crate) contract: Option<Vec<WantedColumn>>,
    pub(crate) cancel: CancellationToken,
}

pub(crate) enum Method {
    Parser {
        engine: Arc<Engine>,
        code: String,
        /// The types of its columns, as far as the parser declares them.
        columns: Vec<Column>,
    },
    /// The reader, by the contract alone.
    Reader,
}

impl ParserTester {
    /// Tests one file within `wall`.
    pub(crate) async fn test(&self, path: String, wall: Duration) -> FileResult {
        let stop = self.cancel.child_token();
        // Threads that read for this test end with it.
        let _ended = stop.clone().drop_guard();
        let testing = async {
            match &self.method {
                Method::Parser { engine, code, columns } => {
                    self.parse(engine, code, columns, &path, wall, &stop).await
                }
                Method::Reader => self.read(&path, &stop).await,
            }
        };
        let too_slow = || (Category::Timeout, format!("it took longer than {} s", wall.as_secs()), 0);
        match tokio::time::timeout(wall, testing).await.unwrap_or_else(|_| Err(too_slow())) {
            Ok(FileYield { rows, rejected, reconciled }) => {
                FileResult { path, rows, rejected, reconciled, failure: None }
            }
            Err((category, message, rows)) => FileResult {
                path,
                rows,
                rejected: 0,
                reconciled: false,
                failure: Some((category, check::shortened(&message))),
            },
        }
    }

    async fn parse(
        &self,
        engine: &Engine,
        code: &str,
        hints: &[Column],
        path: &str,
        wall: Duration,
        stop: &CancellationToken,
    ) -> Outcome {
        let (files, raw) = (self.files.clone(), path.to_owned());
        let opening = tokio::task::spawn_blocking(move || open(&files, &raw));
        let stopped = |_| (Category::Unknown, "the reading stopped".to_owned(), 0);
        let file = opening.await.map_err(stopped)??;
        let columns = match &self.contract {
            Some(wanted) => Columns::of_contract(wanted.iter().map(WantedColumn::output).collect()),
            None => Columns::of_rows(hints),
        };
        let sink = Checking { columns, names: Vec::new() };
        let job = ParserJob {
            code: code.to_owned(),
            content: ParserContent::File(file),
            name: path.to_owned(),
            wall: Some(wall),
            inflated: INFLATED_BYTES,
        };
        let run = run(engine, job, sink, stop).await;
        let run = run.map_err(|error| (Category::Unknown, error.to_string(), 0))?;
        if let Some(failure) = &run.failure {
            let columns = run.sink.columns.known().unwrap_or_default();
            return Err((Category::of(failure, columns), explain(failure), run.rows));
        }
        let given = run.rows + run.rejected;
        let reconciled = match self.count(path, &run.sink.names, stop).await {
            Some(counted) if counted.rows == given => true,
            // Who reads other columns may make several rows of one.
            Some(counted) if counted.rows < given && !counted.same_columns => false,
            Some(CountedRows { rows, .. }) => {
                let message = format!("the parser gave {given} rows, the file has {rows}");
                return Err((Category::ParseError, message, run.rows));
            }
            None => false,
        };
        Ok(FileYield { rows: run.rows, rejected: run.rejected, reconciled })
    }

    /// The rows of a file as the reader counts them, if it sees the same columns or is sure of what it sees.
    async fn count(&self, path: &str, names: &[String], stop: &CancellationToken) -> Option<CountedRows> {
        let names = match &self.contract {
            Some(wanted) => wanted.iter().map(|wanted| wanted.column.name.clone()).collect(),
            None => names.to_vec(),
        };
        let (files, path, stop) = (self.files.clone(), path.to_owned(), stop.clone());
        let counting = tokio::task::spawn_blocking(move || {
            let table = Table::open(files.until(&stop).open(&path).ok()?, &ReadOptions::default()).ok()?;
            let same_columns = has_columns(&table, &names);
            if !same_columns && !is_certain(&table) {
                return None;
            }
            let mut rows = table.rows().ok()?;
            let mut row = Row::default();
            while !stop.is_cancelled() && rows.read(&mut row).ok()? {}
            // Lines of different lengths are not rows for a parser that reads other columns from them.
            let is_even = rows.ragged().first_row.is_none();
            (same_columns || is_even).then(|| CountedRows { rows: rows.count(), same_columns })
        });
        counting.await.ok().flatten()
    }

    /// Reads a file by the contract alone.
    async fn read(&self, path: &str, stop: &CancellationToken) -> Outcome {
        let wanted = self.contract.clone().unwrap_or_default();
        let (files, path, stop) = (self.files.clone(), path.to_owned(), stop.clone());
        let reading = tokio::task::spawn_blocking(move || read(&files, &path, &wanted, &stop));
        reading.await.unwrap_or_else(|_| Err((Category::Unknown, "the reading stopped".to_owned(), 0)))
    }
}

struct FileYield {
    rows: u64,
    /// Rows that the parser left out.
    rejected: u64,
    /// Whether they were counted by another reader too.
    reconciled: bool,
}

struct CountedRows {
    rows: u64,
    /// Whether the parser's columns are those of the file.
    same_columns: bool,
}

/// What a file gave, or what went wrong after how many rows.
type Outcome = Result<FileYield, (Category, String, u64)>;

fn has_columns(table: &Table, names: &[String]) -> bool {
    let are_there = names.iter().all(|name| table.columns().contains(name));
    match table.is_lone_object() {
        // Rows of one of its members may have some of its names.
        true => are_there && !names.is_empty() && names.len() == table.columns().len(),
        // Without rows a parser has named no columns, and a file may have none either.
        false => are_there,
    }
}

/// Whether what the reader takes for rows are rows, whatever a parser calls their columns. Any text is a table of one
/// column, a header that is only likely makes one row more or less, and the rows of a lone JSON object may be in it.
fn is_certain(table: &Table) -> bool {
    const SURE: f64 = 0.7;
    match table.dialect() {
        Some(dialect) => table.columns().len() > 1 && dialect.header_confidence >= SURE,
        None => !table.is_lone_object(),
    }
}

fn open(files: &DataFiles, path: &str) -> Result<std::fs::File, (Category, String, u64)> {
    files.open(path).map(crate::data::files::DataFile::into_file).map_err(|error| unopened(&error))
}

fn unopened(error: &FileError) -> (Category, String, u64) {
    let category = match error {
        FileError::NotFound { .. } => Category::FileNotFound,
        _ => Category::Unknown,
    };
    (category, error.to_string(), 0)
}

fn read(files: &DataFiles, path: &str, wanted: &[WantedColumn], stop: &CancellationToken) -> Outcome {
    let file = files.clone().until(stop).open(path).map_err(|error| unopened(&error))?;
    let broken = |error: &dyn std::error::Error, rows| (Category::ParseError, error.to_string(), rows);
    let table = Table::open(file, &ReadOptions::default()).map_err(|error| broken(&error, 0))?;
    let nulls = table.null_tokens();
    let mut readers = Vec::new();
    for wanted in wanted {
        let Some(place) = table.columns().iter().position(|name| *name == wanted.column.name) else {
            let message = format!("there is no column `{}`", wanted.column.name);
            return Err((Category::SchemaViolation, message, 0));
        };
        readers.push((place, wanted, table.converter(Some(place), &wanted.column, &nulls)));
    }
    let mut rows = table.rows().map_err(|error| broken(&error, 0))?;
    let mut row = Row::default();
    while rows.read(&mut row).map_err(|error| broken(&error, rows.count()))? {
        if stop.is_cancelled() {
            return Err((Category::Timeout, "canceled".to_owned(), rows.count()));
        }
        if let Some(surplus) = row.surplus() {
            let message = format!(
                "row {}: {}",
                rows.count(),
                CellFault::LongRow { surplus, width: table.columns().len() }
            );
            return Err((Category::ParseError, message, rows.count()));
        }
        for (place, wanted, converter) in &readers {
            if let Err(error) = converter.value(row.cell(*place)) {
                let category = match (&error, wanted.column.data_type) {
                    (ValueError::Missing, _) => Category::NullNotAllowed,
                    (_, DataType::Date | DataType::Timestamp | DataType::Time) => Category::FormatMismatch,
                    _ => Category::TypeMismatch,
                };
                let message = format!("row {}, column `{}`: {error}", rows.count(), wanted.column.name);
                return Err((category, message, rows.count()));
            }
        }
    }
    Ok(FileYield { rows: rows.count(), rejected: 0, reconciled: true })
}

/// Checks rows against their contract, and drops them.
struct Checking {
    columns: Columns,
    names: Vec<String>,
}

impl RowSink for Checking {
    type Error = Breach;

    fn take(&mut self, batch: Batch) -> Result<(), Breach> {
        if self.names.is_empty() {
            self.names.clone_from(&batch.names);
        }
        self.columns.typed(&batch).map(|_| ())
    }
}

/// Files that exist once each; a call with none is refused.
pub(crate) fn named_files(files: &[String]) -> Result<Vec<String>, ErrorBody> {
    const MOST: usize = 100_000;
    let refuse = |code, reason: String, advice| Err(ErrorBody::new(code, reason, advice).at_field("files"));
    match files.len() {
        0 => refuse(ErrorCode::ParamMissing, "no files are named".to_owned(), "list them with quick_scan"),
        count if count > MOST => refuse(
            ErrorCode::ParamRange,
            format!("{count} files are more than {MOST}"),
            "call once for each part",
        ),
        _ => Ok(files.to_vec()),
    }
}
