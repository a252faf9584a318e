//! rmcp's HTTP backend, with our own reading of answers beneath.

mod dial;
pub(crate) mod sse;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method, StatusCode};
use parking_lot::Mutex;
use reqwest::RequestBuilder;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::Sse;
use tokio::sync::{mpsc, watch};

use super::exchange::ExchangeAnswer;
use super::tap::{Outgoing, Tap};
use crate::error::CloseReason;
use crate::event::FaultKind;
use crate::http_target::{Failure, HttpTarget, TargetReply};
use sse::SseParser;

/// The longest pause before a broken event stream is opened again.
const RECONNECT_PAUSE: Duration = Duration::from_secs(60);
/// How long a server may take to begin a stream of events; some do not before the first event.
const STREAM_TIME: Duration = Duration::from_secs(1);
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The HTTP side of one connection.
#[derive(Clone, Debug)]
pub(crate) struct HttpLink {
    tap: Arc<Tap>,
    target: Arc<HttpTarget>,
    closing: mpsc::Sender<CloseReason>,
    session: Arc<Mutex<Option<Arc<str>>>>,
    /// Whether the server has answered when asked for a stream of events.
    streamed: watch::Sender<bool>,
}

/// What rmcp sees of a failure that belongs to no request of ours.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct HttpLinkError(String);

type Posted = Result<StreamableHttpPostResponse, StreamableHttpError<HttpLinkError>>;
type SseEvents = BoxStream<'static, Result<Sse, SseError>>;

impl HttpLink {
    pub(crate) fn new(tap: Arc<Tap>, target: Arc<HttpTarget>, closing: mpsc::Sender<CloseReason>) -> Self {
        Self { tap, target, closing, session: Arc::default(), streamed: watch::Sender::new(false) }
    }

    /// How rmcp's transport is set up.
    pub(crate) fn config(&self) -> StreamableHttpClientTransportConfig {
        let mut backoff = ExponentialBackoff::default();
        backoff.max_delay = Some(RECONNECT_PAUSE);
        let mut config = StreamableHttpClientTransportConfig::with_uri(self.target.url());
        config.retry_config = Arc::new(backoff);
        // One more than calls in flight: a list must not wait behind slow calls.
        config.max_concurrent_requests = self.target.in_flight().saturating_add(8);
        config.max_sse_event_size = self.tap.frame_limit;
        config
    }

    /// Waits until a session has its stream of events, or the server has answered that there is none.
    ///
    /// What a server sends to a client without a stream is lost, so no call goes out before.
    pub(crate) async fn stream_settled(&self) {
        let has_session = self.session.lock().is_some();
        if has_session {
            let mut streamed = self.streamed.subscribe();
            let _ = tokio::time::timeout(STREAM_TIME, streamed.wait_for(|streamed| *streamed)).await;
        }
    }

    fn request(
        &self,
        method: Method,
        session_id: Option<&str>,
        headers: &HashMap<HeaderName, HeaderValue>,
    ) -> RequestBuilder {
        let mut request = self.target.request(method);
        for (name, value) in headers {
            request = request.header(name.clone(), value.clone());
        }
        match session_id {
            Some(session_id) => request.header(SESSION_ID, session_id),
            None => request,
        }
    }

    async fn post(
        &self,
        message: &ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Posted {
        let Some(mut outgoing) = self.tap.outgoing(message) else {
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        // Shared by all attempts, not copied.
        let body = Bytes::from(std::mem::take(&mut outgoing.frame));
        self.note_session(session_id.as_ref());
        let had_session = session_id.is_some();
        let request = || {
            let mut request =
                self.request(Method::POST, session_id.as_deref(), &headers).header(ACCEPT, BOTH);
            request = request.header(CONTENT_TYPE, "application/json");
            for (name, value) in outgoing.exchange.iter().flat_map(|exchange| &exchange.headers) {
                request = request.header(name.clone(), value.clone());
            }
            request.body(body.clone())
        };
        match self.target.send(request).await {
            Ok(reply) => self.posted(reply, &outgoing, had_session).await,
            Err(failure) => self.failed(&outgoing, failure),
        }
    }

    async fn posted(&self, reply: TargetReply, outgoing: &Outgoing, had_session: bool) -> Posted {
        let status = reply.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let session = reply.header("mcp-session-id");
        if status.is_success() && reply.is_event_stream() {
            let events = self.events(reply, outgoing.wire_id);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let Some(wire_id) = outgoing.wire_id else {
            // A notification or an answer of ours: no request waits for what comes back.
            return match status.is_success() {
                true => Ok(StreamableHttpPostResponse::Accepted),
                false => Err(StreamableHttpError::Client(HttpLinkError(format!("HTTP status {status}")))),
            };
        };
        match reply.body(self.tap.frame_limit).await {
            // Some servers say with status 400 and without our id that they have lost the session.
            Ok(body)
                if had_session
                    && status == StatusCode::BAD_REQUEST
                    && !self.tap.answers(wire_id, &body.text) =>
            {
                Err(StreamableHttpError::SessionExpired)
            }
            Ok(body) if body.is_json => match self.tap.answer_post(wire_id, &body.text) {
                Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                None => self.failed(outgoing, Failure::Status(body)),
            },
            Ok(body) => self.failed(outgoing, Failure::Status(body)),
            Err(failure) => self.failed(outgoing, failure),
        }
    }

    /// Gives a failure to the request that it belongs to.
    fn failed(&self, outgoing: &Outgoing, failure: Failure) -> Posted {
        if let Failure::Unreachable { detail } = &failure {
            let _ = self.closing.try_send(CloseReason::Network { detail: detail.clone() });
        }
        let text = failure.to_string();
        let stand_in = outgoing
            .wire_id
            .and_then(|wire_id| self.tap.fail(wire_id, failure.into_answer(self.target.secrets())));
        match stand_in {
            Some(message) => Ok(StreamableHttpPostResponse::Json(message, None)),
            None => Err(StreamableHttpError::Client(HttpLinkError(text))),
        }
    }

    /// A new session means a new server, as far as we know: its list is read again.
    fn note_session(&self, session_id: Option<&Arc<str>>) {
        let mut known = self.session.lock();
        let changed = matches!((&*known, session_id), (Some(old), Some(new)) if old != new);
        if let Some(new) = session_id {
            *known = Some(new.clone());
        }
        drop(known);
        if changed {
            self.tap.inbox.session_changed();
        }
    }

    /// The events of a stream, each already taken in by the tap.
    fn events(&self, reply: TargetReply, wire_id: Option<u64>) -> SseEvents {
        let reader = EventReader {
            tap: self.tap.clone(),
            reply,
            parser: SseParser::new(self.tap.frame_limit),
            ready: VecDeque::new(),
            wire_id,
            ended: false,
        };
        futures::stream::unfold(reader, |mut reader| async move {
            let event = reader.next().await?;
            Some((event, reader))
        })
        .boxed()
    }
}

impl StreamableHttpClient for HttpLink {
    type Error = HttpLinkError;

    async fn post_message(
        &self,
        _uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Posted {
        self.post(&message, session_id, headers).await
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        session_id: Arc<str>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<HttpLinkError>> {
        let request = || self.request(Method::DELETE, Some(&session_id), &headers);
        // Whatever the server says to it, we are done with the session.
        let _ = self.target.send(request).await;
        Ok(())
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<SseEvents, StreamableHttpError<HttpLinkError>> {
        let request = || {
            let mut request =
                self.request(Method::GET, session_id.as_deref(), &headers).header(ACCEPT, EVENTS);
            if let Some(last_event_id) = &last_event_id {
                request = request.header(LAST_EVENT_ID, last_event_id.as_str());
            }
            request
        };
        let sent = self.target.send(request).await;
        self.streamed.send_replace(true);
        let reply = match sent {
            Ok(reply) => reply,
            Err(Failure::Auth { .. }) => return Err(StreamableHttpError::ServerDoesNotSupportSse),
            Err(failure) => return Err(StreamableHttpError::Client(HttpLinkError(failure.to_string()))),
        };
        if reply.status().is_success() && reply.is_event_stream() {
            // A stream that goes on after an event still belongs to the request that it began with.
            Ok(self.events(reply, last_event_id.as_deref().and_then(|event| self.tap.resumed(event))))
        } else if reply.status().is_server_error() {
            Err(StreamableHttpError::Client(HttpLinkError(format!("HTTP status {}", reply.status()))))
        } else {
            Err(StreamableHttpError::ServerDoesNotSupportSse)
        }
    }
}

/// Reads one event stream.
struct EventReader {
    tap: Arc<Tap>,
    reply: TargetReply,
    parser: SseParser,
    ready: VecDeque<Sse>,
    /// The request that this stream answers, from its beginning or resumed.
    wire_id: Option<u64>,
    ended: bool,
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<Sse, SseError>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.ended {
                return None;
            }
            match self.reply.chunk().await {
                Ok(Some(bytes)) => self.feed(&bytes),
                // rmcp opens the stream again where the server lets it.
                Ok(None) | Err(_) => self.ended = true,
            }
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut events = Vec::new();
        let fed = self.parser.feed(bytes, &mut events);
        let mut messages = VecDeque::new();
        for event in events {
            if let (Some(wire_id), Some(id)) = (self.wire_id, &event.id) {
                self.tap.note_event(wire_id, id);
            }
            self.ready.push_back(Sse { id: event.id, retry: event.retry, ..Sse::default() });
            let is_message = matches!(event.name.as_deref(), None | Some("" | "message"));
            let Some(data) = event.data.filter(|data| is_message && !data.is_empty()) else { continue };
            match std::str::from_utf8(&data) {
                Ok(text) => self.tap.incoming(text, self.wire_id, &mut messages),
                Err(_) => {
                    self.tap.unreadable(FaultKind::NotUtf8, &String::from_utf8_lossy(&data), &mut messages)
                }
            }
            self.ready.extend(messages.drain(..).filter_map(|message| stand_in(&message)));
        }
        if fed.is_err() {
            self.ended = true;
            self.tap.inbox.fault(FaultKind::TooLarge, "an event");
            let answer = ExchangeAnswer::TooLarge { limit: self.tap.frame_limit };
            let message = self.wire_id.and_then(|wire_id| self.tap.fail(wire_id, answer));
            self.ready.extend(message.and_then(|message| stand_in(&message)));
        }
    }
}

fn stand_in(message: &ServerJsonRpcMessage) -> Option<Sse> {
    Some(Sse { data: Some(serde_json::to_string(message).ok()?), ..Sse::default() })
}
