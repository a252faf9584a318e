//! Files to tables: one file in, one table out, which appears whole or not at all.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use mortise_contract::text::error_chain;
use mortise_script::Engine;
use tokio_util::sync::CancellationToken;

use crate::data::bounds::INFLATED_BYTES;
use crate::data::files::{DataFile, DataFiles, Existing, FileError, OutputFile, settled};
use crate::data::table::{ReadOptions, Table};
use crate::data::value::Value;
use crate::parsers::batch::Batch;
use crate::parsers::check::{Breach, TypedBatch};
use crate::parsers::columns::Columns;
use crate::parsers::plan::{SinkKind, topic};
use crate::parsers::planning::{self, WantedColumn};
use crate::parsers::run::{ParserContent, ParserFailure, ParserJob, RowSink, run};
use crate::parsers::subject::Method;
use crate::parsers::validate::explain;
use crate::store::assigned::{Assigned, TableRecord};
use crate::store::table::{TableError, TableWriter};

mod budget;

pub(crate) use budget::OutputBudget;
use budget::{Overspent, Spent};

/// Rows that the built-in reader writes at once.
const BATCH_ROWS: usize = 8_192;

/// Rows wait for a column's first value up to this many bytes; after that the column is text.
const HELD_BYTES: usize = 16 << 20;

pub(crate) struct Pipeline {
    pub(crate) files: DataFiles,
    pub(crate) method: Method,
    /// The columns that rows must have; without them rows are taken as they come.
    pub(crate) contract: Option<Vec<WantedColumn>>,
    pub(crate) sink: SinkKind,
    /// The folder for tables, below the output folder.
    pub(crate) folder: PathBuf,
    pub(crate) mode: PipelineMode,
    /// Whether a table that is there is replaced.
    pub(crate) existing: Existing,
    /// The file that records which source each table belongs to.
    pub(crate) record: TableRecord,
    /// Bytes that all tables may take together.
    pub(crate) budget: Arc<OutputBudget>,
    pub(crate) cancel: CancellationToken,
}

/// What a run of a pipeline does.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PipelineMode {
    /// Every file.
    #[default]
    Full,
    /// Files whose table is missing or older.
    Incremental,
    /// Every file, and nothing is written.
    DryRun,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileOutcome {
    /// A table, or none if the file has neither rows nor a contract, or nothing was to be written.
    Written {
        rows: u64,
        output: Option<PathBuf>,
        /// Why the table is not recorded as the file's own.
        unrecorded: Option<String>,
        /// What of the file is not in the table as it was.
        loss: Option<String>,
    },
    /// Its table is newer than the file.
    Skipped { output: PathBuf },
    /// It failed; nothing was written.
    Failed { rows: u64, reason: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableTarget {
    /// The file, resolved, if it is there.
    pub(crate) file: Option<PathBuf>,
    /// Relative to the folder of tables.
    pub(crate) table: PathBuf,
    /// Whether an earlier run made it of the same file.
    pub(crate) known: bool,
}

/// Why files can't become tables side by side.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TargetError {
    /// One file under two names.
    #[error("`{first}` and `{second}` are the same file")]
    Twice { first: String, second: String },
    /// Two files with one table.
    #[error("the rows of `{first}` and of `{second}` would go to the same table `{table}`")]
    Shared { first: String, second: String, table: String },
    /// A table in the place of a file that is read.
    #[error("the table of `{file}` would take the place of `{input}`, which is read")]
    Input {
        file: String,
        /// The file that would be lost.
        input: String,
    },
    /// A table among the files of the wizards.
    #[error("the table of `{file}` would lie in the folder of drafts and contracts")]
    Reserved { file: String },
    /// A table of another file, which would be lost.
    #[error("the table of `{file}` would be `{table}`, which is another file's")]
    Taken { file: String, table: String },
}

impl Pipeline {
    /// The table of every file. A file keeps the table of an earlier run; files that would share one, with each other
    /// or with a file of an earlier run, keep their whole names. No table is a file that is read, or the table of
    /// another, or lies below `reserved`. What is given is reserved in `assigned`.
    pub(crate) fn targets(
        &self,
        files: &[String],
        reserved: &Path,
        assigned: &mut Assigned,
    ) -> Result<Vec<TableTarget>, TargetError> {
        let resolved: Vec<Option<PathBuf>> = files.iter().map(|raw| self.files.resolve(raw).ok()).collect();
        let mut inputs: HashMap<&Path, &String> = HashMap::new();
        for (raw, path) in files.iter().zip(&resolved) {
            let Some(path) = path else { continue };
            if let Some(first) = inputs.insert(path, raw) {
                return Err(TargetError::Twice { first: first.clone(), second: raw.clone() });
            }
        }
        // What is not there has a table too, and fails when it is its turn.
        let placed: Vec<PathBuf> = files
            .iter()
            .zip(&resolved)
            .map(|(raw, path)| self.files.placed(path.as_deref().unwrap_or(Path::new(raw))))
            .collect();
        let short: Vec<PathBuf> = placed.iter().map(|placed| table_path(placed, self.sink)).collect();
        let mut sharing: HashMap<&Path, usize> = HashMap::new();
        short.iter().for_each(|table| *sharing.entry(table).or_default() += 1);
        let table = |((placed, short), file): ((&PathBuf, &PathBuf), &Option<PathBuf>)| {
            let whole = whole_table_path(placed, self.sink);
            let Some(file) = file else { return TableTarget { file: None, table: whole, known: false } };
            let target = |table, known| TableTarget { file: Some(file.clone()), table, known };
            let is_own = |table: &Path| assigned.is_of(&self.folder.join(table), file);
            let shared = sharing.get(short.as_path()).is_some_and(|files| *files > 1)
                || assigned.is_of_another(&self.folder.join(short), file);
            match () {
                () if is_own(short) => target(short.clone(), true),
                () if is_own(&whole) => target(whole, true),
                () if shared => target(whole, false),
                () => target(short.clone(), false),
            }
        };
        let tables: Vec<TableTarget> = placed.iter().zip(&short).zip(&resolved).map(table).collect();
        let reserved = settled(reserved);
        let mut taken: HashMap<&Path, &String> = HashMap::new();
        for (raw, TableTarget { table, file, .. }) in files.iter().zip(&tables) {
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
            if file.as_ref().is_some_and(|file| assigned.is_of_another(&self.folder.join(table), file)) {
                let table = table.display().to_string();
                return Err(TargetError::Taken { file: raw.clone(), table });
            }
        }
        for TableTarget { file, table, known } in &tables {
            let table = self.folder.join(table);
            // A file that another program put there is not touched.
            let free = *known || self.existing == Existing::Replace || table.symlink_metadata().is_err();
            if let Some(file) = file.as_ref().filter(|_| free) {
                assigned.reserve(&table, file);
            }
        }
        Ok(tables)
    }

    /// Makes the table of one file, under the name that [`Pipeline::targets`] gave it.
    pub(crate) async fn process(&self, path: &str, target: &TableTarget) -> FileOutcome {
        match self.attempt(path, target).await {
            Ok(outcome) => outcome,
            Err((rows, reason)) => FileOutcome::Failed { rows, reason },
        }
    }

    async fn attempt(&self, path: &str, target: &TableTarget) -> Result<FileOutcome, (u64, String)> {
        let TableTarget { table: name, known, .. } = target;
        let (files, folder) = (self.files.clone(), self.folder.clone());
        let (raw, table) = (path.to_owned(), name.clone());
        let (mode, known, existing) = (self.mode, *known, self.existing);
        let beginning = tokio::task::spawn_blocking(move || {
            let file = files.open(&raw)?;
            let target = folder.join(&table);
            let renewed = mode == PipelineMode::Incremental && known;
            if renewed && is_newer(&target, file.modified()) {
                return Ok(Begun::Newer { table: target });
            }
            let existing = if renewed { Existing::Replace } else { existing };
            let output = match mode {
                PipelineMode::DryRun => None,
                _ => Some(files.create_in(&folder, &table, existing)?),
            };
            Ok(Begun::Open { file, output })
        });
        let begun = beginning.await.map_err(|_| (0, "the reading stopped".to_owned()))?;
        let (file, output) = match begun.map_err(|error: FileError| (0, error_chain(&error)))? {
            Begun::Newer { table } => return Ok(FileOutcome::Skipped { output: table }),
            Begun::Open { file, output } => (file, output),
        };
        let columns = match (&self.contract, &self.method) {
            (Some(wanted), _) => Columns::of_contract(wanted.iter().map(WantedColumn::output).collect()),
            (None, Method::Parser { columns, .. }) => Columns::of_rows(columns),
            (None, Method::Reader) => Columns::of_rows(&[]),
        };
        let stem = topic(&name.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default());
        let own = self.own(target);
        let writing = Writing {
            columns,
            held: Vec::new(),
            held_bytes: 0,
            writer: None,
            output,
            sink: self.sink,
            table: stem,
            own,
            spent: Spent::new(&self.budget),
            loss: None,
        };
        match &self.method {
            Method::Parser { engine, code, .. } => {
                self.parse(engine, code, path, file.into_file(), writing).await
            }
            Method::Reader => self.read(path, writing).await,
        }
    }

    /// What is to be recorded of a table once it is there; of a known one that was done before.
    fn own(&self, target: &TableTarget) -> Option<OwnTable> {
        let file = target.file.clone().filter(|_| !target.known)?;
        Some(OwnTable { record: self.record.clone(), table: self.folder.join(&target.table), file })
    }

    async fn parse(
        &self,
        engine: &Engine,
        code: &str,
        path: &str,
        file: std::fs::File,
        writing: Writing,
    ) -> Result<FileOutcome, (u64, String)> {
        let job = ParserJob {
            code: code.to_owned(),
            content: ParserContent::File(file),
            name: path.to_owned(),
            wall: None,
            inflated: INFLATED_BYTES,
        };
        let run = run(engine, job, writing, &self.cancel).await.map_err(|error| (0, error.to_string()))?;
        if let Some(failure) = run.failure {
            return Err((run.rows, explained(failure)));
        }
        finished(run.rows, run.sink).await
    }

    async fn read(&self, path: &str, mut writing: Writing) -> Result<FileOutcome, (u64, String)> {
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

/// A file that is about to be read.
enum Begun {
    Newer {
        table: PathBuf,
    },
    /// It is open, and so is its table, if one is written.
    Open {
        file: DataFile,
        output: Option<OutputFile>,
    },
}

/// Moves the table to its path and records its source, on one thread: the caller may be gone by then.
async fn finished(rows: u64, mut writing: Writing) -> Result<FileOutcome, (u64, String)> {
    let loss = writing.loss.take();
    let finishing = tokio::task::spawn_blocking(move || writing.finish());
    let finished = finishing.await.map_err(|_| (rows, "the writing stopped".to_owned()))?;
    let finished = finished.map_err(|error| (rows, error_chain(&error)))?;
    let (output, unrecorded) = finished.map_or((None, None), |(output, reason)| (Some(output), reason));
    Ok(FileOutcome::Written { rows, output, unrecorded, loss })
}

/// Writes the rows of a file as the built-in reader sees them.
fn copy(
    files: &DataFiles,
    path: &str,
    wanted: &[WantedColumn],
    writing: &mut Writing,
    stop: &CancellationToken,
) -> Result<u64, (u64, String)> {
    let table = files.clone().until(stop).open(path).map_err(|error| (0, error_chain(&error)))?;
    let table = Table::open(table, &ReadOptions::default()).map_err(|error| (0, error_chain(&error)))?;
    let mut rows = planning::reading(&table, wanted, None, stop).map_err(|error| (0, error_chain(&error)))?;
    let mut batch = TypedBatch { first: 1, columns: vec![Vec::new(); wanted.len()] };
    let mut count = 0;
    for row in rows.by_ref() {
        let row = row.map_err(|error| (count, error.to_string()))?;
        count += 1;
        for ((value, column), wanted) in row.into_iter().zip(&mut batch.columns).zip(wanted) {
            let value = value.map_err(|reason| {
                (count, format!("row {count}, column `{}`: {reason}", wanted.column.name))
            })?;
            column.push(value);
        }
        if batch.len() == BATCH_ROWS {
            writing.write(&batch).map_err(|error| (count, error_chain(&error)))?;
            batch.first = count + 1;
            batch.columns.iter_mut().for_each(Vec::clear);
        }
    }
    if !batch.is_empty() {
        writing.write(&batch).map_err(|error| (count, error_chain(&error)))?;
    }
    writing.loss = match rows.malformed() {
        0 => None,
        1 => Some(format!("1 place could not be decoded as {}", table.encoding().name())),
        places => Some(format!("{places} places could not be decoded as {}", table.encoding().name())),
    };
    Ok(count)
}

struct Writing {
    columns: Columns,
    /// Rows that wait until the type of every column is known.
    held: Vec<TypedBatch>,
    held_bytes: usize,
    writer: Option<TableWriter>,
    output: Option<OutputFile>,
    sink: SinkKind,
    table: String,
    /// None where nothing new is to be recorded.
    own: Option<OwnTable>,
    /// Bytes of the table so far.
    spent: Spent,
    /// What of the file is not in the table as it was.
    loss: Option<String>,
}

/// A table that becomes a file's own.
struct OwnTable {
    record: TableRecord,
    table: PathBuf,
    file: PathBuf,
}

#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error(transparent)]
    Breach(#[from] Breach),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Overspent(#[from] Overspent),
}

impl Writing {
    fn write(&mut self, batch: &TypedBatch) -> Result<(), WriteError> {
        let Some(output) = &self.output else { return Ok(()) };
        if self.writer.is_none() {
            let columns = self.columns.known().unwrap_or_default();
            self.writer =
                Some(TableWriter::create(self.sink, output.file()?, output.path(), &self.table, columns)?);
        }
        if let Some(writer) = &mut self.writer {
            writer.write(batch)?;
        }
        self.spent.grow_to(output.size()?)?;
        Ok(())
    }

    fn release(&mut self) -> Result<(), WriteError> {
        self.held_bytes = 0;
        for batch in std::mem::take(&mut self.held) {
            self.write(&batch)?;
        }
        Ok(())
    }

    /// Where the table is, and why it is not recorded, if one was to be written.
    fn finish(mut self) -> Result<Option<(PathBuf, Option<String>)>, WriteError> {
        self.release()?;
        let Some(output) = self.output else { return Ok(None) };
        if let (None, Some(columns)) = (&self.writer, self.columns.known()) {
            // No rows, and still a table: its columns are known.
            self.writer =
                Some(TableWriter::create(self.sink, output.file()?, output.path(), &self.table, columns)?);
        }
        let Some(writer) = self.writer else { return Ok(None) };
        writer.finish()?;
        self.spent.grow_to(output.size()?)?;
        let place = output.commit()?;
        self.spent.keep();
        let recorded = self.own.map_or(Ok(()), |own| own.record.written(&own.table, &own.file));
        Ok(Some((place, recorded.err().map(|error| error.reason))))
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
        let typed = self.columns.typed(&batch)?;
        if self.columns.are_open() && self.output.is_some() {
            self.held_bytes += weight(&typed);
            self.held.push(typed);
            if self.held_bytes > HELD_BYTES {
                self.columns.close();
                self.release()?;
            }
            return Ok(());
        }
        self.release()?;
        self.write(&typed)
    }
}

/// About how many bytes rows take.
fn weight(batch: &TypedBatch) -> usize {
    let one = |value: &Value| {
        let beside = match value {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        size_of::<Value>() + beside
    };
    batch.columns.iter().flatten().map(one).sum()
}

fn explained(failure: ParserFailure<WriteError>) -> String {
    match failure {
        ParserFailure::Refused(WriteError::Breach(breach)) => explain(&ParserFailure::Refused(breach)),
        ParserFailure::Refused(error) => error_chain(&error),
        ParserFailure::Raised(raised) => explain(&ParserFailure::Raised(raised)),
        ParserFailure::Stopped { kind, message } => explain(&ParserFailure::Stopped { kind, message }),
    }
}

/// The table of a file, relative to the folder of tables: the file's place with another ending.
fn table_path(placed: &Path, sink: SinkKind) -> PathBuf {
    let mut path = placed.to_owned();
    if path.extension().is_some_and(|ending| ending == "gz") {
        path.set_extension("");
    }
    path.set_extension(sink.extension());
    path
}

/// The same with the file's own ending before the other.
fn whole_table_path(placed: &Path, sink: SinkKind) -> PathBuf {
    let mut path = placed.as_os_str().to_owned();
    path.push(".");
    path.push(sink.extension());
    path.into()
}

fn is_newer(table: &Path, file: Option<SystemTime>) -> bool {
    let table = table.metadata().and_then(|metadata| metadata.modified()).ok();
    matches!((table, file), (Some(table), Some(file)) if table >= file)
}

#[cfg(test)]
mod tests;
