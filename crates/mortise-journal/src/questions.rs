//! What people were asked about runs, and what they decided.

use std::path::PathBuf;

use mortise_contract::approval::{ApprovalDecision, ApprovalQuestion};
use mortise_executor::approvals::{
    ApprovalStore, ApprovalStoreError, AskedQuestion, QuestionId, StoreFuture,
};
use rusqlite::{Connection, Row, params};

use crate::directory::JournalDirectory;
use crate::live_run::{signed, unsigned};
use crate::wall_clock::now_ms;

/// The questions of all runs, in the journal's database. Any process may put, read and decide them.
#[derive(Clone, Debug)]
pub struct QuestionTable {
    directory: JournalDirectory,
}

/// A question with the time at which it was asked.
#[derive(Clone, Debug)]
pub struct RunQuestion {
    pub asked: AskedQuestion,
    /// Milliseconds since 1970.
    pub asked_ms: u64,
}

/// What a decision came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionTaken {
    /// It counts.
    Yes,
    /// Another one was there already.
    Late,
    /// There is no such question.
    NoQuestion,
}

const COLUMNS: &str = "run, number, asked_ms, question, decision";

impl QuestionTable {
    /// The questions of the journal in this folder.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory: JournalDirectory::new(directory) }
    }

    /// The questions without a decision, the oldest first.
    ///
    /// # Errors
    ///
    /// When the database can't be read.
    pub fn open_questions(&self) -> Result<Vec<RunQuestion>, ApprovalStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM questions WHERE decision IS NULL ORDER BY asked_ms");
        self.read(|connection| connection.prepare_cached(&sql)?.query_map([], read_question)?.collect())
    }

    /// The question of this name.
    ///
    /// # Errors
    ///
    /// When the database can't be read.
    pub fn question(&self, id: &QuestionId) -> Result<Option<RunQuestion>, ApprovalStoreError> {
        Ok(self.of_run(id.run())?.into_iter().find(|question| question.asked.id == *id))
    }

    /// The questions of a run, the first one first.
    ///
    /// # Errors
    ///
    /// When the database can't be read.
    pub fn of_run(&self, run: &str) -> Result<Vec<RunQuestion>, ApprovalStoreError> {
        let sql = format!("SELECT {COLUMNS} FROM questions WHERE run = ?1 ORDER BY number");
        self.read(|connection| connection.prepare_cached(&sql)?.query_map([run], read_question)?.collect())
    }

    /// Decides a question, unless it has been decided.
    ///
    /// # Errors
    ///
    /// When the database can't be written.
    pub fn decide(
        &self,
        id: &QuestionId,
        decision: &ApprovalDecision,
    ) -> Result<DecisionTaken, ApprovalStoreError> {
        let text = serde_json::to_string(decision).map_err(|error| failed(&error))?;
        let sql = "UPDATE questions SET decision = ?3 WHERE run = ?1 AND number = ?2 AND decision IS NULL";
        let changed =
            self.write(|connection| connection.execute(sql, params![id.run(), id.number(), text]))?;
        Ok(match changed {
            1.. => DecisionTaken::Yes,
            0 if self.question(id)?.is_some() => DecisionTaken::Late,
            0 => DecisionTaken::NoQuestion,
        })
    }

    fn put(&self, id: &QuestionId, question: &ApprovalQuestion) -> Result<(), ApprovalStoreError> {
        let text = serde_json::to_string(question).map_err(|error| failed(&error))?;
        let sql = "INSERT INTO questions (run, number, asked_ms, question) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (run, number) DO NOTHING";
        let asked_ms = signed(now_ms());
        self.write(|connection| connection.execute(sql, params![id.run(), id.number(), asked_ms, text]))?;
        Ok(())
    }

    fn read<T: Default>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, ApprovalStoreError> {
        match self.directory.open_existing().map_err(|error| failed(&error))? {
            Some(connection) => query(&connection).map_err(|error| failed(&error)),
            None => Ok(T::default()),
        }
    }

    fn write(
        &self,
        change: impl FnOnce(&Connection) -> Result<usize, rusqlite::Error>,
    ) -> Result<usize, ApprovalStoreError> {
        let connection = match self.directory.open_existing().map_err(|error| failed(&error))? {
            Some(connection) => connection,
            None => self.directory.open_or_create().map_err(|error| failed(&error))?.connection,
        };
        change(&connection).map_err(|error| failed(&error))
    }
}

/// Reads a row of [`COLUMNS`].
fn read_question(row: &Row<'_>) -> Result<RunQuestion, rusqlite::Error> {
    let (run, number): (String, u32) = (row.get(0)?, row.get(1)?);
    let asked_ms = unsigned(row, 2)?;
    let (question, decision): (String, Option<String>) = (row.get(3)?, row.get(4)?);
    let damaged = |column: usize, error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    };
    let question = serde_json::from_str(&question).map_err(|error| damaged(3, error))?;
    let decision = decision.map(|text| serde_json::from_str(&text)).transpose();
    let decision = decision.map_err(|error| damaged(4, error))?;
    Ok(RunQuestion {
        asked: AskedQuestion { id: QuestionId::new(&run, number), question, decision },
        asked_ms,
    })
}

fn failed(error: &(dyn std::error::Error + 'static)) -> ApprovalStoreError {
    ApprovalStoreError { reason: mortise_contract::text::error_chain(error) }
}

impl ApprovalStore for QuestionTable {
    fn put_question<'a>(&'a self, id: &'a QuestionId, question: &'a ApprovalQuestion) -> StoreFuture<'a, ()> {
        let (table, id, question) = (self.clone(), id.clone(), question.clone());
        in_thread(move || table.put(&id, &question))
    }

    fn questions_of<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<AskedQuestion>> {
        let (table, run) = (self.clone(), run.to_owned());
        in_thread(move || Ok(table.of_run(&run)?.into_iter().map(|question| question.asked).collect()))
    }

    fn decision_for<'a>(&'a self, id: &'a QuestionId) -> StoreFuture<'a, Option<ApprovalDecision>> {
        let (table, id) = (self.clone(), id.clone());
        in_thread(move || Ok(table.question(&id)?.and_then(|question| question.asked.decision)))
    }

    fn record_decision<'a>(
        &'a self,
        id: &'a QuestionId,
        decision: &'a ApprovalDecision,
    ) -> StoreFuture<'a, ()> {
        let (table, id, decision) = (self.clone(), id.clone(), decision.clone());
        in_thread(move || table.decide(&id, &decision).map(drop))
    }
}

/// Does what waits for a disk on a thread that may wait.
fn in_thread<'a, T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApprovalStoreError> + Send + 'static,
) -> StoreFuture<'a, T> {
    Box::pin(async move {
        let stopped = |_| ApprovalStoreError { reason: "the thread that keeps them stopped".to_owned() };
        tokio::task::spawn_blocking(work).await.map_err(stopped)?
    })
}
