//! A relay from a client's lines to an HTTP endpoint: one POST per message, answers as lines.

mod headers;
mod stream;

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;

use ::http::header::{ACCEPT, CONTENT_TYPE};
use ::http::{Method, StatusCode};
use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use mortise_contract::RawJson;
use mortise_contract::recording::MessageSource;
use mortise_contract::text::{cut, one_line};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, Notify};

use super::lines::RelayLines;
use super::{RelayEnd, RelayWitness};
use crate::http_target::{HttpTarget, TargetReply};
use crate::limits::{FRAME_BYTES, UPSTREAM_GRACE, UPSTREAM_STALL};
use headers::HeaderMemory;

const BOTH: &str = "application/json, text/event-stream";
/// Bytes read from the client at once.
const CHUNK: usize = 64 * 1024;
/// Characters of an unusable answer that an error repeats.
const BODY_SHOWN: usize = 300;
/// The code of an error that the relay answers with.
const INTERNAL_ERROR: i32 = -32603;

/// What the parts of one relay share.
struct HttpRelay<'a, W> {
    target: HttpTarget,
    witness: &'a dyn RelayWitness,
    output: Mutex<W>,
    memory: parking_lot::Mutex<HeaderMemory>,
}

/// A message of the client, as far as the relay looks into it.
#[derive(Clone)]
struct ClientMessage {
    text: String,
    method: Option<String>,
    /// The text of its id, if it is a request.
    id: Option<String>,
    params: Option<RawJson>,
}

#[derive(Deserialize)]
struct MessageMembers<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

impl ClientMessage {
    fn read(text: String) -> Self {
        let members: Option<MessageMembers<'_>> = serde_json::from_str(&text).ok();
        let (method, id, params) = members.map_or((None, None, None), |members| {
            let id = members.id.filter(|_| members.method.is_some()).map(|id| id.get().to_owned());
            (members.method, id, members.params.and_then(|params| RawJson::parse(params.get()).ok()))
        });
        Self { text, method, id, params }
    }

    fn is(&self, method: &str) -> bool {
        self.method.as_deref() == Some(method)
    }

    /// The request that a modern client gives up: over HTTP, closing its stream says so.
    fn cancels(&self) -> Option<String> {
        let params = self.params.as_ref().filter(|_| self.is("notifications/cancelled"))?;
        Some(params.member("requestId")?.text().to_owned())
    }
}

/// Passes messages on until the client closes its side or `stop` is done.
pub(super) async fn relay(
    target: HttpTarget,
    mut input: impl AsyncRead + Send + Unpin,
    output: impl AsyncWrite + Send + Unpin,
    witness: &dyn RelayWitness,
    stop: impl Future<Output = ()>,
) -> RelayEnd {
    let relay = HttpRelay {
        target,
        witness,
        output: Mutex::new(output),
        memory: parking_lot::Mutex::new(HeaderMemory::default()),
    };
    let mut stop = pin!(stop);
    let mut requests = FuturesUnordered::new();
    let mut events = FuturesUnordered::new();
    let mut cancels: HashMap<String, Arc<Notify>> = HashMap::new();
    let mut lines = RelayLines::default();
    let mut ready: VecDeque<String> = VecDeque::new();
    let mut chunk = vec![0; CHUNK];
    let end = loop {
        while let Some(text) = ready.pop_front() {
            relay.witness.passed(MessageSource::Client, &text);
            let message = ClientMessage::read(text);
            if let Some(cancel) = message.cancels().and_then(|id| cancels.remove(&id)) {
                cancel.notify_one();
                continue;
            }
            let Some(id) = message.id.clone() else {
                // What follows a notification must not overtake it.
                relay.exchange(&message).await;
                if message.is("notifications/initialized") {
                    events.push(relay.listen());
                }
                continue;
            };
            let cancel = Arc::new(Notify::new());
            if relay.memory.lock().is_modern(&message) {
                cancels.insert(id.clone(), cancel.clone());
            }
            requests.push(async {
                let (cancel, message) = (cancel, message);
                tokio::select! {
                    () = relay.exchange(&message) => {}
                    () = cancel.notified() => {}
                }
                id
            });
        }
        // A server with too much to do is not given more.
        let may_read = requests.len() < relay.target.in_flight().saturating_add(8);
        tokio::select! {
            read = input.read(&mut chunk), if may_read => match read {
                Ok(read @ 1..) => lines.feed(&chunk[..read], &mut ready),
                Ok(0) | Err(_) => break RelayEnd::ClientClosed,
            },
            Some(id) = requests.next() => drop(cancels.remove(&id)),
            Some(()) = events.next() => {}
            () = &mut stop => break RelayEnd::Stopped,
        }
    };
    // A client that closes its side after its last request still wants the answer.
    let _ = tokio::time::timeout(UPSTREAM_GRACE, async { while requests.next().await.is_some() {} }).await;
    let _ = tokio::time::timeout(UPSTREAM_GRACE, relay.close()).await;
    end
}

impl<W: AsyncWrite + Send + Unpin> HttpRelay<'_, W> {
    /// Sends one message and passes on what comes back.
    async fn exchange(&self, message: &ClientMessage) {
        let headers = self.memory.lock().of_message(message);
        let body = Bytes::from(message.text.clone());
        let request = || {
            let request = self.target.request(Method::POST).headers(headers.clone());
            request.header(ACCEPT, BOTH).header(CONTENT_TYPE, "application/json").body(body.clone())
        };
        let sent = match message.id {
            // A request takes as long as the server needs; the client gives up when it wants.
            Some(_) => self.target.send(request).await,
            None => match tokio::time::timeout(UPSTREAM_STALL, self.target.send(request)).await {
                Ok(sent) => sent,
                Err(_) => return,
            },
        };
        match sent {
            Ok(reply) => self.replied(message, reply).await,
            Err(failure) => self.refuse(message, &format!("the server can't be reached: {failure}")).await,
        }
    }

    async fn replied(&self, message: &ClientMessage, reply: TargetReply) {
        let status = reply.status();
        if message.is("initialize") && status.is_success() {
            self.memory.lock().session = reply.header("mcp-session-id");
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return;
        }
        if status.is_success() && reply.is_event_stream() {
            return self.follow(message, reply).await;
        }
        match reply.body(FRAME_BYTES).await {
            Ok(body) if body.is_json && answers(message, &body.text) => {
                self.pass_on(message, &body.text).await
            }
            Ok(body) => {
                let shown = cut(&one_line(&self.target.secrets().hide(&body.text)), BODY_SHOWN);
                let reason = format!("the server answered with HTTP status {}: {shown}", body.status);
                self.refuse(message, &reason).await;
            }
            Err(failure) => self.refuse(message, &format!("the server's answer is lost: {failure}")).await,
        }
    }

    /// Gives the client a message of the server.
    async fn pass_on(&self, request: &ClientMessage, text: &str) {
        self.memory.lock().learn(request, text);
        self.write(MessageSource::Server, text).await;
    }

    /// Answers a request that the server did not answer.
    async fn refuse(&self, message: &ClientMessage, reason: &str) {
        let Some(id) = &message.id else { return };
        let error = json!({"code": INTERNAL_ERROR, "message": reason});
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        self.write(MessageSource::Recorder, &answer).await;
    }

    /// Writes one line. Line ends in JSON can only stand between its parts, where a space does as well.
    async fn write(&self, from: MessageSource, text: &str) {
        let mut output = self.output.lock().await;
        self.witness.passed(from, text);
        let mut line = text.replace(['\n', '\r'], " ").into_bytes();
        line.push(b'\n');
        // A client that is gone closes its input too, which ends the relay.
        if output.write_all(&line).await.is_ok() {
            let _ = output.flush().await;
        }
    }

    /// Ends the session, if there is one.
    async fn close(&self) {
        let Some(headers) = self.memory.lock().of_session() else { return };
        let request = || self.target.request(Method::DELETE).headers(headers.clone());
        let _ = self.target.send(request).await;
    }
}

/// Whether a text is a message to this request, or anything where there is no request.
fn answers(message: &ClientMessage, text: &str) -> bool {
    let Some(id) = &message.id else { return true };
    let id_of = |text: &str| serde_json::from_str::<Value>(text).ok();
    id_of(text).and_then(|answer| answer.get("id").cloned()).is_some_and(|own| Some(own) == id_of(id))
}
