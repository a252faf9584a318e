//! Calls that a server answers with a task: we ask for its status until it has ended, and take its result.
//!
//! In the modern era any call may be answered so, since we declare the extension with each. In protocol version
//! 2025-11-25 we ask for it, for tools that declare `execution.taskSupport: required`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use mortise_contract::text::cut_bytes;
use serde_json::json;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Upstream;
use super::rounds::{NeededInput, UpstreamQuestion, string_member};
use crate::error::CallError;
use crate::event::ProgressReport;
use crate::facts::Era;
use crate::limits::{ASK_BYTES, INPUT_ROUNDS, NOTIFICATION_BYTES};
use crate::wire::service::oversize_ask;
use crate::wire::{Exchange, RecordedExchange, UpstreamConnection, Wait, rpc_error};

/// The pause between two questions for the status, unless the server names one within these bounds.
const PAUSE: Duration = Duration::from_secs(1);
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long a server may take to say how far a task has come.
const STATUS_TIME: Duration = Duration::from_secs(30);
/// Questions for the status in a row that may fail without the task being given up.
const STATUS_FAILURES: u32 = 5;
/// How long a server is asked to keep a result beyond the time that we wait for it.
const KEPT: Duration = Duration::from_secs(60);
/// How long a server may take to answer `tasks/cancel`.
const CANCEL_TIME: Duration = Duration::from_secs(5);

/// The member of `params` that makes a call a task in the legacy era.
pub(super) fn task_member(wait: &Wait) -> RawJson {
    let kept = u64::try_from(wait.timeout.saturating_add(KEPT).as_millis()).unwrap_or(u64::MAX);
    RawJson::of(&json!({ "ttl": kept })).unwrap_or_else(|_| RawObject::default().into_json())
}

/// The task that the answer to a call names, if it names one.
pub(super) fn task_of(answer: &RawJson, era: Era) -> Option<RawJson> {
    match era {
        Era::Legacy => answer.member("task"),
        // Most answers are results, and large ones are not read twice.
        Era::Modern if !answer.text().contains("\"task\"") => None,
        Era::Modern => {
            (string_member(answer, "resultType").as_deref() == Some("task")).then(|| answer.clone())
        }
    }
}

fn task_params(id: &str) -> RawObject {
    RawObject::default().with("taskId", RawJson::string(id))
}

/// What a server says about a task.
struct TaskReport {
    id: String,
    status: TaskStatus,
    message: Option<String>,
    pause: Duration,
    raw: RawJson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
enum TaskStatus {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

impl TaskReport {
    /// `Err` says what is wrong with the report.
    fn parse(raw: RawJson) -> Result<Self, String> {
        let member = |name: &str| {
            string_member(&raw, name).ok_or_else(|| format!("the task has no `{name}` that is a string"))
        };
        let (id, status) = (member("taskId")?, member("status")?);
        let status = status
            .parse()
            .map_err(|_| format!("the task has the unknown status `{}`", cut_bytes(&status, 64)))?;
        let pause = ["pollIntervalMs", "pollInterval"]
            .iter()
            .find_map(|name| raw.member(name)?.value().ok()?.as_u64());
        let pause = pause.map_or(PAUSE, Duration::from_millis).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
        let message = string_member(&raw, "statusMessage").map(|text| cut_bytes(&text, NOTIFICATION_BYTES));
        Ok(Self { id, status, message, pause, raw })
    }
}

/// A call whose task is waited for.
pub(super) struct AwaitedTask<'a> {
    upstream: &'a Upstream,
    connection: &'a Arc<UpstreamConnection>,
    call: &'a UpstreamQuestion<'a>,
    wait: Wait,
    id: String,
    unfinished: UnfinishedTask,
    /// The last message that was passed on, and how many were.
    message: Option<String>,
    reports: u32,
    /// Questions that were answered.
    answered: HashSet<String>,
}

impl Upstream {
    /// The result of a call that was answered with this task.
    pub(super) async fn task_result(
        &self,
        connection: &Arc<UpstreamConnection>,
        call: &UpstreamQuestion<'_>,
        task: RawJson,
        wait: &Wait,
        exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<RawJson, CallError> {
        let report = TaskReport::parse(task).map_err(|detail| self.broken(call.subject, detail))?;
        let id = report.id.clone();
        let unfinished = UnfinishedTask {
            connection: connection.clone(),
            exchange: Some(self.task_exchange(connection, "tasks/cancel", &id)),
        };
        let mut task = AwaitedTask {
            upstream: self,
            connection,
            call,
            wait: self.task_wait(call, wait),
            id,
            unfinished,
            message: None,
            reports: 0,
            answered: HashSet::new(),
        };
        task.result(report, exchanges).await
    }

    fn task_exchange(&self, connection: &UpstreamConnection, method: &'static str, id: &str) -> Exchange {
        let mut exchange = Exchange::new(method, task_params(id));
        exchange.headers = self.headers(connection, id, None);
        exchange
    }

    /// How long a task is waited for.
    fn task_wait(&self, call: &UpstreamQuestion<'_>, wait: &Wait) -> Wait {
        let Some(deadline) = call.options.task_deadline else { return wait.clone() };
        let timeout = deadline.saturating_duration_since(Instant::now());
        Wait { deadline, timeout, cancel: wait.cancel.clone() }
    }
}

impl AwaitedTask<'_> {
    async fn result(
        &mut self,
        mut report: TaskReport,
        mut exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<RawJson, CallError> {
        let era = self.connection.facts().era;
        // The first answer of the modern era has no result, so it is asked for at once.
        let mut is_first = era == Era::Modern;
        let mut rounds = 0;
        loop {
            self.pass_on(report.message.as_deref());
            match (report.status, era) {
                (TaskStatus::Working, _) => self.pause(report.pause).await?,
                // The server asks while its result is waited for.
                (TaskStatus::InputRequired, Era::Legacy) => return self.legacy_result(exchanges).await,
                (TaskStatus::InputRequired, Era::Modern) if !is_first => {
                    if self.give_input(&report).await? {
                        rounds += 1;
                    }
                    if rounds > INPUT_ROUNDS {
                        let detail = format!("it asked {INPUT_ROUNDS} times and did not come to an end");
                        return Err(self.upstream.needs_input(self.call, detail));
                    }
                    self.pause(report.pause).await?;
                }
                _ if is_first => {}
                (_, Era::Legacy) => return self.legacy_result(exchanges).await,
                (_, Era::Modern) => return self.modern_result(report),
            }
            is_first = false;
            report = self.ask_status(exchanges.as_deref_mut()).await?;
        }
    }

    /// How far the task has come. A server that can't be reached for a moment is asked again.
    async fn ask_status(
        &mut self,
        exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<TaskReport, CallError> {
        let mut failures = 0;
        let mut recorded = Vec::new();
        let answered = loop {
            let deadline = self.wait.deadline.min(Instant::now() + STATUS_TIME);
            let wait = Wait { deadline, ..self.wait.clone() };
            let question = self.question("tasks/get", task_params(&self.id));
            recorded.clear();
            let kept = exchanges.is_some().then_some(&mut recorded);
            let error = match self.upstream.ask_in_rounds(self.connection, &question, &wait, kept).await {
                Ok(answered) => break answered,
                Err(error) => error,
            };
            failures += 1;
            let is_over = self.connection.is_closed() || Instant::now() >= self.wait.deadline;
            if !error.is_transient() || is_over || failures >= STATUS_FAILURES {
                if let CallError::Rpc { error, .. } = error {
                    self.unfinished.exchange = None;
                    return Err(self.lost(format!("the server does not know it any more ({error})")));
                }
                return Err(error);
            }
            self.pause(PAUSE).await?;
        };
        let report = TaskReport::parse(answered.raw).map_err(|detail| self.broken(detail))?;
        if report.id != self.id {
            return Err(self.broken("it speaks of another task than it was asked about".to_owned()));
        }
        // A task may be asked about for hours: the frames are kept when something has happened.
        if let Some(exchanges) = exchanges.filter(|_| report.status != TaskStatus::Working) {
            exchanges.append(&mut recorded);
        }
        Ok(report)
    }

    fn question(&self, method: &'static str, params: RawObject) -> UpstreamQuestion<'_> {
        UpstreamQuestion {
            method,
            params,
            subject: self.call.subject,
            headers: self.upstream.headers(self.connection, &self.id, None),
            repeatable: true,
            options: self.call.options,
        }
    }

    /// Has the open questions of a task answered; false if all were answered before.
    async fn give_input(&mut self, report: &TaskReport) -> Result<bool, CallError> {
        let bytes = report.raw.text().len();
        if bytes > ASK_BYTES {
            return Err(self.upstream.needs_input(self.call, oversize_ask(bytes)));
        }
        let mut needed = NeededInput::of(&report.raw);
        if needed.requests.is_empty() {
            return Err(self.broken("its task needs input and does not say which".to_owned()));
        }
        // A server may be slow to take in an answer.
        needed.requests.retain(|(key, _)| !self.answered.contains(key));
        if needed.requests.is_empty() {
            return Ok(false);
        }
        needed.state = None;
        let keys: Vec<String> = needed.requests.iter().map(|(key, _)| key.clone()).collect();
        let given = tokio::select! {
            given = self.upstream.give_input(self.call, needed) => given?,
            () = self.wait.cancel.cancelled() => return Err(self.upstream.cancelled(self.call.subject)),
            () = tokio::time::sleep_until(self.wait.deadline) => return Err(self.timed_out()),
        };
        let mut params = task_params(&self.id);
        params.extend(given);
        let question = self.question("tasks/update", params);
        self.upstream.ask_in_rounds(self.connection, &question, &self.wait, None).await?;
        self.answered.extend(keys);
        Ok(true)
    }

    /// What a task of the modern era has come to.
    fn modern_result(&mut self, report: TaskReport) -> Result<RawJson, CallError> {
        // It has ended, whatever it has to say.
        self.unfinished.exchange = None;
        let (server, subject) = (self.upstream.name().clone(), self.call.subject.to_owned());
        match report.status {
            TaskStatus::Completed => report
                .raw
                .member("result")
                .ok_or_else(|| self.broken("its task is completed and has no result".to_owned())),
            TaskStatus::Failed => {
                let error = report.raw.member("error");
                let error =
                    error.ok_or_else(|| self.broken("its task has failed and has no error".to_owned()))?;
                Err(CallError::Rpc { server, subject, error: rpc_error(&error) })
            }
            _ => {
                let said = report.message.map(|message| format!(": {message}")).unwrap_or_default();
                Err(self.lost(format!("the server cancelled it{said}")))
            }
        }
    }

    /// What a task of the legacy era has come to. It may go on while its result is waited for.
    async fn legacy_result(
        &mut self,
        exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<RawJson, CallError> {
        let question = self.question("tasks/result", task_params(&self.id));
        let answered = self.upstream.ask_in_rounds(self.connection, &question, &self.wait, exchanges).await;
        // Whether it failed or not, the task has ended, unless the caller stopped waiting for it.
        if !matches!(answered, Err(CallError::Timeout { .. } | CallError::Cancelled { .. })) {
            self.unfinished.exchange = None;
        }
        Ok(answered?.raw)
    }

    /// Passes a new message of the server on as progress.
    fn pass_on(&mut self, message: Option<&str>) {
        let (Some(message), Some(progress)) = (message, &self.call.options.progress) else { return };
        if self.message.as_deref() == Some(message) {
            return;
        }
        self.message = Some(message.to_owned());
        self.reports += 1;
        // A task has no number to show; each message counts one more. A full channel loses it.
        let progress_number = f64::from(self.reports);
        let _ = progress.try_send(ProgressReport {
            progress: progress_number,
            total: None,
            message: self.message.clone(),
        });
    }

    async fn pause(&self, pause: Duration) -> Result<(), CallError> {
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = self.wait.cancel.cancelled() => Err(self.upstream.cancelled(self.call.subject)),
            () = tokio::time::sleep_until(self.wait.deadline) => Err(self.timed_out()),
        }
    }

    fn timed_out(&self) -> CallError {
        self.upstream.timed_out(self.call.subject, &self.wait)
    }

    fn lost(&self, reason: String) -> CallError {
        let (server, subject) = (self.upstream.name().clone(), self.call.subject.to_owned());
        CallError::TaskLost { server, subject, reason }
    }

    fn broken(&self, detail: String) -> CallError {
        self.upstream.broken(self.call.subject, detail)
    }
}

/// Cancels a task when it is dropped: the caller stopped waiting, or its time was up.
struct UnfinishedTask {
    connection: Arc<UpstreamConnection>,
    /// The request that cancels it.
    exchange: Option<Exchange>,
}

impl Drop for UnfinishedTask {
    fn drop(&mut self) {
        let Some(exchange) = self.exchange.take() else { return };
        let connection = self.connection.clone();
        self.connection.spawn(async move {
            let (deadline, cancel) = (Instant::now() + CANCEL_TIME, CancellationToken::new());
            let wait = Wait { deadline, timeout: CANCEL_TIME, cancel };
            // The server may have ended, and then its tasks have too.
            let _ = connection.request(Arc::new(exchange), "tasks/cancel", &wait).await;
        });
    }
}
