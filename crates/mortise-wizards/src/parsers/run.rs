//! Runs `parse()` of one parser on one file in the embedded interpreter.
//!
//! The parser sees the file, read-only under its own name, and nothing else. Its rows leave in batches as calls of a
//! tool that only the harness around it knows; while the receiver is behind, the parser waits. So neither side ever
//! holds more than a few batches, however long the file is.

use std::fs::File;
use std::io::{self, Seek as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_script::{
    CallRequest, CallValue, Engine, FailureKind, HostError, HostErrorKind, Limits, MountError, MountedFile,
    Program, ProgramError, RunError, ToolHost,
};
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::data::bounds::INFLATION;
use crate::data::source::grows_too_much;
use crate::parsers::batch::Batch;

/// The Python code around a parser.
const HARNESS: &str = include_str!("harness.py");

/// Rows that are handed over at once.
const BATCH_ROWS: usize = 2_000;

/// Batches between the parser and its receiver.
const BATCHES_WAITING: usize = 2;

/// How long the receiver may take for one batch.
const LONGEST_BATCH: Duration = Duration::from_hours(1);

/// Two thousand million rows.
const MOST_BATCHES: usize = 1 << 20;

const ROWS: &str = "mortise_rows";
const LOADED: &str = "mortise_loaded";
const FAILED: &str = "mortise_failed";
const DONE: &str = "mortise_done";

/// One parser and one file.
#[derive(Debug)]
pub struct ParserJob {
    /// The parser's Python source.
    pub code: String,
    /// The data file.
    pub content: ParserContent,
    /// The name under which the parser sees the file.
    pub name: String,
    /// How long it may take; `None` for as long as the caller waits.
    pub wall: Option<Duration>,
    /// What a compressed file may become before its growth is judged, as [`INFLATED_BYTES`] says.
    ///
    /// [`INFLATED_BYTES`]: crate::data::bounds::INFLATED_BYTES
    pub inflated: u64,
}

/// What the data file holds.
#[derive(Debug)]
pub enum ParserContent {
    /// An open file.
    File(File),
    /// Bytes in memory.
    Bytes(Vec<u8>),
}

/// Takes the rows of a parser. Runs on a thread where it may block.
pub trait RowSink: Send + 'static {
    /// Why rows are not taken.
    type Error: Send + 'static;

    /// Hears the table name that the parser declares, before the first rows.
    fn loaded(&mut self, _table: Option<String>) {}

    /// Takes the next rows; an error stops the parser.
    fn take(&mut self, batch: Batch) -> Result<(), Self::Error>;
}

/// What came of a run.
#[derive(Debug)]
pub struct ParserRun<S: RowSink> {
    /// Rows handed over.
    pub rows: u64,
    /// Rows that the parser says it left out.
    pub rejected: u64,
    /// What it printed.
    pub output: String,
    /// The receiver.
    pub sink: S,
    /// Why it did not come to its end.
    pub failure: Option<ParserFailure<S::Error>>,
}

/// Why a parser did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParserFailure<E> {
    /// The parser raised.
    Raised(Box<Raised>),
    /// A limit, or the interpreter itself.
    Stopped {
        /// The class of failure.
        kind: FailureKind,
        message: String,
    },
    /// The receiver did not take the rows.
    Refused(E),
}

/// An exception of a parser, with the facts that it carries.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raised {
    /// Where: while the module was loaded, or in `parse()`.
    pub stage: Stage,
    #[serde(rename = "type")]
    pub class: String,
    /// The class and what it is made of, most special first.
    pub bases: Vec<String>,
    pub message: String,
    /// The parser's line, from 1.
    #[serde(default)]
    pub line: Option<u32>,
    /// The row, if the exception says.
    #[serde(default)]
    pub row: Option<serde_json::Value>,
    /// The column, if the exception says.
    #[serde(default)]
    pub column: Option<serde_json::Value>,
    /// The value, if the exception says.
    #[serde(default)]
    pub value: Option<serde_json::Value>,
}

impl Raised {
    /// Whether the exception is of a class or a special kind of it.
    pub fn is(&self, class: &str) -> bool {
        self.bases.iter().any(|base| base == class)
    }

    /// The column's name, if the exception says.
    pub fn column_name(&self) -> Option<&str> {
        self.column.as_ref()?.as_str()
    }
}

/// How far a parser came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Its module was being loaded.
    Load,
    /// `parse()` was running.
    Parse,
}

/// Why a parser was not started.
#[derive(Debug, thiserror::Error)]
pub enum NotRun {
    /// The file can't be mounted.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// A compressed file grows too much.
    #[error("the file becomes more than {INFLATION} times larger when it is uncompressed")]
    Inflated,
    /// Too many programs wait.
    #[error(transparent)]
    Busy(#[from] RunError),
    /// The thread that takes the rows died: our own bug.
    #[error("the receiver of the rows stopped")]
    Receiver,
}

/// Runs a parser to its end, its limits or its cancellation.
///
/// # Errors
///
/// When it could not be started. A parser that fails is a [`ParserRun`] with a failure.
pub async fn run<S: RowSink>(
    engine: &Engine,
    job: ParserJob,
    sink: S,
    cancel: &CancellationToken,
) -> Result<ParserRun<S>, NotRun> {
    let guest_name = guest_name(&job.name);
    let content = unless_it_grows(job.content, job.inflated, cancel).await?;
    let mut program = Program::new(HARNESS);
    let size = match &content {
        ParserContent::File(file) => file.metadata().map_or(0, |metadata| metadata.len()),
        ParserContent::Bytes(bytes) => bytes.len() as u64,
    };
    let inflated = job.inflated.max(size.saturating_mul(INFLATION));
    program.arguments =
        vec![job.code, format!("/{guest_name}"), BATCH_ROWS.to_string(), inflated.to_string()];
    program.tools = [ROWS, LOADED, FAILED, DONE].into_iter().collect();
    program.files = vec![match content {
        ParserContent::File(file) => MountedFile::opened(&guest_name, file)?,
        ParserContent::Bytes(bytes) => MountedFile::bytes(&guest_name, bytes)?,
    }];
    program.limits = Limits {
        wall: job.wall.unwrap_or(Duration::MAX),
        call: LONGEST_BATCH,
        calls: MOST_BATCHES,
        ..Limits::default()
    };
    let (send, receive) = mpsc::channel(BATCHES_WAITING);
    let desk = Arc::new(HarnessDesk { send: Mutex::new(Some(send)), word: Mutex::default() });
    let receiving = tokio::task::spawn_blocking(move || drain(sink, receive));
    let report = engine.run_program(program, Arc::clone(&desk), (), cancel).await;
    desk.close();
    let (sink, rows, refused) = receiving.await.map_err(|_| NotRun::Receiver)?;
    let report = report?;
    let word = std::mem::take(&mut *desk.word.lock());
    let failure = match (refused, word.raised, report.error) {
        (Some(error), _, _) => Some(ParserFailure::Refused(error)),
        (None, Some(raised), None) => Some(ParserFailure::Raised(Box::new(raised))),
        (None, _, Some(error)) => Some(stopped(error)),
        (None, None, None) if !word.done => Some(ParserFailure::Stopped {
            kind: FailureKind::Exit,
            message: "the parser ended the interpreter".to_owned(),
        }),
        (None, None, None) => None,
    };
    Ok(ParserRun { rows, rejected: word.rejected, output: report.output, sink, failure })
}

/// The content, unless it grows too much. A parser would take minutes to see that, where we take seconds.
async fn unless_it_grows(
    content: ParserContent,
    unjudged: u64,
    cancel: &CancellationToken,
) -> Result<ParserContent, NotRun> {
    let stop = cancel.child_token();
    let _ended = stop.clone().drop_guard();
    let checking = tokio::task::spawn_blocking(move || {
        let grows = match &content {
            ParserContent::Bytes(bytes) => grows_too_much(bytes.as_slice(), unjudged, &stop),
            ParserContent::File(file) => file_grows_too_much(file, unjudged, &stop).unwrap_or(false),
        };
        if grows { Err(NotRun::Inflated) } else { Ok(content) }
    });
    checking.await.map_err(|_| NotRun::Receiver)?
}

/// What can't be read is left to the parser.
fn file_grows_too_much(mut file: &File, unjudged: u64, stop: &CancellationToken) -> io::Result<bool> {
    file.rewind()?;
    let grows = grows_too_much(file, unjudged, stop);
    file.rewind()?;
    Ok(grows)
}

fn stopped<E>(error: ProgramError) -> ParserFailure<E> {
    ParserFailure::Stopped { kind: error.kind, message: error.message }
}

/// Takes batches until there are no more or one is refused.
fn drain<S: RowSink>(mut sink: S, mut receive: mpsc::Receiver<Message>) -> (S, u64, Option<S::Error>) {
    let mut rows = 0;
    while let Some(message) = receive.blocking_recv() {
        let batch = match message {
            Message::Loaded(table) => {
                sink.loaded(table);
                continue;
            }
            Message::Rows(batch) => batch,
        };
        let count = batch.len() as u64;
        if let Err(error) = sink.take(batch) {
            return (sink, rows, Some(error));
        }
        rows += count;
    }
    (sink, rows, None)
}

/// The name under which a parser sees its file: the file's own, as far as the interpreter can have it.
fn guest_name(name: &str) -> String {
    let last = Path::new(name).file_name().map_or_else(|| name.into(), |name| name.to_string_lossy());
    let plain: String = last.chars().map(|c| if c.is_control() || c == '/' { '_' } else { c }).collect();
    match plain.as_str() {
        "" | "." | ".." | "usr" => "data".to_owned(),
        _ => plain,
    }
}

/// What goes from the harness to the receiver.
enum Message {
    Loaded(Option<String>),
    Rows(Batch),
}

/// Answers the harness. What a parser does to the harness only changes what is said about the parser.
struct HarnessDesk {
    send: Mutex<Option<mpsc::Sender<Message>>>,
    word: Mutex<Word>,
}

/// What the harness said besides rows.
#[derive(Default)]
struct Word {
    raised: Option<Raised>,
    rejected: u64,
    done: bool,
}

#[derive(Deserialize)]
struct LoadedWord {
    #[serde(default)]
    table: Option<String>,
}

#[derive(Deserialize)]
struct DoneWord {
    rejected: u64,
}

impl HarnessDesk {
    fn close(&self) {
        *self.send.lock() = None;
    }

    fn note(&self, change: impl FnOnce(&mut Word)) {
        change(&mut self.word.lock());
    }

    async fn pass_on(&self, message: Message) -> Result<(), HostError> {
        let gone = || HostError::new(HostErrorKind::Internal, "the rows are not taken any more");
        let send = self.send.lock().clone();
        send.ok_or_else(gone)?.send(message).await.map_err(|_| gone())
    }
}

fn read<'a, T: Deserialize<'a>>(arguments: &'a RawJson) -> Result<T, HostError> {
    serde_json::from_str(arguments.text())
        .map_err(|_| HostError::new(HostErrorKind::Internal, "the harness was not used as it is meant"))
}

impl ToolHost for HarnessDesk {
    async fn call(&self, request: CallRequest) -> Result<CallValue, HostError> {
        match request.name.as_str() {
            ROWS => {
                let batch: Batch = read(&request.arguments)?;
                drop(request);
                if !batch.is_sound() {
                    return Err(HostError::new(HostErrorKind::Internal, "the batch is not sound"));
                }
                self.pass_on(Message::Rows(batch)).await?;
            }
            LOADED => {
                let word: LoadedWord = read(&request.arguments)?;
                self.pass_on(Message::Loaded(word.table)).await?;
            }
            FAILED => {
                let raised: Raised = read(&request.arguments)?;
                self.note(|all| {
                    all.raised.get_or_insert(raised);
                });
            }
            _ => {
                let word: DoneWord = read(&request.arguments)?;
                self.note(|all| (all.rejected, all.done) = (word.rejected, true));
            }
        }
        RawJson::from_value(&serde_json::Value::Null)
            .map(CallValue::from)
            .map_err(|_| HostError::new(HostErrorKind::Internal, "null is JSON"))
    }

    async fn inspect_tool(&self, _tool_name: String) -> Result<RawJson, HostError> {
        Err(nothing())
    }

    async fn list_callable_tools(&self) -> Result<RawJson, HostError> {
        Err(nothing())
    }

    async fn server_status(&self) -> Result<RawJson, HostError> {
        Err(nothing())
    }
}

fn nothing() -> HostError {
    HostError::new(HostErrorKind::Unavailable, "a parser has no tools")
}
