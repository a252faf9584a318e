//! Sessions of legacy clients, counted, and closed when nobody uses them.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::{Stream, StreamExt as _, stream};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::lock;

/// How long a session must have been idle to make room for another.
const EVICTABLE: Duration = Duration::from_secs(60);

tokio::task_local! {
    /// Whether the session that a request wants to begin found no place. rmcp has one answer for
    /// everything that goes wrong here, status 500.
    static TURNED_AWAY: Cell<bool>;
}

/// Does what may begin a session; whether the session found no place.
pub(super) async fn begin<T>(work: impl Future<Output = T>) -> (T, bool) {
    let watched = async {
        let done = work.await;
        (done, TURNED_AWAY.with(Cell::get))
    };
    TURNED_AWAY.scope(Cell::new(false), watched).await
}

/// rmcp's sessions with a bound on their number.
pub(crate) struct Sessions {
    local: LocalSessionManager,
    uses: Uses,
    limit: usize,
    idle: Duration,
    closing: CancellationToken,
}

/// Who uses which session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses(Arc<Mutex<HashMap<SessionId, Use>>>);

#[derive(Debug)]
struct Use {
    last: Instant,
    running: HashSet<RequestId>,
    streams: usize,
    /// Fires when the session ends.
    left: CancellationToken,
}

impl Use {
    fn is_idle_for(&self, time: Duration) -> bool {
        self.running.is_empty() && self.streams == 0 && self.last.elapsed() >= time
    }
}

impl Uses {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Use>> {
        lock(&self.0)
    }

    /// Fires when this session ends.
    pub(crate) fn left(&self, id: &str) -> Option<CancellationToken> {
        self.lock().get(id).map(|own| own.left.clone())
    }

    fn touch(&self, id: &SessionId, change: impl FnOnce(&mut Use)) {
        if let Some(own) = self.lock().get_mut(id) {
            own.last = Instant::now();
            change(own);
        }
    }
}

impl Sessions {
    pub(crate) fn new(limit: usize, idle: Duration, closing: CancellationToken) -> Self {
        let mut local = LocalSessionManager::default();
        // rmcp would close a session in the middle of a long call; we look for idle ones ourselves.
        local.session_config.keep_alive = None;
        Self { local, uses: Uses::default(), limit, idle, closing }
    }

    /// Who uses which session.
    pub(crate) fn uses(&self) -> Uses {
        self.uses.clone()
    }

    /// Makes sure that one more session can begin, at the cost of the one that is idle longest.
    pub(crate) async fn make_room(&self) -> Result<(), ()> {
        let evicted = {
            let uses = self.uses.lock();
            if uses.len() < self.limit {
                return Ok(());
            }
            let idle = uses.iter().filter(|(_, own)| own.is_idle_for(EVICTABLE));
            idle.min_by_key(|(_, own)| own.last).map(|(id, _)| id.clone())
        };
        let id = evicted.ok_or(())?;
        tracing::warn!(
            sessions = self.limit,
            "all sessions are in use; closing the one that is idle longest"
        );
        let _ = self.close_session(&id).await;
        Ok(())
    }

    /// Closes what has been idle for too long.
    pub(crate) async fn reap(&self) {
        let idle = |own: &Use| own.is_idle_for(self.idle);
        let expired: Vec<SessionId> =
            self.uses.lock().iter().filter(|(_, own)| idle(own)).map(|(id, _)| id.clone()).collect();
        for id in expired {
            let _ = self.close_session(&id).await;
        }
    }

    pub(crate) async fn close_all(&self) {
        let all: Vec<SessionId> = self.uses.lock().keys().cloned().collect();
        for id in all {
            let _ = self.close_session(&id).await;
        }
    }

    /// A stream that counts as a use of its session while it is open.
    fn counted<S>(
        &self,
        id: &SessionId,
        stream: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        self.uses.touch(id, |own| own.streams += 1);
        let open = OpenStream { uses: self.uses.clone(), id: id.clone() };
        stream.map(move |message| {
            let _held = &open;
            message
        })
    }
}

struct OpenStream {
    uses: Uses,
    id: SessionId,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.uses.touch(&self.id, |own| own.streams = own.streams.saturating_sub(1));
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = Tracked;

    async fn create_session(&self) -> Result<(SessionId, Tracked), Self::Error> {
        let (id, inner) = self.local.create_session().await?;
        let left = CancellationToken::new();
        let own = Use { last: Instant::now(), running: HashSet::new(), streams: 0, left };
        let fits = {
            let mut uses = self.uses.lock();
            let fits = uses.len() < self.limit;
            if fits {
                uses.insert(id.clone(), own);
            }
            fits
        };
        if !fits {
            // Another client took the place after `make_room` had found it.
            let _ = self.local.close_session(&id).await;
            let _ = TURNED_AWAY.try_with(|turned_away| turned_away.set(true));
            return Err(LocalSessionManagerError::SessionNotFound(id));
        }
        let transport = Tracked { inner, uses: self.uses.clone(), id: id.clone() };
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        if let Some(own) = self.uses.lock().remove(id) {
            own.left.cancel();
        }
        self.local.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        if let JsonRpcMessage::Request(request) = &message {
            let mut is_new = true;
            self.uses.touch(id, |own| is_new = own.running.insert(request.id.clone()));
            if !is_new {
                // This HTTP response has no other answer on it, so the id is not ambiguous here.
                let error =
                    ErrorData::invalid_request("the `id` is in use by a request that is still running", None);
                let refusal =
                    ServerSseMessage::from_message(JsonRpcMessage::error(error, Some(request.id.clone())));
                return Ok(stream::iter([refusal]).left_stream());
            }
        }
        let stream = self.local.create_stream(id, message).await?;
        Ok(self.counted(id, stream).right_stream())
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.uses.touch(id, |own| {
            // A cancelled request gets no response that would end it.
            if let JsonRpcMessage::Notification(notification) = &message
                && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(request) = &cancelled.params.request_id
            {
                own.running.remove(request);
            }
        });
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.local.create_standalone_stream(id).await?;
        Ok(self.counted(id, stream).take_until(self.closing.clone().cancelled_owned()))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.local.resume(id, last_event_id).await?;
        Ok(self.counted(id, stream).take_until(self.closing.clone().cancelled_owned()))
    }
}

/// rmcp's transport of one session, watched for responses.
pub(crate) struct Tracked {
    inner: SessionTransport,
    uses: Uses,
    id: SessionId,
}

impl Transport<RoleServer> for Tracked {
    type Error = <SessionTransport as Transport<RoleServer>>::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        self.uses.touch(&self.id, |own| {
            answered.map(|id| own.running.remove(&id));
        });
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests;
