//! One session of a legacy client: on which of its streams a message goes, and what was sent there lately.
//!
//! rmcp has sessions too. One of those holds a task and six channels, 16 KiB each, and stands still while a client does
//! not read one of its streams. Ours is a map behind a lock: a session that waits costs what its handler costs.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _, GetMeta as _,
    JsonRpcMessage, JsonRpcRequest, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::OriginatingRequestId;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::transport::ClientClosed;
use crate::json_size::json_bytes;
use crate::limits::HTTP_RECENT_BYTES;

/// Messages on their way to the handler.
const INBOX: usize = 16;
/// Events that wait for a client to read them. A sender of more waits too.
const UNREAD: usize = 64;
/// Events that are kept for a client that lost its connection.
const RECENT: usize = 16;
/// Streams without a request; the first that is open gets the messages, the others wait to follow it.
const LISTENERS: usize = 32;
/// For how long, and of how many calls, an answer is kept that no connection was there to take.
const KEPT: Duration = Duration::from_secs(60);
const KEPT_CALLS: usize = 16;
/// Bytes of all answers that a session keeps, but for the newest.
const KEPT_BYTES: usize = 32 * 1024 * 1024;
/// What clients are asked to wait before they connect again.
const RETRY: Duration = Duration::from_secs(3);

/// Which call a stream belongs to. Calls are counted, since ids of requests may come again.
type CallNumber = u64;

pub(super) struct HttpSession {
    inbox: mpsc::Sender<Box<ClientJsonRpcMessage>>,
    routes: Mutex<Routes>,
    /// Fires when the session ends.
    pub(super) left: CancellationToken,
}

struct Routes {
    last_use: Instant,
    streams: usize,
    /// Who waits for the answer to `initialize`.
    opening: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    next_call: CallNumber,
    calls: HashMap<CallNumber, StreamEvents>,
    running: HashMap<RequestId, CallNumber>,
    progress: HashMap<ProgressToken, CallNumber>,
    /// The ids of our own requests on the stream of a call.
    asked: HashMap<RequestId, CallNumber>,
    standalone: StreamEvents,
}

/// Why a message found no session or no stream.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error("the session has ended")]
    Ended,
    #[error("no stream of this session sent the event `{0}`, or it was sent too long ago")]
    NoEvent(String),
}

impl HttpSession {
    /// A session and the end of it that rmcp's handler reads and writes.
    pub(super) fn open() -> (Arc<Self>, SessionTransport) {
        let (inbox, received) = mpsc::channel(INBOX);
        let routes = Routes {
            last_use: Instant::now(),
            streams: 0,
            opening: None,
            next_call: 0,
            calls: HashMap::new(),
            running: HashMap::new(),
            progress: HashMap::new(),
            asked: HashMap::new(),
            standalone: StreamEvents::new(None),
        };
        let session = Arc::new(Self { inbox, routes: Mutex::new(routes), left: CancellationToken::new() });
        (session.clone(), SessionTransport { session, received })
    }

    fn routes(&self) -> MutexGuard<'_, Routes> {
        let mut routes = self.routes.lock();
        routes.last_use = Instant::now();
        routes
    }

    /// The routes of a session that has not ended. A stream that began after the end would never end itself.
    fn open_routes(&self) -> Result<MutexGuard<'_, Routes>, SessionError> {
        let routes = self.routes();
        if self.left.is_cancelled() { Err(SessionError::Ended) } else { Ok(routes) }
    }

    /// How long nothing happened here; `None` while a call runs or a stream is open.
    pub(super) fn idle(&self) -> Option<Duration> {
        let routes = self.routes.lock();
        (routes.running.is_empty() && routes.streams == 0).then(|| routes.last_use.elapsed())
    }

    pub(super) async fn initialize(
        &self,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        let (opening, opened) = oneshot::channel();
        self.open_routes()?.opening = Some(opening);
        self.post(message).await?;
        opened.await.map_err(|_| SessionError::Ended)
    }

    /// Hands a message to the handler.
    pub(super) async fn post(&self, message: ClientJsonRpcMessage) -> Result<(), SessionError> {
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(request) = &cancelled.params.request_id
        {
            // A cancelled request gets no answer that would end its stream.
            self.routes().end_call(request);
        }
        self.inbox.send(Box::new(message)).await.map_err(|_| SessionError::Ended)
    }

    /// Opens a stream for what belongs to this request; `None` if its id is in use.
    pub(super) fn begin(
        &self,
        request: &JsonRpcRequest<ClientRequest>,
    ) -> Result<Option<Listener>, SessionError> {
        Ok(self.open_routes()?.begin(request))
    }

    /// Opens a stream for what belongs to no request.
    pub(super) fn listen(&self) -> Result<Listener, SessionError> {
        Ok(self.open_routes()?.standalone.listen())
    }

    /// Opens a stream that goes on after this event.
    pub(super) fn resume(&self, event: &str) -> Result<Listener, SessionError> {
        self.open_routes()?.resume(event).ok_or_else(|| SessionError::NoEvent(event.to_owned()))
    }

    /// Counts a stream as a use of the session until the guard is dropped.
    pub(super) fn hold(self: &Arc<Self>) -> OpenStream {
        self.routes().streams += 1;
        OpenStream(self.clone())
    }

    /// Forgets answers that were kept for long enough.
    pub(super) fn forget_kept(&self) {
        self.routes.lock().forget_kept();
    }

    pub(super) fn close(&self) {
        self.left.cancel();
        let mut routes = self.routes();
        routes.opening = None;
        routes.calls.clear();
        routes.running.clear();
        routes.progress.clear();
        routes.asked.clear();
        routes.standalone = StreamEvents::new(None);
    }
}

/// Keeps a session from being idle.
pub(super) struct OpenStream(Arc<HttpSession>);

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut routes = self.0.routes();
        routes.streams = routes.streams.saturating_sub(1);
    }
}

/// The end of a stream that a client reads.
pub(super) type Listener = mpsc::Receiver<ServerSseMessage>;

/// What could not be sent yet, since the client reads slower than we write.
type Waiting = Option<(mpsc::Sender<ServerSseMessage>, ServerSseMessage)>;

impl Routes {
    fn begin(&mut self, request: &JsonRpcRequest<ClientRequest>) -> Option<Listener> {
        if self.running.contains_key(&request.id) {
            return None;
        }
        self.forget_kept();
        let number = self.next_call;
        self.next_call += 1;
        let mut events = StreamEvents::new(Some(number));
        let listener = events.listen();
        events.prime();
        self.calls.insert(number, events);
        self.running.insert(request.id.clone(), number);
        if let Some(token) = request.request.get_meta().get_progress_token() {
            self.progress.insert(token, number);
        }
        Some(listener)
    }

    fn resume(&mut self, event: &str) -> Option<Listener> {
        let (index, call) = match event.split_once('/') {
            Some((index, call)) => (index, Some(call.parse().ok()?)),
            None => (event, None),
        };
        let index = index.parse().ok()?;
        let Some(call) = call else { return Some(self.standalone.resume(index)) };
        let events = self.calls.get_mut(&call)?;
        let listener = events.resume(index);
        if events.ended.is_some() {
            self.calls.remove(&call);
        }
        Some(listener)
    }

    /// Puts a message of the handler on its stream.
    fn send(&mut self, message: ServerJsonRpcMessage) -> Waiting {
        if let Some(opening) = self.opening.take() {
            // A client that has gone needs no answer.
            _ = opening.send(message);
            return None;
        }
        let call = match &message {
            JsonRpcMessage::Response(response) => return self.answer(&response.id.clone(), message),
            JsonRpcMessage::Error(error) => return self.answer(&error.id.clone()?, message),
            JsonRpcMessage::Request(request) => {
                let origin = request.request.extensions().get::<OriginatingRequestId>();
                let call = origin.and_then(|origin| self.running.get(&origin.0)).copied();
                if let Some(call) = call {
                    self.asked.insert(request.id.clone(), call);
                }
                call
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ServerNotification::ProgressNotification(progress) => {
                    self.progress.get(&progress.params.progress_token).copied()
                }
                ServerNotification::CancelledNotification(cancelled) => {
                    cancelled.params.request_id.as_ref().and_then(|id| self.asked.remove(id))
                }
                _ => None,
            },
        };
        let events = call.and_then(|call| self.calls.get_mut(&call)).unwrap_or(&mut self.standalone);
        events.push(message)
    }

    /// Ends the stream of a request with its answer. Without a stream the request was cancelled.
    fn answer(&mut self, request: &RequestId, message: ServerJsonRpcMessage) -> Waiting {
        let (number, mut events) = self.end_call(request)?;
        let waiting = events.push_answer(message);
        if waiting.is_none() && !events.is_heard() {
            events.ended = Some(Instant::now());
            self.calls.insert(number, events);
            self.forget_kept();
        }
        waiting
    }

    fn end_call(&mut self, request: &RequestId) -> Option<(CallNumber, StreamEvents)> {
        let number = self.running.remove(request)?;
        self.progress.retain(|_, call| *call != number);
        self.asked.retain(|_, call| *call != number);
        Some((number, self.calls.remove(&number)?))
    }

    fn forget_kept(&mut self) {
        let mut kept: Vec<CallNumber> =
            self.calls.iter().filter(|(_, events)| events.ended.is_some()).map(|(call, _)| *call).collect();
        kept.sort_unstable_by_key(|call| std::cmp::Reverse(*call));
        let is_old = |events: &StreamEvents| events.ended.is_some_and(|ended| ended.elapsed() >= KEPT);
        let mut bytes = 0;
        for (place, call) in kept.into_iter().enumerate() {
            let Some(events) = self.calls.get(&call) else { continue };
            bytes += events.bytes;
            if place >= KEPT_CALLS || (place > 0 && bytes > KEPT_BYTES) || is_old(events) {
                self.calls.remove(&call);
            }
        }
    }
}

/// The events of one stream, over all connections that carry it.
struct StreamEvents {
    call: Option<CallNumber>,
    next: u64,
    /// The number of the first event that was sent on no connection.
    unheard: u64,
    recent: VecDeque<RecentEvent>,
    listeners: VecDeque<mpsc::Sender<ServerSseMessage>>,
    ended: Option<Instant>,
    /// The size of all recent events.
    bytes: usize,
}

/// How many bytes an event takes on the wire.
fn weight(event: &ServerSseMessage) -> usize {
    event.message.as_deref().map_or(0, json_bytes)
}

/// An event that a client may ask for again.
struct RecentEvent {
    number: u64,
    event: ServerSseMessage,
    bytes: usize,
}

impl StreamEvents {
    fn new(call: Option<CallNumber>) -> Self {
        // Event 0 of a stream says how to connect again; rmcp sends the one without a request.
        let next = u64::from(call.is_none());
        let (recent, listeners) = (VecDeque::new(), VecDeque::new());
        Self { call, next, unheard: next, recent, listeners, ended: None, bytes: 0 }
    }

    fn is_heard(&self) -> bool {
        self.unheard == self.next
    }

    /// Says how to connect again.
    fn prime(&mut self) {
        let event = ServerSseMessage::priming(self.id(), RETRY);
        self.remember(self.next, event.clone(), 0);
        _ = self.deliver(event);
    }

    fn push(&mut self, message: ServerJsonRpcMessage) -> Waiting {
        let event = ServerSseMessage::new(self.id(), message);
        self.remember(self.next, event.clone(), 0);
        self.deliver(event)
    }

    /// The last event of a call. It is kept whatever its size, unless a connection took it.
    fn push_answer(&mut self, message: ServerJsonRpcMessage) -> Waiting {
        let (number, event) = (self.next, ServerSseMessage::new(self.id(), message));
        let waiting = self.deliver(event.clone());
        if waiting.is_none() && !self.is_heard() {
            let bytes = weight(&event);
            self.remember(number, event, bytes);
        }
        waiting
    }

    /// Keeps an event; the oldest go when there are too many, or more bytes than the limit and `extra`.
    fn remember(&mut self, number: u64, event: ServerSseMessage, extra: usize) {
        let bytes = weight(&event);
        self.bytes += bytes;
        self.recent.push_back(RecentEvent { number, event, bytes });
        while self.recent.len() > RECENT || self.bytes > HTTP_RECENT_BYTES + extra {
            let Some(oldest) = self.recent.pop_front() else { return };
            self.bytes -= oldest.bytes;
        }
    }

    fn id(&self) -> String {
        match self.call {
            Some(call) => format!("{}/{call}", self.next),
            None => self.next.to_string(),
        }
    }

    fn deliver(&mut self, event: ServerSseMessage) -> Waiting {
        self.next += 1;
        loop {
            let listener = self.listeners.front()?;
            match listener.try_send(event.clone()) {
                Ok(()) => break,
                Err(TrySendError::Closed(_)) => _ = self.listeners.pop_front(),
                Err(TrySendError::Full(event)) => {
                    self.unheard = self.next;
                    return Some((listener.clone(), event));
                }
            }
        }
        self.unheard = self.next;
        None
    }

    /// A further connection: it gets what was not heard, unless another one is open.
    fn listen(&mut self) -> Listener {
        self.listeners.retain(|listener| !listener.is_closed());
        if self.listeners.len() >= LISTENERS {
            self.listeners.pop_front();
        }
        let after = if self.listeners.is_empty() { self.unheard } else { self.next };
        let (sender, listener) = self.connection(after);
        self.listeners.push_back(sender);
        listener
    }

    /// A connection that takes the place of one that broke.
    fn resume(&mut self, last: u64) -> Listener {
        let (sender, listener) = self.connection(last.saturating_add(1));
        self.listeners.push_front(sender);
        self.listeners.truncate(LISTENERS);
        listener
    }

    /// A connection with the events from this number on.
    fn connection(&mut self, from: u64) -> (mpsc::Sender<ServerSseMessage>, Listener) {
        const { assert!(RECENT <= UNREAD) }
        let (sender, listener) = mpsc::channel(UNREAD);
        for recent in self.recent.iter().filter(|recent| recent.number >= from) {
            // There is room for all of them, and its other end is still ours.
            _ = sender.try_send(recent.event.clone());
        }
        self.unheard = self.next;
        (sender, listener)
    }
}

/// The end of a session that rmcp's handler reads and writes.
pub(crate) struct SessionTransport {
    session: Arc<HttpSession>,
    received: mpsc::Receiver<Box<ClientJsonRpcMessage>>,
}

impl SessionTransport {
    /// Puts the message in its place at once, so that messages keep their order.
    pub(super) fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), ClientClosed>> + Send + 'static {
        let waiting = self.session.routes().send(message);
        async move {
            if let Some((listener, event)) = waiting {
                // A client that has gone needs no event.
                _ = listener.send(event).await;
            }
            Ok(())
        }
    }

    pub(super) async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        tokio::select! {
            biased;
            () = self.session.left.cancelled() => None,
            message = self.received.recv() => message.map(|message| *message),
        }
    }

    pub(super) fn close(&mut self) {
        self.received.close();
    }
}

#[cfg(test)]
mod tests;
