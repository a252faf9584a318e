//! Progress, log messages and questions of a running call, on their way to the client.

use std::collections::VecDeque;

use mortise_contract::text::cut_bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use crate::LogLevel;
use crate::input::{AskError, InputRequest};
use crate::json_size::json_bytes;
use crate::limits::{
    LOG_BYTES, LOGS_WAITING, LOGS_WAITING_BYTES, PROGRESS_BYTES, QUESTION_BYTES, QUESTIONS_PER_CALL,
};

/// Filled by the handler, emptied by [`drive_call`](super::drive_call).
#[derive(Debug)]
pub(crate) struct Outbox {
    state: Mutex<OutboxState>,
    filled: Notify,
}

#[derive(Debug, Default)]
struct OutboxState {
    closed: bool,
    reached: Option<f64>,
    progress: Option<Progress>,
    log: VecDeque<WaitingLog>,
    /// The size of all log messages that wait.
    log_bytes: usize,
    dropped: usize,
    questions: VecDeque<Question>,
    /// Questions that were ever put.
    asked: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

#[derive(Debug)]
struct WaitingLog {
    level: LogLevel,
    data: Value,
    bytes: usize,
}

/// A question and where its answer goes.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) request: InputRequest,
    pub(crate) answer: oneshot::Sender<Result<Value, AskError>>,
}

#[derive(Debug)]
pub(crate) enum Item {
    Progress(Progress),
    Log(LogLevel, Value),
    Question(Question),
}

impl Outbox {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), filled: Notify::new() }
    }

    /// An outbox that is never emptied.
    pub(crate) fn closed() -> Self {
        Self {
            state: Mutex::new(OutboxState { closed: true, ..OutboxState::default() }),
            filled: Notify::new(),
        }
    }

    pub(crate) fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        let mut state = self.state.lock();
        let advances = progress.is_finite() && state.reached.is_none_or(|reached| progress > reached);
        if !advances {
            return;
        }
        state.reached = Some(progress);
        let message = message.map(|message| cut_bytes(message, PROGRESS_BYTES));
        let total = total.filter(|total| total.is_finite());
        state.progress = Some(Progress { progress, total, message });
        if !state.closed {
            self.filled.notify_one();
        }
    }

    /// The newest progress that has not been taken.
    pub(crate) fn newest_progress(&self) -> Option<Progress> {
        self.state.lock().progress.clone()
    }

    /// Takes a log message. A note stands for data that is too large.
    pub(crate) fn log(&self, level: LogLevel, mut data: Value) {
        let mut bytes = json_bytes(&data);
        if bytes > LOG_BYTES {
            data = json!(format!("[{bytes} bytes were left out: a log message may have {LOG_BYTES}]"));
            bytes = json_bytes(&data);
        }
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        if state.log.len() >= LOGS_WAITING || state.log_bytes + bytes > LOGS_WAITING_BYTES {
            state.dropped += 1;
            return;
        }
        state.log_bytes += bytes;
        state.log.push_back(WaitingLog { level, data, bytes });
        self.filled.notify_one();
    }

    pub(crate) async fn ask(&self, request: InputRequest) -> Result<Value, AskError> {
        let bytes = json_bytes(request.params());
        if bytes > QUESTION_BYTES {
            let (method, limit) = (request.method(), QUESTION_BYTES);
            return Err(AskError::TooLarge { method, bytes, limit });
        }
        let (answer, answered) = oneshot::channel();
        {
            let mut state = self.state.lock();
            if state.closed {
                return Err(AskError::Unsupported { method: request.method() });
            }
            if state.asked >= QUESTIONS_PER_CALL {
                return Err(AskError::TooManyQuestions { limit: QUESTIONS_PER_CALL });
            }
            state.asked += 1;
            state.questions.push_back(Question { request, answer });
            self.filled.notify_one();
        }
        answered.await.unwrap_or(Err(AskError::Gone))
    }

    /// Waits for the next item. What was said before a question goes out before it.
    pub(crate) async fn next(&self) -> Item {
        loop {
            // Registered before looking, so that a fill in between is not missed.
            let filled = self.filled.notified();
            if let Some(item) = self.take() {
                return item;
            }
            filled.await;
        }
    }

    /// The next item if there is one.
    pub(crate) fn take(&self) -> Option<Item> {
        let mut state = self.state.lock();
        if let Some(WaitingLog { level, data, bytes }) = state.log.pop_front() {
            state.log_bytes -= bytes;
            return Some(Item::Log(level, data));
        }
        if std::mem::take(&mut state.dropped).checked_sub(1).is_some() {
            let text = format!(
                "log messages were dropped: more than {LOGS_WAITING}, or {LOGS_WAITING_BYTES} bytes, were waiting"
            );
            return Some(Item::Log(LogLevel::Warning, json!(text)));
        }
        if let Some(progress) = state.progress.take() {
            return Some(Item::Progress(progress));
        }
        state.questions.pop_front().map(Item::Question)
    }

    /// The next question, whatever else waits.
    pub(crate) fn take_question(&self) -> Option<Question> {
        self.state.lock().questions.pop_front()
    }

    /// Nothing more is taken: the request is over.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        *state = OutboxState { closed: true, ..OutboxState::default() };
    }
}

#[cfg(test)]
mod tests;
