//! What a handler knows about its call and can say while it runs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::arguments::CallArguments;
use crate::call::outbox::Outbox;
use crate::input::{AskError, Elicited, InputRequest};
use crate::{Client, LogLevel};

/// The context of one request. Cheap to clone; clones speak for the same request.
#[derive(Clone, Debug)]
pub struct CallContext(Arc<CallParts>);

/// Where a request comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// Number of the session or connection; none where every request stands alone.
    pub(crate) session: Option<u64>,
    /// Where the request came from, over HTTP.
    pub(crate) peer: Option<IpAddr>,
    /// Fires when the client has left.
    pub(crate) left: CancellationToken,
    /// Fires when the server stops and calls have no more time.
    pub(crate) stopping: CancellationToken,
    /// The lowest level of log messages that the client has asked for.
    pub(crate) log_level: Option<LogLevel>,
}

/// What a context is made of.
#[derive(Debug)]
pub(crate) struct CallParts {
    pub(crate) client: Client,
    pub(crate) arguments: CallArguments,
    pub(crate) meta: Map<String, Value>,
    pub(crate) answers: BTreeMap<String, Value>,
    pub(crate) state: Option<Value>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) origin: Origin,
}

impl CallContext {
    pub(crate) fn new(parts: CallParts) -> Self {
        Self(Arc::new(parts))
    }

    /// A context that belongs to no connection: what is said goes nowhere and
    /// questions are unsupported. For calling a [`ToolSet`](crate::ToolSet) directly in tests.
    pub fn detached(client: Client, arguments: Map<String, Value>) -> Self {
        Self::new(CallParts {
            client,
            arguments: arguments.into(),
            meta: Map::new(),
            answers: BTreeMap::new(),
            state: None,
            cancellation: CancellationToken::new(),
            outbox: Arc::new(Outbox::closed()),
            origin: Origin::default(),
        })
    }

    /// Who is asking.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// The arguments, parsed and valid. [`ToolCall::arguments`](mortise_contract::ToolCall) has them digit for digit.
    pub fn arguments(&self) -> &Map<String, Value> {
        self.0.arguments.values()
    }

    /// The request's `_meta`, with `traceparent` and `tracestate` if the client sent them.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.0.meta
    }

    /// Fires when the client cancels, disconnects where that means cancel, or the server stops.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// Fires when the client has closed its side or its session has ended.
    ///
    /// The call then has a few seconds to finish, since its answer may still be read. A call that
    /// is expensive and has no effect for others should stop at once.
    pub fn client_left(&self) -> &CancellationToken {
        &self.0.origin.left
    }

    /// A number that all requests of one session or connection have in common, and no others of this
    /// server. None for a client of 2026-07-28 over HTTP, where every request stands alone.
    pub fn session(&self) -> Option<u64> {
        self.0.origin.session
    }

    /// The address that the request came from, over HTTP.
    pub fn peer(&self) -> Option<IpAddr> {
        self.0.origin.peer
    }

    /// The lowest level of log messages that the client has asked for, if it has.
    pub fn log_level(&self) -> Option<LogLevel> {
        self.0.origin.log_level
    }

    /// Reports progress, if the client asked for it.
    ///
    /// A value that is not above the last one is dropped, and so is one that a newer
    /// value overtakes before the client took it.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        self.0.outbox.progress(progress, total, message);
    }

    /// The last progress that a call with a [`detached`](Self::detached) context reported: progress, total, message.
    pub fn told_progress(&self) -> Option<(f64, Option<f64>, Option<String>)> {
        let newest = self.0.outbox.newest_progress()?;
        Some((newest.progress, newest.total, newest.message))
    }

    /// Sends a log message, if the client asked for messages of that level.
    pub fn log(&self, level: LogLevel, data: Value) {
        self.0.outbox.log(level, data);
    }

    /// The client's answer to the question of that key, when this call is the one
    /// that follows an [`InputRequired`](crate::InputRequired). Written by the client: check it.
    pub fn answer(&self, key: &str) -> Option<&Value> {
        self.0.answers.get(key)
    }

    /// Like [`CallContext::answer`], read as the answer to an elicitation.
    pub fn elicited(&self, key: &str) -> Option<Elicited> {
        Elicited::parse(self.answer(key)?).ok()
    }

    /// The state given with the [`InputRequired`](crate::InputRequired) that this call follows.
    pub fn state(&self) -> Option<&Value> {
        self.0.state.as_ref()
    }

    /// Asks the user to fill in a form and waits for it, see [`CallContext::ask`].
    ///
    /// # Errors
    ///
    /// When the client can't be asked or does not answer as asked.
    pub async fn elicit(&self, message: &str, schema: Value) -> Result<Elicited, AskError> {
        Elicited::parse(&self.ask(InputRequest::form(message, schema)).await?)
    }

    /// Puts a question to the client in the middle of a call and waits for the answer.
    ///
    /// Works in both eras: an old client gets a request; a client of 2026-07-28
    /// gets the question as the result, and the call waits in memory until the
    /// client comes back with the answer. There the wait is bounded, and a server
    /// with several instances must send the client back to the same one; use
    /// [`InputRequired`](crate::InputRequired) where that matters.
    ///
    /// # Errors
    ///
    /// When the client can't be asked or does not answer as asked.
    pub async fn ask(&self, request: InputRequest) -> Result<Value, AskError> {
        if !self.client().supports(request.kind()) {
            return Err(AskError::Unsupported { method: request.method() });
        }
        let answer = tokio::select! {
            answer = self.0.outbox.ask(request.clone()) => answer?,
            () = self.0.cancellation.cancelled() => return Err(AskError::Gone),
        };
        request.check(&answer)?;
        Ok(answer)
    }
}
