//! One question to a server. It takes several requests when the server is busy or asks for input.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use http::{HeaderName, HeaderValue};
use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use tokio::time::Instant;

use super::Upstream;
use crate::call::CallOptions;
use crate::error::CallError;
use crate::facts::Era;
use crate::handler::ServerAsk;
use crate::limits::{ASK_BYTES, INPUT_ROUNDS};
use crate::wire::service::oversize_ask;
use crate::wire::{Exchange, RecordedExchange, UpstreamConnection, Wait};

/// How often a request is repeated after the server answered that it is busy.
const MAX_RETRIES: u32 = 2;
/// The longest pause before that.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What is asked.
pub(super) struct UpstreamQuestion<'a> {
    pub(super) method: &'static str,
    pub(super) params: RawObject,
    /// What it is about, for messages.
    pub(super) subject: &'a str,
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether the request may be sent twice.
    pub(super) repeatable: bool,
    pub(super) options: &'a CallOptions,
}

/// The result, and how long it took from the first request to the last answer.
pub(super) struct Answered {
    pub(super) raw: RawJson,
    pub(super) elapsed: Duration,
}

impl Upstream {
    /// Asks, gives the input that the server wants, and asks again until there is a result.
    pub(super) async fn ask_in_rounds(
        &self,
        connection: &UpstreamConnection,
        question: &UpstreamQuestion<'_>,
        wait: &Wait,
        mut exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<Answered, CallError> {
        let started = Instant::now();
        let mut params = question.params.clone();
        for round in 0..=INPUT_ROUNDS {
            let (raw, elapsed) =
                self.ask_once(connection, question, &params, wait, exchanges.as_deref_mut()).await?;
            let Some(needed) = needed_input(connection, &raw) else {
                let elapsed = if round == 0 { elapsed } else { started.elapsed() };
                return Ok(Answered { raw, elapsed });
            };
            if round == INPUT_ROUNDS {
                break;
            }
            if raw.text().len() > ASK_BYTES {
                // It would be held for as long as a user takes to answer.
                return Err(self.needs_input(question, oversize_ask(raw.text().len())));
            }
            let given = tokio::select! {
                given = self.give_input(question, needed) => given?,
                () = wait.cancel.cancelled() => return Err(self.cancelled(question.subject)),
                () = tokio::time::sleep_until(wait.deadline) => return Err(self.timed_out(question.subject, wait)),
            };
            params = question.params.clone();
            params.extend(given);
        }
        Err(self.needs_input(question, format!("it asked {INPUT_ROUNDS} times and did not come to an end")))
    }

    /// One request; once more or twice if the server is busy and asking again does no harm.
    async fn ask_once(
        &self,
        connection: &UpstreamConnection,
        question: &UpstreamQuestion<'_>,
        params: &RawObject,
        wait: &Wait,
        mut exchanges: Option<&mut Vec<RecordedExchange>>,
    ) -> Result<(RawJson, Duration), CallError> {
        let mut retries = 0;
        loop {
            let mut exchange = Exchange::new(question.method, params.clone());
            exchange.progress = question.options.progress.clone();
            exchange.listener = question.options.listener.clone();
            exchange.meta = question.options.meta.clone();
            exchange.headers = question.headers.clone();
            exchange.record = exchanges.is_some() || question.options.record.is_some();
            let exchange = Arc::new(exchange);
            let answered = connection.request(exchange.clone(), question.subject, wait).await;
            if let Some(exchanges) = exchanges.as_deref_mut() {
                exchanges.push(exchange.recorded());
            }
            if let Some(record) = &question.options.record {
                let _ = record.try_send(exchange.recorded());
            }
            let pause = match &answered {
                Err(CallError::Http { status: 429 | 503, retry_after, .. })
                    if question.repeatable && retries < MAX_RETRIES =>
                {
                    pause(retry_after.as_deref(), retries)
                }
                _ => None,
            };
            let Some(pause) = pause.filter(|pause| Instant::now() + *pause < wait.deadline) else {
                return answered.map(|raw| (raw, exchange.elapsed().unwrap_or_default()));
            };
            retries += 1;
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = wait.cancel.cancelled() => return Err(self.cancelled(question.subject)),
            }
        }
    }

    /// Has every request for input answered and returns the members to add to `params`.
    pub(super) async fn give_input(
        &self,
        question: &UpstreamQuestion<'_>,
        needed: NeededInput,
    ) -> Result<RawObject, CallError> {
        let asks = needed.requests.into_iter().map(|(key, request)| async move {
            let ask = ServerAsk {
                server: self.name().clone(),
                method: string_member(&request, "method").unwrap_or_default(),
                params: request.member("params"),
            };
            let method = ask.method.clone();
            let listener = question.options.listener.as_deref();
            let answer = self.inner.shared.identity.handlers.answer(ask, listener).await;
            answer
                .map(|answer| (key, answer))
                .map_err(|error| self.needs_input(question, format!("`{method}`: {error}")))
        });
        let given: RawObject = join_all(asks).await.into_iter().collect::<Result<_, _>>()?;
        let mut params = RawObject::default();
        if !given.is_empty() {
            params.set("inputResponses", given.into_json());
        }
        if let Some(state) = needed.state {
            params.set("requestState", state);
        }
        Ok(params)
    }

    pub(super) fn needs_input(&self, question: &UpstreamQuestion<'_>, detail: String) -> CallError {
        let server = self.name().clone();
        CallError::InputRequired { server, subject: question.subject.to_owned(), detail }
    }

    pub(super) fn cancelled(&self, subject: &str) -> CallError {
        CallError::Cancelled { server: self.name().clone(), subject: subject.to_owned() }
    }

    pub(super) fn timed_out(&self, subject: &str, wait: &Wait) -> CallError {
        CallError::Timeout {
            server: self.name().clone(),
            subject: subject.to_owned(),
            after: wait.timeout,
            skipped: None,
        }
    }
}

/// What a server wants to know before it goes on.
pub(super) struct NeededInput {
    pub(super) requests: Vec<(String, RawJson)>,
    /// Sent back byte for byte.
    pub(super) state: Option<RawJson>,
}

impl NeededInput {
    pub(super) fn of(raw: &RawJson) -> Self {
        let requests = raw.member("inputRequests").and_then(|requests| requests.members().ok());
        Self { requests: requests.unwrap_or_default(), state: raw.member("requestState") }
    }
}

/// Only the modern protocol has this kind of result.
fn needed_input(connection: &UpstreamConnection, raw: &RawJson) -> Option<NeededInput> {
    if connection.facts().era != Era::Modern || !raw.text().contains("\"input_required\"") {
        return None;
    }
    if string_member(raw, "resultType").as_deref() != Some("input_required") {
        return None;
    }
    Some(NeededInput::of(raw))
}

pub(super) fn string_member(raw: &RawJson, name: &str) -> Option<String> {
    serde_json::from_str(raw.member(name)?.text()).ok()
}

/// How long to wait before asking again; `None` when the server wants more than we give.
fn pause(retry_after: Option<&str>, retries: u32) -> Option<Duration> {
    let pause = match retry_after {
        Some(text) => Duration::from_secs(text.trim().parse().ok()?),
        None => Duration::from_millis(500) * 2u32.pow(retries),
    };
    (pause <= LONGEST_PAUSE).then_some(pause)
}
