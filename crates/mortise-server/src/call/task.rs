//! The work of a task, from the answer that names it until it is forgotten.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::outbox::{Item, Question};
use super::{CallFacts, Job, RunningCall, require, stopped, unanswered};
use crate::input::{AskError, InputRequired};
use crate::resources::RequestStep;
use crate::result_text::Cache;
use crate::tasks::{TaskPhase, TaskTicket};
use crate::{ProtocolError, limits};

/// A call that may be answered with a task.
pub(crate) struct TaskOffer {
    /// How long the client waits for the result itself.
    pub(crate) after: Duration,
    /// The server, as results name it.
    pub(crate) server: Value,
}

/// A call that goes on after its request was answered with a task.
pub(super) struct TaskWork {
    pub(super) ticket: TaskTicket,
    pub(super) job: Job,
    pub(super) facts: CallFacts,
    pub(super) server: Value,
    /// Fires when the client cancels the task.
    pub(super) cancel: CancellationToken,
}

enum TaskStop {
    Ended(TaskPhase),
    Cancelled,
    /// Its client has left or forgotten it, or the server stops.
    Gone,
}

impl TaskWork {
    pub(super) async fn run(self, mut call: RunningCall) {
        for question in std::mem::take(&mut call.questions).into_values() {
            self.ticket.put_question(question);
        }
        let stop = tokio::select! {
            biased;
            () = self.gone() => TaskStop::Gone,
            () = self.cancel.cancelled() => TaskStop::Cancelled,
            phase = self.advance(&mut call) => TaskStop::Ended(phase),
            () = tokio::time::sleep(limits::TASK_TIME) => TaskStop::Ended(TaskPhase::Failed(late())),
        };
        match stop {
            TaskStop::Ended(phase) => {
                self.ticket.end(phase);
                call.stop().await;
            }
            TaskStop::Cancelled => call.stop().await,
            TaskStop::Gone => return call.stop().await,
        }
        self.gone().await;
    }

    /// Ends when the client has left or has not asked for long, or the server stops.
    async fn gone(&self) {
        tokio::select! {
            () = self.facts.origin.left.cancelled() => {}
            () = self.facts.origin.stopping.cancelled() => {}
            () = self.ticket.forgotten() => {}
        }
    }

    /// Runs the handler to its result, again after each round of input.
    async fn advance(&self, call: &mut RunningCall) -> TaskPhase {
        let mut asked = 0;
        loop {
            let input = match self.next_outcome(call).await {
                Ok(RequestStep::Done(result)) => {
                    let result = result.finish(&self.facts.client, Cache::No, &self.server);
                    return TaskPhase::Completed(result);
                }
                Ok(RequestStep::InputRequired(input)) => input,
                Err(error) => return TaskPhase::Failed(error),
            };
            asked += input.requests.len().max(1);
            if asked > limits::QUESTIONS_PER_CALL {
                let limit = limits::QUESTIONS_PER_CALL;
                return TaskPhase::Failed(unanswered(AskError::TooManyQuestions { limit }));
            }
            let state = input.state.clone();
            match self.answers(input).await {
                Ok(answers) => {
                    call.run_again(&self.job, self.facts.parts(answers, state, &call.cancellation))
                }
                Err(error) => return TaskPhase::Failed(error),
            }
        }
    }

    async fn next_outcome(&self, call: &mut RunningCall) -> super::Outcome {
        loop {
            tokio::select! {
                biased;
                item = call.outbox.next() => self.note(item),
                outcome = &mut call.task => {
                    while let Some(item) = call.outbox.take() {
                        self.note(item);
                    }
                    return outcome.unwrap_or_else(|_| Err(stopped()));
                }
            }
        }
    }

    fn note(&self, item: Item) {
        match item {
            Item::Progress(progress) => self.ticket.progress(progress),
            Item::Question(question) => self.ticket.put_question(question),
            // The request that asked for log messages is over.
            Item::Log(..) => {}
        }
    }

    /// Puts the questions of a handler that wants to be called again, and waits for all answers.
    async fn answers(&self, input: InputRequired) -> Result<BTreeMap<String, Value>, ProtocolError> {
        require(&self.facts.client, &input)?;
        let mut waiting = Vec::new();
        for (key, request) in input.requests {
            let (answer, answered) = oneshot::channel();
            waiting.push((key, request.clone(), answered));
            self.ticket.put_question(Question { request, answer });
        }
        let mut answers = BTreeMap::new();
        for (key, request, answered) in waiting {
            let answer = answered.await.unwrap_or(Err(AskError::Gone)).map_err(unanswered)?;
            request.check(&answer).map_err(unanswered)?;
            answers.insert(key, answer);
        }
        Ok(answers)
    }
}

fn late() -> ProtocolError {
    let hours = limits::TASK_TIME.as_secs() / 3_600;
    let message = format!("the task was ended after {hours} hours; what it did until then is not undone");
    ProtocolError::new(ProtocolError::INTERNAL_ERROR, message)
}
