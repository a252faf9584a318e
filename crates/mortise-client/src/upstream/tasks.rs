//! Tools that are called as a task: `execution.taskSupport: required` of protocol version 2025-11-25.
//!
//! The server answers `tools/call` with a task. We ask for the task's status until it has ended, then for its result.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Upstream;
use super::rounds::{UpstreamQuestion, string_member};
use crate::error::CallError;
use crate::wire::{Exchange, RecordedExchange, UpstreamConnection, Wait};

/// The pause between two questions for the status, unless the server names one within these bounds.
const PAUSE: Duration = Duration::from_secs(1);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long a server is asked to keep a result beyond the time that we wait for it.
const KEPT: Duration = Duration::from_secs(60);
/// How long a server may take to answer `tasks/cancel`.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// The member of `params` that makes a call a task.
pub(super) fn task_member(wait: &Wait) -> RawJson {
    let kept = u64::try_from(wait.timeout.saturating_add(KEPT).as_millis()).unwrap_or(u64::MAX);
    RawJson::of(&json!({ "ttl": kept })).unwrap_or_else(|_| RawObject::default().into_json())
}

fn task_params(id: &str) -> RawObject {
    RawObject::default().with("taskId", RawJson::string(id))
}

/// What a server says about a task.
struct TaskStatus {
    id: String,
    is_open: bool,
    pause: Duration,
}

impl TaskStatus {
    fn parse(task: &RawJson) -> Option<Self> {
        let status = string_member(task, "status")?;
        let pause = task.member("pollInterval").and_then(|pause| pause.value().ok()?.as_u64());
        Some(Self {
            id: string_member(task, "taskId")?,
            // One that needs input gets it while its result is asked for.
            is_open: status == "working",
            pause: pause.map_or(PAUSE, Duration::from_millis).clamp(SHORTEST_PAUSE, LONGEST_PAUSE),
        })
    }
}

impl Upstream {
    /// The result of a call that was sent with [`task_member`]; `created` is the first answer.
    pub(super) async fn task_result(
        &self,
        connection: &Arc<UpstreamConnection>,
        call: &UpstreamQuestion<'_>,
        created: RawJson,
        wait: &Wait,
        mut exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<RawJson, CallError> {
        // A server may answer at once.
        let Some(task) = created.member("task") else { return Ok(created) };
        let unreadable = || self.broken(call.subject, "the task that it made can't be read".to_owned());
        let mut task = TaskStatus::parse(&task).ok_or_else(unreadable)?;
        let id = task.id.clone();
        let mut unfinished = UnfinishedTask { connection: connection.clone(), id: Some(id.clone()) };
        let question = |method: &'static str| UpstreamQuestion {
            method,
            params: task_params(&id),
            subject: call.subject,
            headers: Vec::new(),
            repeatable: true,
            options: call.options,
        };
        while task.is_open {
            tokio::select! {
                () = tokio::time::sleep(task.pause) => {}
                () = wait.cancel.cancelled() => return Err(self.cancelled(call.subject)),
                () = tokio::time::sleep_until(wait.deadline) => return Err(self.timed_out(call.subject, wait)),
            }
            let status = question("tasks/get");
            let answered = self.ask_in_rounds(connection, &status, wait, exchanges.as_deref_mut()).await?;
            task = TaskStatus::parse(&answered.raw).ok_or_else(unreadable)?;
        }
        let result = question("tasks/result");
        let answered = self.ask_in_rounds(connection, &result, wait, exchanges).await;
        // Whether it failed or not, the task has ended, unless the caller stopped waiting for it.
        if !matches!(answered, Err(CallError::Timeout { .. } | CallError::Cancelled { .. })) {
            unfinished.id = None;
        }
        Ok(answered?.raw)
    }
}

/// Cancels a task when it is dropped: the caller stopped waiting, or its time was up.
struct UnfinishedTask {
    connection: Arc<UpstreamConnection>,
    id: Option<String>,
}

impl Drop for UnfinishedTask {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let connection = self.connection.clone();
        self.connection.spawn(async move {
            let exchange = Exchange::new("tasks/cancel", task_params(&id));
            let (deadline, cancel) = (Instant::now() + CANCEL_TIME, CancellationToken::new());
            let wait = Wait { deadline, timeout: CANCEL_TIME, cancel };
            // The server may have ended, and then its tasks have too.
            let _ = connection.request(Arc::new(exchange), &id, &wait).await;
        });
    }
}
