//! Where our frames are written and the server's are read: beneath rmcp, so that nothing is lost.
//!
//! rmcp makes the handshake and answers what a server asks. A request of ours that goes through it
//! gets a small stand-in for its answer, which keeps rmcp's correlation and cancellation working;
//! over a pair of streams most requests go out beside it, from the caller straight to the writer,
//! which saves two task switches. The real messages are kept here: the exact text of a result goes
//! to the [`Exchange`] that asked for it, requests of the server to the table of [`Ask`]s, and
//! notifications to the [`Inbox`].

#[cfg(feature = "http")]
mod http;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use mortise_contract::RawJson;
use mortise_contract::json::RawObject;
use mortise_contract::text::cut;
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, CustomRequest, EmptyResult, ErrorCode,
    ErrorData, GetExtensions, GetMeta, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerRequest,
    ServerResult,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::ask::{Ask, Asks};
use super::envelope::{self, Envelope, ResponseBody, ResponseId};
use super::exchange::{Carried, Exchange, ExchangeAnswer};
use super::framing;
use super::handshake::Handshake;
use super::inbox::{Inbox, short_text};
use crate::error::RpcError;
use crate::event::FaultKind;
use crate::limits::ASK_BYTES;

/// How many of the latest answered requests are remembered, to know a second answer when it comes.
const ANSWERED: usize = 64;

/// The method of the stand-in that rmcp gets for a request of the server.
pub(crate) const ASK_METHOD: &str = "mortise/ask";

/// What the transport of one connection shares with the users of the connection.
#[derive(Debug)]
pub(crate) struct Tap {
    next_id: AtomicU64,
    pending: Mutex<HashMap<u64, Pending>>,
    /// Ids of requests that were answered, each at its remainder.
    answered: [AtomicU64; ANSWERED],
    /// What the protocol wants in the `_meta` of every request; known from the first one.
    standing_meta: OnceLock<Map<String, Value>>,
    asks: Asks,
    /// Whether the server's input has got a message.
    has_written: AtomicBool,
    pub(crate) handshake: Handshake,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) frame_limit: usize,
}

/// A request that waits for its answer.
#[derive(Debug)]
struct Pending {
    /// The id under which rmcp knows it, if it went through rmcp.
    rmcp_id: Option<RequestId>,
    kind: PendingKind,
}

#[derive(Debug)]
enum PendingKind {
    Ours(Arc<Exchange>),
    /// A request that rmcp makes itself: `initialize` or `server/discover`.
    Handshake(String),
}

impl Pending {
    /// The request, if it is one of ours.
    fn exchange(&self) -> Option<&Arc<Exchange>> {
        match &self.kind {
            PendingKind::Ours(exchange) => Some(exchange),
            PendingKind::Handshake(_) => None,
        }
    }
}

/// A frame to be written.
pub(crate) struct Outgoing {
    pub(crate) frame: String,
    pub(crate) exchange: Option<Arc<Exchange>>,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only an HTTP answer is without its own id")
    )]
    pub(crate) wire_id: Option<u64>,
}

impl Tap {
    pub(crate) fn new(inbox: Arc<Inbox>, frame_limit: usize) -> Self {
        Self {
            next_id: AtomicU64::new(1),
            pending: Mutex::default(),
            answered: std::array::from_fn(|_| AtomicU64::new(0)),
            standing_meta: OnceLock::new(),
            asks: Asks::default(),
            has_written: AtomicBool::new(false),
            handshake: Handshake::default(),
            inbox,
            frame_limit,
        }
    }

    pub(crate) fn asks(&self) -> &Asks {
        &self.asks
    }

    /// Notes that the server's input has got a message.
    pub(crate) fn wrote(&self) {
        self.has_written.store(true, Ordering::Release);
    }

    pub(crate) fn has_written(&self) -> bool {
        self.has_written.load(Ordering::Acquire)
    }

    /// Turns what rmcp wants to send into a frame; `None` if there is nothing to send any more.
    pub(crate) fn outgoing(&self, message: &ClientJsonRpcMessage) -> Option<Outgoing> {
        match message {
            JsonRpcMessage::Request(request) => Some(self.outgoing_request(&request.request, &request.id)),
            JsonRpcMessage::Notification(notification) => {
                self.outgoing_notification(&notification.notification)
            }
            JsonRpcMessage::Response(response) => self.outgoing_answer(&response.id, None),
            JsonRpcMessage::Error(error) => self.outgoing_answer(error.id.as_ref()?, Some(&error.error)),
        }
    }

    fn outgoing_request(&self, request: &ClientRequest, rmcp_id: &RequestId) -> Outgoing {
        let wire_id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let carried = request.extensions().get::<Carried>().map(|carried| carried.0.clone());
        let frame = match &carried {
            Some(exchange) => exchange_frame(exchange, wire_id, self.standing_meta(request)),
            None => typed_frame(request, wire_id),
        };
        let kind = match &carried {
            Some(exchange) => {
                // A request that is sent again after its session was lost gets a new id.
                let before = exchange.sending(wire_id, &frame);
                if let Some(before) = before {
                    self.pending().remove(&before);
                }
                PendingKind::Ours(exchange.clone())
            }
            None => PendingKind::Handshake(request.method().to_owned()),
        };
        self.pending().insert(wire_id, Pending { rmcp_id: Some(rmcp_id.clone()), kind });
        Outgoing { frame, exchange: carried, wire_id: Some(wire_id) }
    }

    /// What rmcp puts into the `_meta` of a request. It is the same for all of one connection, but for
    /// the progress token: rmcp numbers its own, and ours can't be guessed.
    fn standing_meta(&self, request: &ClientRequest) -> &Map<String, Value> {
        self.standing_meta.get_or_init(|| {
            let mut meta = request.get_meta().0.0.clone();
            meta.remove("progressToken");
            meta
        })
    }

    /// The frame of a request that goes out beside rmcp; `None` while its `_meta` is not known.
    pub(crate) fn direct(&self, exchange: &Arc<Exchange>) -> Option<Outgoing> {
        let meta = self.standing_meta.get()?;
        let wire_id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let frame = exchange_frame(exchange, wire_id, meta);
        exchange.sending(wire_id, &frame);
        let kind = PendingKind::Ours(exchange.clone());
        self.pending().insert(wire_id, Pending { rmcp_id: None, kind });
        Some(Outgoing { frame, exchange: Some(exchange.clone()), wire_id: Some(wire_id) })
    }

    /// Stops waiting for a request that went out beside rmcp. Returns the notification for the server.
    pub(crate) fn cancel_direct(&self, exchange: &Exchange, reason: &str) -> Option<Outgoing> {
        let wire_id = exchange.unanswered()?;
        self.pending().remove(&wire_id)?;
        Some(Outgoing { frame: cancelled_frame(wire_id, Some(reason)), exchange: None, wire_id: None })
    }

    fn outgoing_notification(&self, notification: &ClientNotification) -> Option<Outgoing> {
        let frame = match notification {
            ClientNotification::CancelledNotification(cancelled) => {
                let rmcp_id = cancelled.params.request_id.as_ref()?;
                let wire_id = self.forget(rmcp_id)?;
                cancelled_frame(wire_id, cancelled.params.reason.as_deref())
            }
            other => serde_json::to_string(&ClientJsonRpcMessage::notification(other.clone())).ok()?,
        };
        Some(Outgoing { frame, exchange: None, wire_id: None })
    }

    fn outgoing_answer(&self, ask_id: &RequestId, error: Option<&ErrorData>) -> Option<Outgoing> {
        let RequestId::Number(number) = ask_id else { return None };
        let ask = self.asks.take(*number)?;
        let mut frame =
            RawObject::default().with("jsonrpc", RawJson::string("2.0")).with("id", ask.id.clone());
        match error {
            Some(error) => frame.set("error", RawJson::of(error).ok()?),
            None => {
                let empty = || RawObject::default().into_json();
                frame.set("result", ask.answer().cloned().unwrap_or_else(empty));
            }
        }
        Some(Outgoing { frame: frame.into_json().text().to_owned(), exchange: None, wire_id: None })
    }

    /// Stops waiting for a request that has ended without an answer.
    pub(crate) fn forget_exchange(&self, exchange: &Exchange) {
        if let Some(wire_id) = exchange.unanswered() {
            self.pending().remove(&wire_id);
        }
    }

    /// Stops waiting for the handshake that was tried before; rmcp counts its ids from the start again.
    pub(crate) fn forget_handshake(&self) {
        self.pending().retain(|wire_id, pending| match &pending.kind {
            PendingKind::Ours(_) => true,
            PendingKind::Handshake(method) => {
                self.handshake.abandon(*wire_id, method);
                false
            }
        });
    }

    /// Stops waiting for a request; its late answer will be counted as such.
    fn forget(&self, rmcp_id: &RequestId) -> Option<u64> {
        let mut pending = self.pending();
        let known = |entry: &Pending| entry.rmcp_id.as_ref() == Some(rmcp_id);
        let wire_id = pending.iter().find(|(_, entry)| known(entry)).map(|(id, _)| *id)?;
        pending.remove(&wire_id);
        Some(wire_id)
    }

    /// Takes in one frame; what rmcp must know of it is pushed to `out`. `stream` is the request that
    /// the HTTP stream answers on which the frame came.
    pub(crate) fn incoming(&self, text: &str, stream: Option<u64>, out: &mut VecDeque<ServerJsonRpcMessage>) {
        let parsed = match envelope::parse(text) {
            Ok(parsed) => parsed,
            Err(kind) => return self.unreadable(kind, text, out),
        };
        self.inbox.sound();
        if !parsed.has_version {
            self.inbox.fault(FaultKind::NoVersion, text);
        }
        match parsed.envelope {
            Envelope::Batch(items) => self.incoming_batch(&items, text, stream, out),
            envelope => self.incoming_one(envelope, text, stream, out),
        }
    }

    fn incoming_batch(
        &self,
        items: &[&RawValue],
        text: &str,
        stream: Option<u64>,
        out: &mut VecDeque<ServerJsonRpcMessage>,
    ) {
        if !self.handshake.allows_batches() {
            return self.inbox.fault(FaultKind::Batch, text);
        }
        for item in items {
            match envelope::parse(item.get()) {
                Ok(parsed) if !matches!(parsed.envelope, Envelope::Batch(_)) => {
                    self.incoming_one(parsed.envelope, item.get(), stream, out);
                }
                Ok(_) => self.inbox.fault(FaultKind::NotAMessage, item.get()),
                Err(kind) => self.inbox.fault(kind, item.get()),
            }
        }
    }

    fn incoming_one(
        &self,
        envelope: Envelope<'_>,
        text: &str,
        stream: Option<u64>,
        out: &mut VecDeque<ServerJsonRpcMessage>,
    ) {
        match envelope {
            Envelope::Request { id, method, params } => {
                let ask = if text.len() > ASK_BYTES {
                    self.inbox.fault(FaultKind::TooLarge, text);
                    Ask::oversize(id, text.len())
                } else {
                    Ask::new(id, &method, params, self.request_of(stream, params))
                };
                if let Some(number) = self.asks.insert(ask) {
                    let stand_in = ServerRequest::CustomRequest(CustomRequest::new(ASK_METHOD, None));
                    out.push_back(ServerJsonRpcMessage::request(stand_in, RequestId::Number(number)));
                } else {
                    self.inbox.fault(FaultKind::UnexpectedRequest, text);
                }
            }
            Envelope::Notification { method, params } => {
                out.extend(self.notification(&method, params, stream));
            }
            Envelope::Response { id, body } => self.response(id, body, text, out),
            Envelope::Batch(_) => {}
        }
    }

    /// The request of ours that a message belongs to: the one that its HTTP stream answers, or the one
    /// whose progress token it repeats. `None` when the server has left it open.
    fn request_of(&self, stream: Option<u64>, params: Option<&RawValue>) -> Option<Arc<Exchange>> {
        #[derive(serde::Deserialize)]
        struct ProgressTokenParams<'a> {
            #[serde(rename = "_meta", borrow)]
            meta: Meta<'a>,
        }
        #[derive(serde::Deserialize)]
        struct Meta<'a> {
            #[serde(rename = "progressToken", borrow)]
            token: &'a RawValue,
        }
        let by_token = || {
            let params: ProgressTokenParams<'_> = serde_json::from_str(params?.get()).ok()?;
            self.by_token(params.meta.token)
        };
        match stream {
            Some(wire_id) => self.pending().get(&wire_id)?.exchange().cloned(),
            None => by_token(),
        }
    }

    /// The request that carries this progress token, which must be the very string that we sent.
    fn by_token(&self, token: &RawValue) -> Option<Arc<Exchange>> {
        let token = short_text(token)?;
        let wire_id = token.split_once('-')?.0.parse().ok()?;
        let pending = self.pending();
        let exchange = pending.get(&wire_id)?.exchange()?;
        (exchange.token(wire_id).as_ref() == Some(&token)).then(|| exchange.clone())
    }

    fn notification(
        &self,
        method: &str,
        params: Option<&RawValue>,
        stream: Option<u64>,
    ) -> Option<ServerJsonRpcMessage> {
        match method {
            "notifications/cancelled" => return self.cancelled(params?),
            "notifications/progress" => {
                self.inbox.progress(params, |token| self.by_token(token)?.progress.clone());
            }
            "notifications/message" => {
                let request = self.request_of(stream, params);
                let listener = request.as_ref().and_then(|exchange| exchange.listener.as_deref());
                self.inbox.log(params, listener);
            }
            _ => self.inbox.notification(method, params),
        }
        None
    }

    /// The server withdraws a request of its own, or ends a subscription of ours.
    fn cancelled(&self, params: &RawValue) -> Option<ServerJsonRpcMessage> {
        #[derive(serde::Deserialize)]
        struct CancelledParams<'a> {
            #[serde(rename = "requestId", borrow)]
            request_id: &'a RawValue,
        }
        let params: CancelledParams<'_> = serde_json::from_str(params.get()).ok()?;
        if self.asks.cancel(params.request_id.get()) {
            return None;
        }
        let wire_id = params.request_id.get().parse().ok()?;
        let is_subscription = match &self.pending().get(&wire_id)?.kind {
            PendingKind::Ours(exchange) => exchange.method == "subscriptions/listen",
            PendingKind::Handshake(_) => false,
        };
        let ended = || ExchangeAnswer::Malformed { detail: "the server ended the subscription".to_owned() };
        is_subscription.then(|| self.fail(wire_id, ended()))?
    }

    fn response(
        &self,
        id: ResponseId,
        body: ResponseBody<'_>,
        text: &str,
        out: &mut VecDeque<ServerJsonRpcMessage>,
    ) {
        let ResponseId::Number(wire_id) = id else {
            return self.inbox.fault(FaultKind::UnknownResponse, text);
        };
        let Some(pending) = self.pending().remove(&wire_id) else {
            // We gave the request up, so its answer is not the server's fault.
            if self.handshake.take_abandoned(wire_id, &body) {
                return tracing::debug!(wire_id, "an answer to a handshake that was given up");
            }
            let was_ours = wire_id < self.next_id.load(Ordering::Relaxed) && wire_id > 0;
            let kind = match was_ours {
                true if self.answered(wire_id).load(Ordering::Relaxed) == wire_id => {
                    FaultKind::RepeatedResponse
                }
                true => FaultKind::LateResponse,
                false => FaultKind::UnknownResponse,
            };
            return self.inbox.fault(kind, text);
        };
        self.answered(wire_id).store(wire_id, Ordering::Relaxed);
        let answer = match body {
            ResponseBody::Result(raw) => ExchangeAnswer::Result(raw_json(raw)),
            ResponseBody::Error(raw) => ExchangeAnswer::Error(rpc_error(&raw_json(raw))),
            ResponseBody::Both => {
                self.inbox.fault(FaultKind::BothResultAndError, text);
                ExchangeAnswer::Malformed { detail: "both `result` and `error`".to_owned() }
            }
            ResponseBody::Neither => {
                self.inbox.fault(FaultKind::NeitherResultNorError, text);
                ExchangeAnswer::Malformed { detail: "neither `result` nor `error`".to_owned() }
            }
        };
        out.extend(self.settle(pending, answer, Some(text)));
    }

    fn answered(&self, wire_id: u64) -> &AtomicU64 {
        let place = usize::try_from(wire_id % ANSWERED as u64).unwrap_or_default();
        &self.answered[place]
    }

    /// Fails the request that was sent as `wire_id`. Returns the stand-in that wakes up rmcp's caller.
    pub(crate) fn fail(&self, wire_id: u64, answer: ExchangeAnswer) -> Option<ServerJsonRpcMessage> {
        let pending = self.pending().remove(&wire_id)?;
        self.settle(pending, answer, None)
    }

    /// Takes in what stands after the last line end: a message, or the start of one that will never end.
    pub(crate) fn incoming_rest(&self, text: &str, out: &mut VecDeque<ServerJsonRpcMessage>) {
        match envelope::parse(text) {
            Ok(_) => self.incoming(text, None, out),
            // That the connection has ended says more about the request than half of its answer.
            Err(kind) => self.inbox.fault(kind, text),
        }
    }

    /// Takes in a frame that can't be read. Where it is clear which request it was meant to answer,
    /// that one fails now, since nothing else will come for it.
    pub(crate) fn unreadable(&self, kind: FaultKind, text: &str, out: &mut VecDeque<ServerJsonRpcMessage>) {
        self.inbox.fault(kind, text);
        let meant = framing::answered_id(text).filter(|id| {
            self.pending().get(id).is_some_and(|pending| matches!(pending.kind, PendingKind::Ours(_)))
        });
        let detail = || format!("it {}: `{}`", kind.reason(), self.inbox.excerpt(text));
        out.extend(meant.and_then(|id| self.fail(id, ExchangeAnswer::Malformed { detail: detail() })));
    }

    /// The ids of all requests that wait.
    pub(crate) fn waiting(&self) -> Vec<u64> {
        self.pending().keys().copied().collect()
    }

    /// Hands an answer to its request. Returns the stand-in for rmcp, if rmcp knows the request.
    fn settle(
        &self,
        pending: Pending,
        answer: ExchangeAnswer,
        text: Option<&str>,
    ) -> Option<ServerJsonRpcMessage> {
        match pending.kind {
            PendingKind::Ours(exchange) => {
                exchange.answer(answer, text);
                let stand_in = ServerResult::EmptyResult(EmptyResult {});
                Some(ServerJsonRpcMessage::response(stand_in, pending.rmcp_id?))
            }
            PendingKind::Handshake(method) => {
                let rmcp_id = pending.rmcp_id?;
                Some(match self.handshake.record(&method, answer) {
                    Ok(result) => ServerJsonRpcMessage::response(result, rmcp_id),
                    Err(error) => ServerJsonRpcMessage::error(error, Some(rmcp_id)),
                })
            }
        }
    }

    fn pending(&self) -> MutexGuard<'_, HashMap<u64, Pending>> {
        self.pending.lock()
    }
}

/// `{"jsonrpc":"2.0","id":…,"method":…,"params":{…}}` with the parameters byte for byte.
///
/// Written in one pass, since arguments may be large. The names of parameters are our own and need no escape.
fn exchange_frame(exchange: &Exchange, wire_id: u64, protocol_meta: &Map<String, Value>) -> String {
    let mut meta = exchange.meta.clone().unwrap_or_default();
    meta.extend(protocol_meta.iter().map(|(key, value)| (key.clone(), value.clone())));
    if exchange.takes_tasks() {
        declare_tasks(&mut meta);
    }
    if let Some(token) = exchange.token(wire_id) {
        meta.insert("progressToken".to_owned(), Value::from(token));
    }
    let meta = (!meta.is_empty()).then(|| Value::Object(meta).to_string());
    let members = || {
        let params = exchange.params.iter().map(|(name, value)| (name, value.text()));
        params.chain(meta.as_deref().map(|meta| ("_meta", meta)))
    };
    let bytes: usize = members().map(|(name, text)| name.len() + text.len() + 4).sum();
    let mut frame = String::with_capacity(bytes + exchange.method.len() + 80);
    frame.push_str(r#"{"jsonrpc":"2.0","id":"#);
    frame.push_str(&wire_id.to_string());
    frame.push_str(r#","method":""#);
    frame.push_str(exchange.method);
    frame.push('"');
    let mut before = r#","params":{"#;
    for (name, text) in members() {
        frame.extend([before, "\"", name, "\":", text]);
        before = ",";
    }
    frame.push_str(if before == "," { "}}" } else { "}" });
    frame
}

/// Adds the extension to the capabilities that a modern request carries; a legacy one carries none.
///
/// Only requests about calls declare it, so a server lists the same tools as before.
fn declare_tasks(meta: &mut Map<String, Value>) {
    let capabilities = meta.get_mut("io.modelcontextprotocol/clientCapabilities");
    if let Some(capabilities) = capabilities.and_then(Value::as_object_mut) {
        let extensions = capabilities.entry("extensions").or_insert_with(|| json!({}));
        extensions["io.modelcontextprotocol/tasks"] = json!({});
    }
}

fn cancelled_frame(wire_id: u64, reason: Option<&str>) -> String {
    let mut params = json!({ "requestId": wire_id });
    if let Some(reason) = reason {
        params["reason"] = Value::from(reason);
    }
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
}

fn typed_frame(request: &ClientRequest, wire_id: u64) -> String {
    let id = RequestId::Number(i64::try_from(wire_id).unwrap_or(i64::MAX));
    let message = ClientJsonRpcMessage::request(request.clone(), id);
    serde_json::to_string(&message).unwrap_or_default()
}

/// Keeps a piece of a frame that was already checked.
pub(crate) fn raw_json(raw: &RawValue) -> RawJson {
    RawJson::from(raw.to_owned())
}

/// Reads an error object, however odd.
pub(crate) fn rpc_error(raw: &RawJson) -> RpcError {
    #[derive(serde::Deserialize)]
    struct RpcErrorMembers<'a> {
        #[serde(default)]
        code: Option<Value>,
        #[serde(default)]
        message: Option<Value>,
        #[serde(default, borrow)]
        data: Option<&'a RawValue>,
    }
    let Ok(members) = serde_json::from_str::<RpcErrorMembers<'_>>(raw.text()) else {
        return RpcError { code: 0, message: cut(raw.text(), 256), data: Some(raw.clone()) };
    };
    RpcError {
        code: members.code.as_ref().and_then(Value::as_i64).unwrap_or(0),
        message: match members.message {
            Some(Value::String(message)) => message,
            Some(other) => other.to_string(),
            None => String::new(),
        },
        data: members.data.map(raw_json),
    }
}

/// The error as rmcp takes it.
pub(crate) fn error_data(error: &RpcError) -> ErrorData {
    let code = i32::try_from(error.code).unwrap_or(ErrorCode::INTERNAL_ERROR.0);
    let data = error.data.as_ref().and_then(|data| data.value().ok());
    ErrorData::new(ErrorCode(code), error.message.clone(), data)
}
