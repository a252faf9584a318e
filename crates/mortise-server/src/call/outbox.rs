//! Progress, log messages and questions of a running call, on their way to the client.

use std::collections::VecDeque;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use crate::LogLevel;
use crate::input::{AskError, InputRequest};
use crate::limits::{LOGS_WAITING, QUESTIONS_PER_CALL};

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
    log: VecDeque<(LogLevel, Value)>,
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
        let total = total.filter(|total| total.is_finite());
        state.progress = Some(Progress { progress, total, message: message.map(str::to_owned) });
        if !state.closed {
            self.filled.notify_one();
        }
    }

    /// The newest progress that has not been taken.
    pub(crate) fn newest_progress(&self) -> Option<Progress> {
        self.state.lock().progress.clone()
    }

    pub(crate) fn log(&self, level: LogLevel, data: Value) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        if state.log.len() >= LOGS_WAITING {
            state.dropped += 1;
            return;
        }
        state.log.push_back((level, data));
        self.filled.notify_one();
    }

    pub(crate) async fn ask(&self, request: InputRequest) -> Result<Value, AskError> {
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
        if let Some((level, data)) = state.log.pop_front() {
            return Some(Item::Log(level, data));
        }
        if std::mem::take(&mut state.dropped).checked_sub(1).is_some() {
            let text = format!("log messages were dropped: more than {LOGS_WAITING} were waiting");
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
