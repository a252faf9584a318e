//! Files to tables: one file in, one table out, which appears whole or not at all.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use mortise_script::Engine;
use tokio_util::sync::CancellationToken;

use crate::data::data_type::Column;
use crate::data::files::{Existing, FileError, Files, OutputFile, settled};
use crate::data::nulls::NullTokens;
use crate::data::table::{ReadOptions, Table};
use crate::parsers::batch::Batch;
use crate::parsers::check::{self, Breach, TypedBatch};
use crate::parsers::plan::{SinkKind, topic};
use crate::parsers::planning::{self, Wanted};
use crate::parsers::run::{Content, Failure, Job, RowSink, run};
use crate::parsers::subject::Method;
use crate::parsers::validate::explain;
use crate::store::table::{TableError, TableWriter};

/// Rows that the built-in reader writes at once.
const BATCH_ROWS: usize = 8_192;

/// How files become tables.
pub struct Pipeline {
    /// The files.
    pub files: Files,
    /// What reads them.
    pub method: Method,
    /// The columns that rows must have; without them rows are taken as they come.
    pub contract: Option<Vec<Wanted>>,
    /// The kind of table.
    pub sink: SinkKind,
    /// The folder for tables, below the output folder.
    pub folder: PathBuf,
    /// Whether anything is written.
    pub mode: Mode,
    /// Whether a table that is there is replaced.
    pub existing: Existing,
    /// Ends everything.
    pub cancel: CancellationToken,
}

/// What a run of a pipeline does.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every file.
    #[default]
    Full,
    /// Files whose table is missing or older.
    Incremental,
    /// Every file, and nothing is written.
    DryRun,
}

/// What came of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A table, or none if the file has neither rows nor a contract, or nothing was to be written.
    Written {
        /// Rows.
        rows: u64,
        /// Where.
        output: Option<PathBuf>,
    },
    /// Its table is newer than the file.
    Skipped {
        /// Where.
        output: PathBuf,
    },
    /// It failed; nothing was written.
    Failed {
        /// Rows before that.
        rows: u64,
        /// Why.
        reason: String,
    },
}

/// Why files can't become tables side by side.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// One file under two names.
    #[error("`{first}` and `{second}` are the same file")]
    Twice {
        /// A file.
        first: String,
        /// The same.
        second: String,
    },
    /// Two files with one table.
    #[error("the rows of `{first}` and of `{second}` would go to the same table `{table}`")]
    Shared {
        /// A file.
        first: String,
        /// Another.
        second: String,
        /// Their table.
        table: String,
    },
    /// A table in the place of a file that is read.
    #[error("the table of `{file}` would take the place of `{input}`, which is read")]
    Input {
        /// The file with the table.
        file: String,
        /// The file that would be lost.
        input: String,
    },
    /// A table among the files of the wizards.
    #[error("the table of `{file}` would lie in the folder of drafts and contracts")]
    Reserved {
        /// The file with the table.
        file: String,
    },
}

impl Pipeline {
    /// The table of every file, relative to the folder of tables. Files that would share a table keep their whole
    /// names. No table is a file that is read, or lies below `reserved`.
    ///
    /// # Errors
    ///
    /// When that can't be.
    pub fn targets(&self, files: &[String], reserved: &Path) -> Result<Vec<PathBuf>, TargetError> {
        let resolved: Vec<Option<PathBuf>> = files.iter().map(|raw| self.files.resolve(raw).ok()).collect();
        let mut inputs: HashMap<&Path, &String> = HashMap::new();
        for (raw, path) in files.iter().zip(&resolved) {
            let Some(path) = path else { continue };
            if let Some(first) = inputs.insert(path, raw) {
                return Err(TargetError::Twice { first: first.clone(), second: raw.clone() });
            }
        }
        // What is not there has a table too, and fails when it is its turn.
        let shown: Vec<String> = files
            .iter()
            .zip(&resolved)
            .map(|(raw, path)| path.as_ref().map_or_else(|| raw.clone(), |path| self.files.shown(path)))
            .collect();
        let short: Vec<PathBuf> = shown.iter().map(|shown| table_path(shown, self.sink)).collect();
        let mut sharing: HashMap<&Path, usize> = HashMap::new();
        short.iter().for_each(|table| *sharing.entry(table).or_default() += 1);
        let table = |(shown, short): (&String, &PathBuf)| match sharing.get(short.as_path()) {
            Some(2..) => whole_table_path(shown, self.sink),
            _ => short.clone(),
        };
        let tables: Vec<PathBuf> = shown.iter().zip(&short).map(table).collect();
        let reserved = settled(reserved);
        let mut taken: HashMap<&Path, &String> = HashMap::new();
        for (raw, table) in files.iter().zip(&tables) {
            if let Some(first) = taken.insert(table, raw) {
                let table = table.display().to_string();
                return Err(TargetError::Shared { first: first.clone(), second: raw.clone(), table });
            }
            let target = settled(&self.folder.join(table));
            if let Some(input) = inputs.get(target.as_path()) {
                return Err(TargetError::Input { file: raw.clone(), input: (*input).clone() });
            }
            if target.starts_with(&reserved) {
                return Err(TargetError::Reserved { file: raw.clone() });
            }
        }
        Ok(tables)
    }

    /// Makes the table of one file, under the name that [`Pipeline::targets`] gave it.
    pub async fn process(&self, path: &str, table: &Path) -> Outcome {
        match self.attempt(path, table).await {
            Ok(outcome) => outcome,
            Err((rows, reason)) => Outcome::Failed { rows, reason },
        }
    }

    async fn attempt(&self, path: &str, name: &Path) -> Result<Outcome, (u64, String)> {
        let before = |error: FileError| (0, with_cause(&error));
        let file = self.files.open(path).map_err(before)?;
        let target = self.folder.join(name);
        if self.mode == Mode::Incremental && is_newer(&target, file.modified()) {
            return Ok(Outcome::Skipped { output: target });
        }
        let existing = if self.mode == Mode::Incremental { Existing::Replace } else { self.existing };
        let output = match self.mode {
            Mode::DryRun => None,
            _ => Some(self.files.create_in(&self.folder, name, existing).map_err(before)?),
        };
        let columns = self.contract.as_ref().map(|wanted| wanted.iter().map(Wanted::output).collect());
        let stem = topic(&name.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default());
        let writing = Writing { columns, writer: None, output, sink: self.sink, table: stem };
        match &self.method {
            Method::Parser { engine, code } => {
                self.parse(engine, code, path, file.into_file(), writing).await
            }
            Method::Reader => self.read(path, writing).await,
        }
    }

    async fn parse(
        &self,
        engine: &Engine,
        code: &str,
        path: &str,
        file: std::fs::File,
        writing: Writing,
    ) -> Result<Outcome, (u64, String)> {
        let job =
            Job { code: code.to_owned(), content: Content::File(file), name: path.to_owned(), wall: None };
        let run = run(engine, job, writing, &self.cancel).await.map_err(|error| (0, error.to_string()))?;
        if let Some(failure) = run.failure {
            return Err((run.rows, explained(failure)));
        }
        finished(run.rows, run.sink).await
    }

    async fn read(&self, path: &str, mut writing: Writing) -> Result<Outcome, (u64, String)> {
        let (files, path, stop) = (self.files.clone(), path.to_owned(), self.cancel.clone());
        let wanted = self.contract.clone().unwrap_or_default();
        let reading = tokio::task::spawn_blocking(move || {
            let rows = copy(&files, &path, &wanted, &mut writing, &stop)?;
            Ok((rows, writing))
        });
        let (rows, writing) =
            reading.await.map_err(|_| (0, "the reading stopped".to_owned())).and_then(|result| result)?;
        finished(rows, writing).await
    }
}

async fn finished(rows: u64, writing: Writing) -> Result<Outcome, (u64, String)> {
    let finishing = tokio::task::spawn_blocking(move || writing.finish());
    let output = finishing.await.map_err(|_| (rows, "the writing stopped".to_owned()))?;
    let output = output.map_err(|error| (rows, with_cause(&error)))?;
    Ok(Outcome::Written { rows, output })
}

/// Writes the rows of a file as the built-in reader sees them.
fn copy(
    files: &Files,
    path: &str,
    wanted: &[Wanted],
    writing: &mut Writing,
    stop: &CancellationToken,
) -> Result<u64, (u64, String)> {
    let table = files.open(path).map_err(|error| (0, with_cause(&error)))?;
    let table = Table::open(table, &ReadOptions::default()).map_err(|error| (0, with_cause(&error)))?;
    let rows = planning::expected(&table, wanted, &NullTokens::default(), stop)
        .map_err(|error| (0, with_cause(&error)))?;
    let mut batch = TypedBatch { first: 1, columns: vec![Vec::new(); wanted.len()] };
    let mut count = 0;
    for row in rows {
        let row = row.map_err(|reason| (count, reason))?;
        count += 1;
        for ((value, column), wanted) in row.into_iter().zip(&mut batch.columns).zip(wanted) {
            let value = value.map_err(|reason| {
                (count, format!("row {count}, column `{}`: {reason}", wanted.column.name))
            })?;
            column.push(value);
        }
        if batch.len() == BATCH_ROWS {
            writing.write(&batch).map_err(|error| (count, with_cause(&error)))?;
            batch.first = count + 1;
            batch.columns.iter_mut().for_each(Vec::clear);
        }
    }
    if !batch.is_empty() {
        writing.write(&batch).map_err(|error| (count, with_cause(&error)))?;
    }
    Ok(count)
}

/// A table in the making.
struct Writing {
    columns: Option<Vec<Column>>,
    writer: Option<TableWriter>,
    output: Option<OutputFile>,
    sink: SinkKind,
    table: String,
}

/// Why rows are not written.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error(transparent)]
    Breach(#[from] Breach),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl Writing {
    fn write(&mut self, batch: &TypedBatch) -> Result<(), WriteError> {
        let Some(output) = &self.output else { return Ok(()) };
        if self.writer.is_none() {
            let columns = self.columns.as_deref().unwrap_or_default();
            self.writer = Some(TableWriter::create(self.sink, output.path(), &self.table, columns)?);
        }
        if let Some(writer) = &mut self.writer {
            writer.write(batch)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Option<PathBuf>, WriteError> {
        let Some(output) = self.output else { return Ok(None) };
        if let (None, Some(columns)) = (&self.writer, &self.columns) {
            // No rows, and still a table: its columns are known.
            self.writer = Some(TableWriter::create(self.sink, output.path(), &self.table, columns)?);
        }
        let Some(writer) = self.writer else { return Ok(None) };
        writer.finish()?;
        Ok(Some(output.commit()?))
    }
}

impl RowSink for Writing {
    type Error = WriteError;

    fn loaded(&mut self, table: Option<String>) {
        if let Some(table) = table.filter(|table| !table.trim().is_empty()) {
            self.table = table;
        }
    }

    fn take(&mut self, batch: Batch) -> Result<(), WriteError> {
        let columns = self.columns.get_or_insert_with(|| check::columns_of(&batch));
        let typed = check::typed(&batch, columns)?;
        self.write(&typed)
    }
}

fn explained(failure: Failure<WriteError>) -> String {
    match failure {
        Failure::Refused(WriteError::Breach(breach)) => explain(&Failure::Refused(breach)),
        Failure::Refused(error) => with_cause(&error),
        Failure::Raised(raised) => explain(&Failure::Raised(raised)),
        Failure::Stopped { kind, message } => explain(&Failure::Stopped { kind, message }),
    }
}

/// The table of a file, relative to the folder of tables: the file's own path with another ending.
fn table_path(shown: &str, sink: SinkKind) -> PathBuf {
    let mut path = below(shown);
    if path.extension().is_some_and(|ending| ending == "gz") {
        path.set_extension("");
    }
    path.set_extension(sink.extension());
    path
}

/// The same with the file's own ending before the other.
fn whole_table_path(shown: &str, sink: SinkKind) -> PathBuf {
    let mut path = below(shown).into_os_string();
    path.push(".");
    path.push(sink.extension());
    path.into()
}

fn below(shown: &str) -> PathBuf {
    Path::new(shown).components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

fn is_newer(table: &Path, file: Option<SystemTime>) -> bool {
    let table = table.metadata().and_then(|metadata| metadata.modified()).ok();
    matches!((table, file), (Some(table), Some(file)) if table >= file)
}

fn with_cause(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
