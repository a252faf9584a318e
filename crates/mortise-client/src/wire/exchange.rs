//! One request of ours and what came back for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use http::{HeaderName, HeaderValue};
use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use mortise_contract::text::hex;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::error::RpcError;
use crate::event::ProgressReport;
use crate::handler::CallListener;

/// A request on its way. It travels through rmcp in the request's extensions, so that the
/// transport can write our exact parameters and put the exact answer here.
pub(crate) struct Exchange {
    pub(crate) method: &'static str,
    /// Without `_meta`.
    pub(crate) params: RawObject,
    /// Members of `_meta` that the caller adds to those of the protocol.
    pub(crate) meta: Option<Map<String, Value>>,
    /// Receives progress reports.
    pub(crate) progress: Option<mpsc::Sender<ProgressReport>>,
    /// Answers and receives what the server sends for this request.
    pub(crate) listener: Option<Arc<dyn CallListener>>,
    /// Headers that go with this request over HTTP.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether the frames are kept.
    pub(crate) record: bool,
    abandoned: AtomicBool,
    state: Mutex<ExchangeState>,
    /// 128 random bits in hex, for its progress token.
    nonce: OnceLock<String>,
    /// Fires when the answer has come or the request was given up.
    over: CancellationToken,
}

#[derive(Default)]
struct ExchangeState {
    wire_id: Option<u64>,
    /// The newest id of an event on the HTTP stream that answers it.
    #[cfg(feature = "http")]
    last_event: Option<String>,
    sent: Option<Instant>,
    answered: Option<Instant>,
    answer: Option<ExchangeAnswer>,
    request_frame: Option<String>,
    response_frame: Option<String>,
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) enum ExchangeAnswer {
    Result(RawJson),
    Error(RpcError),
    /// The answer was larger than a frame may be.
    TooLarge {
        limit: usize,
    },
    /// The answer breaks JSON-RPC.
    Malformed {
        detail: String,
    },
    /// HTTP 401, or 403 with a challenge.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only an HTTP server gives it"))]
    AuthRequired {
        challenge: Option<String>,
        detail: Option<String>,
    },
    /// Another HTTP status without a JSON-RPC message.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only an HTTP server gives it"))]
    Http {
        status: u16,
        retry_after: Option<String>,
        body: String,
    },
    /// The request could not be sent or its answer not be read.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only an HTTP server gives it"))]
    Network {
        detail: String,
    },
}

/// The frames of one request, for people who want to see everything.
///
/// `Debug` shows their sizes only, since arguments and results may hold secrets.
#[derive(Clone)]
pub struct RecordedExchange {
    /// The method.
    pub method: &'static str,
    /// The request as it was written, if it got that far.
    pub request: Option<String>,
    /// The answer as it was read, if there was one.
    pub response: Option<String>,
    /// From the request to the answer.
    pub elapsed: Option<Duration>,
}

impl Exchange {
    pub(crate) fn new(method: &'static str, params: RawObject) -> Self {
        Self {
            method,
            params,
            meta: None,
            progress: None,
            listener: None,
            headers: Vec::new(),
            record: false,
            abandoned: AtomicBool::new(false),
            state: Mutex::default(),
            nonce: OnceLock::new(),
            over: CancellationToken::new(),
        }
    }

    /// Whether the request may be answered with a task, or is about one.
    pub(crate) fn takes_tasks(&self) -> bool {
        self.method == "tools/call" || self.method.starts_with("tasks/")
    }

    /// Gives the request up. A frame that is still queued is not written.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
        self.over.cancel();
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Notes that the request goes out under `wire_id`; gives back an id it had before.
    pub(crate) fn sending(&self, wire_id: u64, frame: &str) -> Option<u64> {
        let mut state = self.state();
        state.sent.get_or_insert_with(Instant::now);
        if self.record {
            state.request_frame = Some(frame.to_owned());
        }
        state.wire_id.replace(wire_id)
    }

    /// The id it went out under, if no answer has come.
    pub(crate) fn unanswered(&self) -> Option<u64> {
        let state = self.state();
        state.wire_id.filter(|_| state.answered.is_none())
    }

    /// Keeps the first answer; later ones are dropped.
    pub(crate) fn answer(&self, answer: ExchangeAnswer, frame: Option<&str>) {
        let mut state = self.state();
        if state.answer.is_none() {
            state.answered = Some(Instant::now());
            state.answer = Some(answer);
            if self.record {
                state.response_frame = frame.map(str::to_owned);
            }
            drop(state);
            self.over.cancel();
        }
    }

    /// Resolves when the answer has come or the request was given up.
    pub(crate) async fn over(&self) {
        self.over.cancelled().await;
    }

    /// The progress token under `wire_id`, if the request carries one: it also links what the server sends to the
    /// request. Callers of one server share its connection, so none of them may guess the token of another.
    pub(crate) fn token(&self, wire_id: u64) -> Option<String> {
        let is_wanted = self.progress.is_some() || self.listener.is_some();
        is_wanted.then(|| format!("{wire_id}-{}", self.nonce.get_or_init(random_hex)))
    }

    /// Notes the id of an event on the HTTP stream that answers this request.
    #[cfg(feature = "http")]
    pub(crate) fn note_event(&self, id: &str) {
        self.state().last_event = Some(id.to_owned());
    }

    #[cfg(feature = "http")]
    pub(crate) fn is_last_event(&self, id: &str) -> bool {
        self.state().last_event.as_deref() == Some(id)
    }

    pub(crate) fn take_answer(&self) -> Option<ExchangeAnswer> {
        self.state().answer.take()
    }

    pub(crate) fn elapsed(&self) -> Option<Duration> {
        let state = self.state();
        Some(state.answered?.duration_since(state.sent?))
    }

    pub(crate) fn recorded(&self) -> RecordedExchange {
        let elapsed = self.elapsed();
        let state = self.state();
        RecordedExchange {
            method: self.method,
            request: state.request_frame.clone(),
            response: state.response_frame.clone(),
            elapsed,
        }
    }

    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.state.lock()
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Exchange").field("method", &self.method).finish_non_exhaustive()
    }
}

impl fmt::Debug for RecordedExchange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |frame: &Option<String>| frame.as_ref().map(|frame| format!("{} bytes", frame.len()));
        formatter
            .debug_struct("RecordedExchange")
            .field("method", &self.method)
            .field("request", &size(&self.request))
            .field("response", &size(&self.response))
            .field("elapsed", &self.elapsed)
            .finish()
    }
}

/// 128 random bits in hex.
fn random_hex() -> String {
    let mut bytes = [0; 16];
    #[expect(clippy::expect_used, reason = "without randomness no token is safe; the kernel provides it")]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    hex(&bytes)
}

/// How an [`Exchange`] travels in rmcp's extensions.
#[derive(Clone, Debug)]
pub(crate) struct Carried(pub(crate) Arc<Exchange>);
