//! A program's tool calls: budget, places in flight, time and size.
//!
//! Two ends. The [`Desk`] sits with the program and answers at once: it counts, refuses, hands calls on and
//! takes answers in. The [`CallDispatcher`] sits with the caller of the run and makes the calls, many at a time.

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::FutureExt as _;
use mortise_contract::RawJson;
use mortise_contract::text::cut_bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use crate::capacity::{Charge, MemoryAccount};
use crate::history::{AfterHistory, RecordedCall, RunRecorder};
use crate::host::{CallRequest, CallValue, HostError, HostErrorKind, ToolHost, Wanted};
use crate::json_scan::scan_json;
use crate::limits::{Limits, seconds, size};
use crate::program::Gate;
use crate::report::{CallOutcome, ProgramCall};

/// The longest sentence about a failed call; longer ones are cut.
const LONGEST_MESSAGE: usize = 16 << 10;
/// Refused calls that are kept one by one. Refusing costs a program nothing, so it can have millions.
const REFUSED_KEPT: usize = 100;

/// What the program asks of its run.
pub(crate) enum CallCommand {
    Call(CallRequest),
    /// The program no longer waits for these calls.
    Forget(Vec<u64>),
    /// A repeated run goes on: calls without an answer may leave.
    GoOn,
    /// Answer a question to the host.
    Ask(ToolQuestion, oneshot::Sender<Result<RawJson, HostError>>),
}

/// A question to the host; not counted as a call.
pub(crate) enum ToolQuestion {
    /// `inspect_tool`
    Inspect(String),
    /// `list_callable_tools`
    List,
    /// `server_status`
    Status,
    /// Why a name can't be called.
    Unavailable(String),
    /// `keep`
    Keep { name: String, value: RawJson },
    /// `load`
    Load(String),
}

pub(crate) struct Completion {
    pub(crate) id: u64,
    pub(crate) result: Result<CallValue, HostError>,
    /// Pays for the result until the program has it.
    pub(crate) charge: Option<Charge>,
    /// Given back only when the program has taken the answer: this bounds the answers that wait.
    _place: Option<OwnedSemaphorePermit>,
}

impl Completion {
    /// Bytes of what the program gets.
    pub(crate) fn bytes(&self) -> usize {
        self.result.as_ref().map_or_else(HostError::bytes, |value| value.json.text().len())
    }
}

/// Where a program's calls are recorded, and what is known of them from a recorded run.
#[derive(Default)]
pub(crate) struct CallHistory {
    pub(crate) recorder: Option<Arc<dyn RunRecorder>>,
    /// The calls of the run that is repeated.
    pub(crate) repeated: Option<RepeatedCalls>,
}

/// The calls of a run that is repeated.
pub(crate) struct RepeatedCalls {
    pub(crate) calls: Arc<BTreeMap<u64, RecordedCall>>,
    pub(crate) after: AfterHistory,
    /// Opened when calls without an answer may leave.
    pub(crate) live: Gate,
}

/// What a call that is not answered costs beside its arguments: its task, its record, its message.
const CALL_MEMORY: usize = 8 << 10;

/// Copies of a call's arguments: those of the program's request, and those in the frame that goes to the server.
const ARGUMENT_COPIES: usize = 2;

/// What a call counts for until it is answered.
fn weight(arguments: &RawJson) -> u64 {
    (CALL_MEMORY + ARGUMENT_COPIES * arguments.text().len()) as u64
}

/// Both ends of one program's calls.
pub(crate) fn connect<H: ToolHost>(
    host: Arc<H>,
    limits: &Limits,
    deadline: Instant,
    account: MemoryAccount,
    history: CallHistory,
) -> (Desk, CallDispatcher<H>) {
    let (command, commands) = mpsc::unbounded_channel();
    let (completion, completions) = mpsc::unbounded_channel();
    let desk = Desk {
        budget: limits.calls as u64,
        deadline,
        account: Some(account.clone()),
        made: 0,
        outstanding: HashMap::new(),
        arrived: BTreeMap::new(),
        commands: command,
        completions,
    };
    let dispatcher = CallDispatcher {
        host,
        limits: limits.clone(),
        account,
        places: Arc::new(Semaphore::new(limits.calls_in_flight.max(1))),
        commands,
        completions: completion,
        running: JoinSet::new(),
        calls: Vec::new(),
        history,
    };
    (desk, dispatcher)
}

/// The program's end.
pub(crate) struct Desk {
    budget: u64,
    deadline: Instant,
    /// Pays for the arguments of calls; `None` for a guest without a program.
    account: Option<MemoryAccount>,
    made: u64,
    /// Calls without an answer, and what pays for their arguments.
    outstanding: HashMap<u64, Charge>,
    /// Answers that came before the recorded run delivered them.
    arrived: BTreeMap<u64, Completion>,
    commands: mpsc::UnboundedSender<CallCommand>,
    completions: mpsc::UnboundedReceiver<Completion>,
}

/// Calls refused for lack of budget.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refused {
    pub(crate) count: u64,
    /// The first [`REFUSED_KEPT`] of them.
    pub(crate) first: Vec<ProgramCall>,
}

impl Desk {
    /// One that answers nothing, for a guest without a program.
    pub(crate) fn closed() -> Self {
        Self {
            budget: 0,
            deadline: Instant::now(),
            account: None,
            made: 0,
            outstanding: HashMap::new(),
            arrived: BTreeMap::new(),
            commands: mpsc::unbounded_channel().0,
            completions: mpsc::unbounded_channel().1,
        }
    }

    /// The number of the next call.
    pub(crate) fn next_id(&self) -> u64 {
        self.made + 1
    }

    /// Takes a call of the program; its number, or why it is refused.
    pub(crate) fn call(
        &mut self,
        name: String,
        arguments: RawJson,
        wanted: Wanted,
    ) -> Result<u64, HostError> {
        if self.made >= self.budget {
            let message = format!("tool-call budget exhausted (max_tool_calls={})", self.budget);
            return Err(HostError::new(HostErrorKind::Budget, message));
        }
        let Some(account) = &self.account else { return Err(over()) };
        let charge = account.keep(weight(&arguments)).map_err(|why| {
            let hint = "await some of the calls that are pending, or send less";
            HostError::new(HostErrorKind::Size, format!("'{name}' was not called: {why}: {hint}"))
        })?;
        self.made += 1;
        let id = self.made;
        let request = CallRequest { id, name, arguments, wanted, deadline: self.deadline };
        self.send(CallCommand::Call(request))?;
        self.outstanding.insert(id, charge);
        Ok(id)
    }

    /// The program no longer waits for these calls.
    pub(crate) fn forget(&mut self, ids: impl Iterator<Item = u64>) {
        let ids: Vec<u64> = ids.filter(|id| self.outstanding.remove(id).is_some()).collect();
        if !ids.is_empty() {
            // A closed channel means that the run is over, and the calls with it.
            let _ = self.send(CallCommand::Forget(ids));
        }
    }

    /// Lets calls leave that a repeated run has made, behind all that it has given up.
    pub(crate) fn go_on(&self) {
        // A closed channel means that the run is over.
        let _ = self.send(CallCommand::GoOn);
    }

    /// Asks the host and waits for the answer.
    pub(crate) async fn ask(&mut self, question: ToolQuestion) -> Result<RawJson, HostError> {
        let (reply, answer) = oneshot::channel();
        self.send(CallCommand::Ask(question, reply))?;
        answer.await.unwrap_or_else(|_| Err(over()))
    }

    /// Whether any call can still bring an answer.
    pub(crate) fn expects_answers(&self) -> bool {
        !self.outstanding.is_empty()
    }

    /// The answers of these calls, in this order. `None` if the program does not wait for one of them.
    pub(crate) async fn take(&mut self, ids: &[u64]) -> Option<Vec<Completion>> {
        let mut taken = Vec::with_capacity(ids.len());
        for id in ids {
            self.outstanding.remove(id)?;
            let completion = loop {
                if let Some(completion) = self.arrived.remove(id) {
                    break completion;
                }
                let completion = self.completions.recv().await?;
                self.arrived.insert(completion.id, completion);
            };
            taken.push(completion);
        }
        Some(taken)
    }

    /// An answer that came before the recorded run delivered it.
    fn next_arrived(&mut self) -> Option<Completion> {
        loop {
            let (id, completion) = self.arrived.pop_first()?;
            if self.outstanding.remove(&id).is_some() {
                return Some(completion);
            }
        }
    }

    pub(crate) async fn next(&mut self) -> Option<Completion> {
        if let Some(completion) = self.next_arrived() {
            return Some(completion);
        }
        loop {
            let completion = self.completions.recv().await?;
            if self.outstanding.remove(&completion.id).is_some() {
                return Some(completion);
            }
        }
    }

    /// The next answer if it is there already.
    pub(crate) fn next_ready(&mut self) -> Option<Completion> {
        if let Some(completion) = self.next_arrived() {
            return Some(completion);
        }
        loop {
            let completion = self.completions.try_recv().ok()?;
            if self.outstanding.remove(&completion.id).is_some() {
                return Some(completion);
            }
        }
    }

    fn send(&self, command: CallCommand) -> Result<(), HostError> {
        self.commands.send(command).map_err(|_| over())
    }
}

impl Refused {
    pub(crate) fn note(&mut self, name: &str, sent: usize, error: &HostError) {
        self.count += 1;
        if self.first.len() < REFUSED_KEPT {
            let outcome = CallOutcome::Failed { kind: error.kind, message: error.message.clone() };
            self.first.push(ProgramCall { outcome, ..ProgramCall::unanswered(0, name.to_owned(), sent) });
        }
    }
}

fn over() -> HostError {
    HostError::new(HostErrorKind::Internal, "the run is over")
}

/// The caller's end. Dropping it ends every call.
pub(crate) struct CallDispatcher<H> {
    host: Arc<H>,
    limits: Limits,
    account: MemoryAccount,
    places: Arc<Semaphore>,
    commands: mpsc::UnboundedReceiver<CallCommand>,
    completions: mpsc::UnboundedSender<Completion>,
    running: JoinSet<Option<Finished>>,
    /// Every call, in the order of their numbers.
    calls: Vec<OpenCall>,
    history: CallHistory,
}

/// A call that was made, and what is known about it so far.
struct OpenCall {
    record: ProgramCall,
    made: Instant,
    /// When it got its place; never, for one that still waits.
    begun: Arc<OnceLock<Instant>>,
    abort: AbortHandle,
    is_over: bool,
}

impl OpenCall {
    /// The call ended now, for one reason or another; only the first counts.
    fn end(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        let now = Instant::now();
        let begun = self.begun.get().copied();
        self.record.waited = begun.unwrap_or(now).saturating_duration_since(self.made);
        self.record.elapsed = begun.map_or(Duration::ZERO, |begun| now.saturating_duration_since(begun));
        if begun.is_none() {
            self.record.outcome = CallOutcome::NotMade;
        }
    }
}

/// What is noted when a call ends.
struct Finished {
    id: u64,
    elapsed: Duration,
    received: usize,
    outcome: CallOutcome,
}

impl Finished {
    fn new(id: u64, elapsed: Duration, result: &Result<CallValue, HostError>) -> Self {
        let received = result.as_ref().map_or(0, |value| value.json.text().len());
        let outcome = match result {
            Ok(_) => CallOutcome::Ok,
            Err(error) => CallOutcome::Failed { kind: error.kind, message: error.message.clone() },
        };
        Self { id, elapsed, received, outcome }
    }
}

/// What becomes of a call of a run that is repeated.
enum RepeatedCall {
    Answered(Result<CallValue, HostError>),
    /// It never left, or its answer is not known, and the run does not go on.
    NeverAnswered,
    /// It leaves when the run goes on.
    MadeOnceLive(Gate),
}

impl RepeatedCalls {
    fn of(&self, id: u64) -> RepeatedCall {
        match (self.calls.get(&id).and_then(|call| call.answer.clone()), self.after) {
            (Some(answer), _) => RepeatedCall::Answered(answer),
            (None, AfterHistory::GoOn) => RepeatedCall::MadeOnceLive(self.live.clone()),
            (None, _) => RepeatedCall::NeverAnswered,
        }
    }
}

impl<H: ToolHost> CallDispatcher<H> {
    /// Does what the program wants, for as long as it is polled.
    pub(crate) async fn serve(&mut self) -> std::convert::Infallible {
        loop {
            tokio::select! {
                Some(command) = self.commands.recv() => self.obey(command),
                Some(ended) = self.running.join_next() => self.note(ended.ok().flatten()),
                else => std::future::pending().await,
            }
        }
    }

    /// Ends every call; what came of each.
    pub(crate) fn finish(mut self) -> Vec<ProgramCall> {
        while let Some(ended) = self.running.try_join_next() {
            self.note(ended.ok().flatten());
        }
        self.calls
            .into_iter()
            .map(|mut call| {
                call.end();
                call.record
            })
            .collect()
    }

    fn obey(&mut self, command: CallCommand) {
        match command {
            CallCommand::Call(request) => self.start(request),
            CallCommand::Forget(mut ids) => {
                // The latest first: those that wait for a place must be gone before one becomes free.
                ids.sort_unstable_by(|one, other| other.cmp(one));
                for id in ids {
                    if let Some(call) = self.call_mut(id) {
                        call.abort.abort();
                        call.end();
                    }
                }
            }
            CallCommand::GoOn => {
                self.history.repeated.iter().for_each(|repeated| repeated.live.open());
            }
            CallCommand::Ask(question, reply) => {
                let (host, limits) = (Arc::clone(&self.host), self.limits.clone());
                self.running.spawn(async move {
                    let answer = match question {
                        ToolQuestion::Inspect(name) => host.inspect_tool(name).await,
                        ToolQuestion::List => host.list_callable_tools().await,
                        ToolQuestion::Status => host.server_status().await,
                        ToolQuestion::Unavailable(name) => Err(host.unavailable(&name)),
                        ToolQuestion::Keep { name, value } => host.keep_value(name, value).await,
                        ToolQuestion::Load(name) => host.load_value(name).await,
                    };
                    // The program may have ended meanwhile.
                    let answer = within("the answer", answer.map(CallValue::from), &limits);
                    let _ = reply.send(answer.map(|answer| answer.json));
                    None
                });
            }
        }
    }

    fn start(&mut self, request: CallRequest) {
        let made = Instant::now();
        let record =
            ProgramCall::unanswered(request.id, request.name.clone(), request.arguments.text().len());
        let begun = Arc::new(OnceLock::new());
        let begins = Arc::clone(&begun);
        let (host, places, limits) = (Arc::clone(&self.host), Arc::clone(&self.places), self.limits.clone());
        let (completions, account) = (self.completions.clone(), self.account.clone());
        let recorder = self.history.recorder.clone();
        let recorded = self.history.repeated.as_ref().map(|repeated| repeated.of(request.id));
        let abort = self.running.spawn(async move {
            match recorded {
                Some(RepeatedCall::Answered(result)) => {
                    begins.get_or_init(Instant::now);
                    let (result, charge) = kept(&request.name, result, &account);
                    let finished = Finished::new(request.id, Duration::ZERO, &result);
                    let _ = completions.send(Completion { id: request.id, result, charge, _place: None });
                    return Some(finished);
                }
                Some(RepeatedCall::NeverAnswered) => std::future::pending().await,
                Some(RepeatedCall::MadeOnceLive(live)) => live.opened().await,
                None => {}
            }
            let place = places.acquire_owned().await.ok();
            if completions.is_closed() {
                // The program ended while this call waited for its place: it must not happen any more.
                return None;
            }
            let begun = *begins.get_or_init(Instant::now);
            let (id, name) = (request.id, request.name.clone());
            let result = within(&format!("'{name}'"), call_host(&*host, request, &limits).await, &limits);
            let (result, charge) = kept(&name, result, &account);
            let finished = Finished::new(id, begun.elapsed(), &result);
            if let Some(recorder) = recorder {
                recorder.answered(id, &name, &result);
            }
            // The program may have ended meanwhile.
            let _ = completions.send(Completion { id, result, charge, _place: place });
            Some(finished)
        });
        self.calls.push(OpenCall { record, made, begun, abort, is_over: false });
    }

    fn note(&mut self, finished: Option<Finished>) {
        let Some(finished) = finished else { return };
        if let Some(call) = self.call_mut(finished.id) {
            call.end();
            call.record.elapsed = finished.elapsed;
            call.record.received = finished.received;
            call.record.outcome = finished.outcome;
        }
    }

    fn call_mut(&mut self, id: u64) -> Option<&mut OpenCall> {
        let index = usize::try_from(id.checked_sub(1)?).ok()?;
        self.calls.get_mut(index)
    }
}

/// One call within its time. A host that panics fails the call, not the run.
async fn call_host<H: ToolHost>(
    host: &H,
    request: CallRequest,
    limits: &Limits,
) -> Result<CallValue, HostError> {
    let name = request.name.clone();
    let call = AssertUnwindSafe(host.call(request)).catch_unwind();
    match tokio::time::timeout(limits.call, call).await {
        Ok(Ok(result)) => result,
        Ok(Err(_panic)) => {
            Err(HostError::new(HostErrorKind::Internal, format!("'{name}' failed: internal error")))
        }
        Err(_elapsed) => {
            let message = format!("'{name}' timed out after {}", seconds(limits.call));
            Err(HostError::new(HostErrorKind::Timeout, message))
        }
    }
}

/// An answer that fits into the program, or why it does not. A failure loses what is too much of it.
fn within(what: &str, answer: Result<CallValue, HostError>, limits: &Limits) -> Result<CallValue, HostError> {
    match answer {
        Ok(value) => match too_much(&value.json, limits) {
            None => Ok(value),
            Some(problem) => Err(HostError::new(HostErrorKind::Size, format!("{what} returned {problem}"))),
        },
        Err(mut error) => {
            error.structured.take_if(|payload| too_much(payload, limits).is_some());
            error.content.take_if(|payload| too_much(payload, limits).is_some());
            for text in [Some(&mut error.message), error.said.as_mut()].into_iter().flatten() {
                if text.len() > LONGEST_MESSAGE {
                    *text = cut_bytes(text, LONGEST_MESSAGE);
                }
            }
            Err(error)
        }
    }
}

/// A result that is paid for. One that can't be is lost, and the program learns why.
fn kept(
    name: &str,
    result: Result<CallValue, HostError>,
    account: &MemoryAccount,
) -> (Result<CallValue, HostError>, Option<Charge>) {
    let bytes = result.as_ref().map_or_else(HostError::bytes, |value| value.json.text().len()) as u64;
    match account.keep(bytes) {
        Ok(charge) => (result, Some(charge)),
        Err(why) => {
            let message = format!("'{name}' returned {}, and there is no memory for it: {why}", size(bytes));
            (Err(HostError::new(HostErrorKind::Size, message)), None)
        }
    }
}

fn too_much(value: &RawJson, limits: &Limits) -> Option<String> {
    let (bytes, levels) = (value.text().len(), scan_json(value.text()).levels);
    if bytes > limits.result {
        return Some(format!(
            "{} of JSON; the limit is {} (max_tool_result_bytes={}): ask for less, for example with a filter, a page \
             or fewer fields",
            size(bytes as u64),
            size(limits.result as u64),
            limits.result,
        ));
    }
    (levels > limits.nesting)
        .then(|| format!("JSON that nests {levels} levels deep; the limit is {}", limits.nesting))
}

#[cfg(test)]
mod tests;
