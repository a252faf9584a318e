//! Calls that are answered as tasks: what is kept of each, for whom, and for how long.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::call::outbox::{Progress, Question};
use crate::context::Origin;
use crate::result_text::ResultText;
use crate::{ProtocolError, limits, random, wall_clock};

/// The extension of the protocol that brings tasks.
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A call of a tool that may take long and has not ended by then is answered with a task.
pub const TASK_PATIENCE: Duration = Duration::from_millis(250);

/// How soon a client should ask again: a tenth of the time that the task has taken, within these bounds.
const SHORTEST_POLL: Duration = Duration::from_millis(250);
const LONGEST_POLL: Duration = Duration::from_secs(5);

/// How a tool uses tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskUse {
    /// A call that has not ended by then is answered with a task.
    pub(crate) after: Duration,
    /// Whether clients without tasks are refused.
    pub(crate) is_required: bool,
}

/// The client that a task belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskOwner {
    session: Option<u64>,
    peer: Option<IpAddr>,
}

impl TaskOwner {
    pub(crate) fn of(origin: &Origin) -> Self {
        Self { session: origin.session, peer: origin.peer }
    }

    /// Where requests stand alone the unguessable id is the key, since a client's address may change.
    fn may_see(self, task: &StoredTask) -> bool {
        self.session == task.owner.session
    }
}

/// All tasks of a server, by an unguessable id.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskStore(Arc<Mutex<HashMap<String, StoredTask>>>);

#[derive(Debug)]
struct StoredTask {
    owner: TaskOwner,
    created: Instant,
    created_at: String,
    updated_at: String,
    /// When its client last asked about it.
    asked: Instant,
    message: Option<String>,
    phase: TaskPhase,
    /// Questions that were ever put: their keys are unique.
    questions: usize,
    /// Stops the work.
    cancel: CancellationToken,
    /// Fires when its client has read how it ended.
    read: CancellationToken,
}

#[derive(Debug)]
pub(crate) enum TaskPhase {
    /// At work, waiting for the answers to these questions if there are any.
    Open(BTreeMap<String, Question>),
    Completed(RawJson),
    Failed(ProtocolError),
    Cancelled,
}

impl TaskStore {
    /// Begins a task; `None` when this client, or all together, have as many as may be.
    pub(crate) fn open(&self, owner: TaskOwner, cancel: CancellationToken) -> Option<TaskTicket> {
        let mut tasks = self.0.lock();
        let of_owner = tasks.values().filter(|task| task.owner == owner).count();
        if tasks.len() >= limits::TASKS || of_owner >= limits::TASKS_PER_CLIENT {
            tracing::warn!(all = tasks.len(), of_owner, "no room for a task: the call is answered as usual");
            return None;
        }
        let (now, now_text) = (Instant::now(), wall_clock::now());
        let id = random::hex_id();
        tasks.insert(
            id.clone(),
            StoredTask {
                owner,
                created: now,
                created_at: now_text.clone(),
                updated_at: now_text,
                asked: now,
                message: None,
                phase: TaskPhase::Open(BTreeMap::new()),
                questions: 0,
                cancel,
                read: CancellationToken::new(),
            },
        );
        Some(TaskTicket { store: self.clone(), id })
    }

    /// The answer to `tasks/get`.
    pub(crate) fn get(&self, id: &str, asker: TaskOwner) -> Result<ResultText, ProtocolError> {
        self.with(id, asker, |task| {
            task.asked = Instant::now();
            if !matches!(task.phase, TaskPhase::Open(_)) {
                task.read.cancel();
            }
            let mut text = task.described(id);
            text.members.extend(task.payload());
            text
        })
    }

    /// Hands over answers; one that answers no open question is ignored.
    pub(crate) fn update(
        &self,
        id: &str,
        asker: TaskOwner,
        answers: BTreeMap<String, Value>,
    ) -> Result<(), ProtocolError> {
        self.with(id, asker, |task| {
            task.asked = Instant::now();
            let TaskPhase::Open(questions) = &mut task.phase else { return };
            for (key, answer) in answers {
                if let Some(question) = questions.remove(&key) {
                    // An error means that the handler stopped waiting.
                    let _ = question.answer.send(Ok(answer));
                    task.updated_at = wall_clock::now();
                }
            }
        })
    }

    /// Ends a task; one that has ended stays as it is.
    pub(crate) fn cancel(&self, id: &str, asker: TaskOwner) -> Result<(), ProtocolError> {
        self.with(id, asker, |task| {
            task.asked = Instant::now();
            task.end(TaskPhase::Cancelled);
            task.cancel.cancel();
        })
    }

    fn with<T>(
        &self,
        id: &str,
        asker: TaskOwner,
        work: impl FnOnce(&mut StoredTask) -> T,
    ) -> Result<T, ProtocolError> {
        // One message whether the task is gone or another client's.
        let unknown = || {
            ProtocolError::invalid_params("no such task: its time was up, or this client did not begin it")
        };
        let mut tasks = self.0.lock();
        let task = tasks.get_mut(id).filter(|task| asker.may_see(task)).ok_or_else(unknown)?;
        Ok(work(task))
    }
}

impl StoredTask {
    /// What every answer about the task has.
    fn described(&mut self, id: &str) -> ResultText {
        let age = self.created.elapsed();
        let poll = (age / 10).clamp(SHORTEST_POLL, LONGEST_POLL);
        let mut members = vec![
            ("taskId", RawJson::string(id)),
            ("status", RawJson::string(self.status())),
            ("createdAt", RawJson::string(&self.created_at)),
            ("lastUpdatedAt", RawJson::string(&self.updated_at)),
            ("ttlMs", milliseconds(self.expiry().saturating_duration_since(self.created))),
            ("pollIntervalMs", milliseconds(poll)),
        ];
        members.extend(self.message.as_ref().map(|message| ("statusMessage", RawJson::string(message))));
        ResultText::new(members)
    }

    fn status(&mut self) -> &'static str {
        match &mut self.phase {
            TaskPhase::Open(questions) => {
                // A handler may have stopped waiting for an answer.
                questions.retain(|_, question| !question.answer.is_closed());
                if questions.is_empty() { "working" } else { "input_required" }
            }
            TaskPhase::Completed(_) => "completed",
            TaskPhase::Failed(_) => "failed",
            TaskPhase::Cancelled => "cancelled",
        }
    }

    /// The member that the status brings with it.
    fn payload(&self) -> Option<(String, RawJson)> {
        match &self.phase {
            TaskPhase::Open(questions) if !questions.is_empty() => {
                let asked = questions.iter().map(|(key, question)| (key.clone(), question.request.to_json()));
                let asked: Map<String, Value> = asked.collect();
                Some(("inputRequests".to_owned(), RawJson::from(&Value::Object(asked))))
            }
            TaskPhase::Completed(result) => Some(("result".to_owned(), result.clone())),
            TaskPhase::Failed(error) => Some(("error".to_owned(), RawJson::from(&error.to_json()))),
            TaskPhase::Open(_) | TaskPhase::Cancelled => None,
        }
    }

    /// When the task is dropped unless its client asks about it before.
    fn expiry(&self) -> Instant {
        self.asked + if self.read.is_cancelled() { limits::TASK_RESULT_KEPT } else { limits::TASK_KEPT }
    }

    fn end(&mut self, phase: TaskPhase) {
        if matches!(self.phase, TaskPhase::Open(_)) {
            self.phase = phase;
            self.updated_at = wall_clock::now();
        }
    }

    fn result_bytes(&self) -> usize {
        match &self.phase {
            TaskPhase::Completed(result) => result.text().len(),
            _ => 0,
        }
    }
}

/// The one who does the work of a task writes it down here. The task is dropped with its ticket.
#[derive(Debug)]
pub(crate) struct TaskTicket {
    store: TaskStore,
    id: String,
}

impl TaskTicket {
    /// The members of the answer to the call.
    pub(crate) fn created(&self) -> ResultText {
        self.change(|task| task.described(&self.id)).unwrap_or_default()
    }

    pub(crate) fn progress(&self, progress: Progress) {
        self.change(|task| {
            task.message = Some(progress_message(progress));
            task.updated_at = wall_clock::now();
        });
    }

    pub(crate) fn put_question(&self, question: Question) {
        self.change(|task| {
            let TaskPhase::Open(questions) = &mut task.phase else { return };
            task.questions += 1;
            questions.insert(format!("input_{}", task.questions), question);
            task.updated_at = wall_clock::now();
        });
    }

    /// Records how the task ended, unless it was cancelled. A result for which there is no room is an error.
    pub(crate) fn end(&self, phase: TaskPhase) {
        let mut tasks = self.store.0.lock();
        let Some(owner) = tasks.get(&self.id).map(|task| task.owner) else { return };
        let phase = match phase {
            TaskPhase::Completed(result) => {
                let held = |of: &dyn Fn(&StoredTask) -> bool| -> usize {
                    tasks.values().filter(|task| of(task)).map(StoredTask::result_bytes).sum()
                };
                let bytes = result.text().len();
                let of_owner = held(&|task| task.owner == owner);
                if of_owner + bytes > limits::TASK_BYTES_PER_CLIENT
                    || held(&|_| true) + bytes > limits::TASK_BYTES
                {
                    TaskPhase::Failed(no_room(bytes, of_owner))
                } else {
                    TaskPhase::Completed(result)
                }
            }
            phase => phase,
        };
        if let Some(task) = tasks.get_mut(&self.id) {
            task.end(phase);
        }
    }

    /// Ends when the task's client has not asked about it for as long as it is kept.
    pub(crate) async fn forgotten(&self) {
        let Some(read) = self.change(|task| task.read.clone()) else { return };
        while let Some(expiry) = self.change(|task| task.expiry())
            && expiry > Instant::now()
        {
            // Reading the end brings the expiry nearer; asking puts it off.
            tokio::select! {
                () = tokio::time::sleep_until(expiry) => {}
                () = read.cancelled(), if !read.is_cancelled() => {}
            }
        }
    }

    fn change<T>(&self, work: impl FnOnce(&mut StoredTask) -> T) -> Option<T> {
        self.store.0.lock().get_mut(&self.id).map(work)
    }
}

impl Drop for TaskTicket {
    fn drop(&mut self) {
        self.store.0.lock().remove(&self.id);
    }
}

/// `reading page 3`, else `3 of 10`, else `3`.
fn progress_message(progress: Progress) -> String {
    match (progress.message, progress.total) {
        (Some(message), _) => message,
        (None, Some(total)) => format!("{} of {total}", progress.progress),
        (None, None) => progress.progress.to_string(),
    }
}

fn no_room(bytes: usize, held: usize) -> ProtocolError {
    let limit = limits::TASK_BYTES_PER_CLIENT;
    let message = format!(
        "the result of the task has {bytes} bytes and can't be kept: results of this client's tasks already hold {held} \
         of at most {limit} bytes; ask for less"
    );
    let data = json!({ "reason": "too_large", "bytes": bytes, "held": held, "limit": limit });
    ProtocolError::new(ProtocolError::INTERNAL_ERROR, message).with_data(data)
}

fn milliseconds(time: Duration) -> RawJson {
    RawJson::from(&Value::from(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)))
}
