//! Running one request: what it says goes out, questions go back, cancelling stops it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use mortise_contract::json::canonical_text;
use mortise_contract::{Era, RawJson};
use serde_json::{Map, Value};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use crate::arguments::CallArguments;
use crate::call::outbox::{Item, Outbox, Progress, Question};
use crate::call::parked::Parking;
use crate::call::seal::{Sealed, Sealer};
use crate::client::Client;
use crate::context::{CallContext, CallParts, Origin};
use crate::input::{AskError, InputRequest, InputRequired};
use crate::json_size::json_bytes;
use crate::limits;
use crate::log::LogLevels;
use crate::resources::RequestStep;
use crate::result_text::ResultText;
use crate::tasks::{TaskOwner, TaskStore};
use crate::{LogLevel, ProtocolError};

pub(crate) mod outbox;
pub(crate) mod parked;
mod seal;
mod task;

use task::TaskWork;

pub(crate) use task::TaskOffer;

/// How long a cancelled handler may still clean up before it is dropped.
pub(crate) const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long an old client may take to answer a question.
pub(crate) const ASK_TIMEOUT: Duration = Duration::from_secs(600);

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a request comes to, and the code that gets it there. Run again after each round of input.
pub(crate) type Job = Arc<dyn Fn(CallContext) -> BoxFuture<'static, Outcome> + Send + Sync>;
pub(crate) type Outcome = Result<RequestStep<ResultText>, ProtocolError>;

/// How a transport ends, in two steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    /// Fires when the transport winds down; subscriptions then end in order.
    pub(crate) closing: CancellationToken,
    /// Fires when calls have no more time.
    pub(crate) stopping: CancellationToken,
}

/// The line to the client of one request.
pub(crate) trait ClientLine: Send + Sync {
    fn progress(&self, progress: Progress) -> impl Future<Output = ()> + Send;
    fn log(&self, level: LogLevel, data: Value) -> impl Future<Output = ()> + Send;
    /// Asks a legacy client. Withdraws the question when `void` ends before the answer comes.
    fn ask(
        &self,
        request: &InputRequest,
        void: impl Future<Output = ()> + Send,
    ) -> impl Future<Output = Result<Value, AskError>> + Send;
    /// Ends when the client no longer wants the result.
    fn cancelled(&self) -> impl Future<Output = ()> + Send;
    /// Ends when the server stops and the call has no more time.
    fn stopping(&self) -> impl Future<Output = ()> + Send;
}

/// One request as the client sent it.
pub(crate) struct Request {
    pub(crate) facts: CallFacts,
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) state: Option<String>,
    pub(crate) binding: Binding,
    /// Present when the tool and the client both take tasks.
    pub(crate) task: Option<TaskOffer>,
}

/// What stays the same however often the handler is called for one request.
#[derive(Clone)]
pub(crate) struct CallFacts {
    pub(crate) client: Client,
    pub(crate) arguments: CallArguments,
    pub(crate) meta: Map<String, Value>,
    pub(crate) origin: Origin,
}

impl CallFacts {
    fn parts(
        &self,
        answers: BTreeMap<String, Value>,
        state: Option<Value>,
        cancellation: &CancellationToken,
    ) -> CallParts {
        CallParts {
            client: self.client.clone(),
            arguments: self.arguments.clone(),
            meta: self.meta.clone(),
            answers,
            state,
            cancellation: cancellation.child_token(),
            outbox: Arc::new(Outbox::new()),
            origin: self.origin.clone(),
        }
    }
}

/// What a sealed state is good for: this method, this name, these arguments in any key order.
pub(crate) struct Binding {
    target: Vec<String>,
    arguments: CallArguments,
}

impl Binding {
    pub(crate) fn new(target: &[&str], arguments: &CallArguments) -> Self {
        let target = target.iter().map(|part| (*part).to_owned()).collect();
        Self { target, arguments: arguments.clone() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = String::new();
        for part in &self.target {
            text.push_str(&Value::from(part.as_str()).to_string());
        }
        text.push_str(&canonical_text(&Value::Object(self.arguments.values().clone())));
        text.into_bytes()
    }
}

#[derive(Debug)]
pub(crate) enum Sent {
    Done(ResultText),
    /// Members of an `input_required` result.
    InputRequired(ResultText),
    /// Members of a `task` result.
    Task(ResultText),
}

/// Everything that outlives a single request.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) sealer: Sealer,
    pub(crate) parking: Parking,
    pub(crate) tasks: TaskStore,
    pub(crate) slots: Arc<tokio::sync::Semaphore>,
    /// What sessions want to hear of.
    pub(crate) levels: Arc<LogLevels>,
    /// Fires when the last handle to the server is gone.
    pub(crate) shutdown: CancellationToken,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

impl Running {
    pub(crate) fn new() -> Self {
        Self {
            sealer: Sealer::new(),
            parking: Parking::new(),
            tasks: TaskStore::default(),
            slots: Arc::new(tokio::sync::Semaphore::new(limits::REQUESTS_RUNNING)),
            levels: Arc::default(),
            shutdown: CancellationToken::new(),
        }
    }
}

/// A handler at work, with the questions that it waits on.
#[derive(Debug)]
pub(crate) struct RunningCall {
    task: AbortOnDropHandle<Outcome>,
    outbox: Arc<Outbox>,
    cancellation: CancellationToken,
    questions: BTreeMap<String, Question>,
    /// The last progress that was sent.
    progress: Option<Progress>,
    _slot: OwnedSemaphorePermit,
}

/// Runs a request to its result, its question to the client, or its end.
pub(crate) async fn run_request(
    running: &Running,
    job: &Job,
    request: Request,
    line: &impl ClientLine,
) -> Result<Sent, ProtocolError> {
    let mut answers = request.answers;
    let mut state = None;
    let open = |sealed: &str| running.sealer.open(sealed, &request.binding.bytes());
    let sealed = request.state.as_deref().map(open).transpose()?;
    let mut resumed = match sealed {
        None => None,
        Some(Sealed::State(own)) => {
            state = own;
            None
        }
        Some(Sealed::Parked(id)) => {
            let mut work = running.parking.resume(&id)?;
            work.deliver(&mut answers);
            Some(work)
        }
    };
    let mut asked = 0;
    let mut offer = request.task;
    loop {
        let work = match resumed.take() {
            Some(work) => work,
            None => {
                let parts =
                    request.facts.parts(std::mem::take(&mut answers), state.take(), &running.shutdown);
                RunningCall::start(running, job, parts)?
            }
        };
        let patience = offer.as_ref().map(|offer| offer.after);
        let input = match drive_call(work, request.facts.client.era(), patience, line).await? {
            Driven::Done(Ok(RequestStep::Done(result))) => return Ok(Sent::Done(result)),
            Driven::Done(Err(error)) => return Err(error),
            Driven::Waits(work) | Driven::Lasts(work) if offer.is_some() => {
                match begin_task(running, job, &request.facts, offer.take(), work) {
                    Ok(sent) => return Ok(sent),
                    // It is answered as for a client without tasks.
                    Err(work) => {
                        resumed = Some(work);
                        continue;
                    }
                }
            }
            Driven::Waits(work) | Driven::Lasts(work) => return park(running, work, &request.binding),
            Driven::Done(Ok(RequestStep::InputRequired(input))) => input,
        };
        require(&request.facts.client, &input)?;
        // A round without questions counts as one, or it could go on without end.
        asked += input.requests.len().max(1);
        if asked > limits::QUESTIONS_PER_CALL {
            return Err(unanswered(AskError::TooManyQuestions { limit: limits::QUESTIONS_PER_CALL }));
        }
        if request.facts.client.era() == Era::Modern {
            return Ok(ask_back(running, input, &request.binding));
        }
        for (key, question) in &input.requests {
            let void = async {
                tokio::select! {
                    () = line.cancelled() => {}
                    () = line.stopping() => {}
                }
            };
            let answer = line.ask(question, void).await.map_err(unanswered)?;
            question.check(&answer).map_err(unanswered)?;
            answers.insert(key.clone(), answer);
        }
        state = input.state;
    }
}

/// Answers with a task, in which the work goes on; gives the work back when there is no room for one.
fn begin_task(
    running: &Running,
    job: &Job,
    facts: &CallFacts,
    offer: Option<TaskOffer>,
    mut work: RunningCall,
) -> Result<Sent, RunningCall> {
    let cancel = CancellationToken::new();
    let ticket = running.tasks.open(TaskOwner::of(&facts.origin), cancel.clone());
    let (Some(ticket), Some(offer)) = (ticket, offer) else { return Err(work) };
    if let Some(progress) = work.progress.take() {
        ticket.progress(progress);
    }
    let created = ticket.created();
    let (job, facts, server) = (Arc::clone(job), facts.clone(), offer.server);
    tokio::spawn(TaskWork { ticket, job, facts, server, cancel }.run(work));
    Ok(Sent::Task(created))
}

fn unanswered(error: AskError) -> ProtocolError {
    ProtocolError::new(ProtocolError::INTERNAL_ERROR, error.to_string())
}

/// Only questions that the client said it can answer may be put to it.
fn require(client: &Client, input: &InputRequired) -> Result<(), ProtocolError> {
    match input.requests.values().find(|request| !client.supports(request.kind())) {
        Some(request) => Err(ProtocolError::missing_capability(request.kind().capability())),
        None => Ok(()),
    }
}

fn ask_back(running: &Running, input: InputRequired, binding: &Binding) -> Sent {
    let state = input.state.map(|state| running.sealer.seal(&Sealed::State(Some(state)), &binding.bytes()));
    Sent::InputRequired(input_required(&input.requests, state))
}

fn park(running: &Running, work: RunningCall, binding: &Binding) -> Result<Sent, ProtocolError> {
    let requests =
        work.questions.iter().map(|(key, question)| (key.clone(), question.request.clone())).collect();
    let id = running.parking.park(work, &running.shutdown)?;
    let state = running.sealer.seal(&Sealed::Parked(id), &binding.bytes());
    Ok(Sent::InputRequired(input_required(&requests, Some(state))))
}

fn input_required(requests: &BTreeMap<String, InputRequest>, state: Option<String>) -> ResultText {
    let mut members = Vec::new();
    if !requests.is_empty() || state.is_none() {
        let requests: Map<String, Value> =
            requests.iter().map(|(key, request)| (key.clone(), request.to_json())).collect();
        members.push(("inputRequests", RawJson::from(&Value::Object(requests))));
    }
    members.extend(state.map(|state| ("requestState", RawJson::string(&state))));
    ResultText::new(members)
}

impl RunningCall {
    fn start(running: &Running, job: &Job, parts: CallParts) -> Result<Self, ProtocolError> {
        let slot = Arc::clone(&running.slots)
            .try_acquire_owned()
            .map_err(|_| ProtocolError::overloaded("too many requests are running"))?;
        let outbox = Arc::clone(&parts.outbox);
        let cancellation = parts.cancellation.clone();
        let task = AbortOnDropHandle::new(tokio::spawn(job(CallContext::new(parts))));
        Ok(Self { task, outbox, cancellation, questions: BTreeMap::new(), progress: None, _slot: slot })
    }

    /// Calls the handler again after its last call has ended, in the same place.
    fn run_again(&mut self, job: &Job, parts: CallParts) {
        self.outbox = Arc::clone(&parts.outbox);
        self.cancellation = parts.cancellation.clone();
        self.task = AbortOnDropHandle::new(tokio::spawn(job(CallContext::new(parts))));
    }

    /// Tells the handler to stop and drops it if it does not.
    async fn stop(mut self) {
        self.questions.clear();
        self.outbox.close();
        self.cancellation.cancel();
        // One that has ended may have been waited for, which works once.
        if !self.task.is_finished() {
            let _ = tokio::time::timeout(CANCEL_GRACE, &mut self.task).await;
        }
    }

    /// Hands the client's answers to the questions that wait for them.
    fn deliver(&mut self, answers: &mut BTreeMap<String, Value>) {
        for (key, answer) in std::mem::take(answers) {
            if let Some(question) = self.questions.remove(&key) {
                // An error means that the handler stopped waiting.
                let _ = question.answer.send(Ok(answer));
            }
        }
    }

    /// The size of all questions that wait for an answer.
    fn question_bytes(&self) -> usize {
        self.questions.values().map(|question| json_bytes(question.request.params())).sum()
    }

    /// Takes up a question and all others that wait, under keys of their own.
    fn collect(&mut self, first: Question) {
        let mut next = Some(first);
        while let Some(question) = next {
            let free =
                (0..).map(|number| format!("input_{number}")).find(|key| !self.questions.contains_key(key));
            self.questions.extend(free.map(|key| (key, question)));
            next = self.outbox.take_question();
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.outbox.close();
        self.cancellation.cancel();
    }
}

enum Driven {
    Done(Outcome),
    /// A modern client must be asked, which ends this request but not the work.
    Waits(RunningCall),
    /// The work takes longer than the client has patience for.
    Lasts(RunningCall),
}

/// Runs the work to its end. Questions to a legacy client are open beside it and hold nothing up: the
/// work's own limits end it whether the client has answered or not.
async fn drive_call(
    mut work: RunningCall,
    era: Era,
    patience: Option<Duration>,
    line: &impl ClientLine,
) -> Result<Driven, ProtocolError> {
    // A modern client comes back whenever it likes; a handler may have stopped waiting meanwhile.
    work.questions.retain(|_, question| !question.answer.is_closed());
    if !work.questions.is_empty() {
        // The client came back without all answers: ask for the rest again.
        return Ok(Driven::Waits(work));
    }
    let mut late = std::pin::pin!(async {
        match patience {
            Some(patience) => tokio::time::sleep(patience).await,
            None => std::future::pending().await,
        }
    });
    let over = CancellationToken::new();
    let mut open = FuturesUnordered::new();
    let outcome = loop {
        tokio::select! {
            // What was said goes out before the result.
            biased;
            () = line.stopping() => break Err(ProtocolError::stopping()),
            () = line.cancelled() => {
                break Err(ProtocolError::new(ProtocolError::INTERNAL_ERROR, "the request was cancelled"));
            }
            item = work.outbox.next() => match item {
                Item::Progress(progress) => {
                    work.progress = Some(progress.clone());
                    line.progress(progress).await;
                }
                Item::Log(level, data) => line.log(level, data).await,
                Item::Question(question) if era == Era::Modern => {
                    work.collect(question);
                    return Ok(Driven::Waits(work));
                }
                Item::Question(question) => open.push(put_question(question, line, &over)),
            },
            Some(()) = open.next() => {}
            outcome = &mut work.task => {
                while let Some(item) = work.outbox.take() {
                    match item {
                        Item::Progress(progress) => line.progress(progress).await,
                        Item::Log(level, data) => line.log(level, data).await,
                        Item::Question(_) => {}
                    }
                }
                break Ok(outcome.unwrap_or_else(|_| Err(stopped())));
            }
            // Only a modern client has patience, and no question to one is open beside the work.
            () = &mut late => return Ok(Driven::Lasts(work)),
        }
    };
    over.cancel();
    // A client that does not read must not hold up the end of its call.
    let withdrawn = tokio::time::timeout(CANCEL_GRACE, open.collect::<()>());
    match outcome {
        Ok(outcome) => {
            let _ = withdrawn.await;
            Ok(Driven::Done(outcome))
        }
        Err(error) => {
            let _ = tokio::join!(withdrawn, work.stop());
            Err(error)
        }
    }
}

/// Puts a question to a legacy client, until its answer comes, the handler stops waiting or the work is over.
async fn put_question(mut question: Question, line: &impl ClientLine, over: &CancellationToken) {
    let Question { request, answer } = &mut question;
    let void = async {
        tokio::select! {
            () = answer.closed() => {}
            () = over.cancelled() => {}
        }
    };
    let answered = line.ask(request, void).await;
    // An error means that the handler stopped waiting.
    let _ = question.answer.send(answered);
}

/// The task was aborted or panicked outside of what catches panics.
fn stopped() -> ProtocolError {
    ProtocolError::new(ProtocolError::INTERNAL_ERROR, "the request was stopped")
}
