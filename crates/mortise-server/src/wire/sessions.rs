//! Sessions of legacy clients, counted, and closed when they are idle.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{Stream, StreamExt as _, stream};
use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio_util::sync::CancellationToken;

use super::session::{HttpSession, Listener, SessionError};
use super::transport::MessageTransport;
use crate::random;

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

#[derive(Clone, Default)]
pub(crate) struct OpenSessions(Arc<Mutex<HashMap<SessionId, Arc<HttpSession>>>>);

impl OpenSessions {
    fn get(&self, id: &str) -> Result<Arc<HttpSession>, SessionError> {
        self.0.lock().get(id).cloned().ok_or(SessionError::Ended)
    }

    /// Fires when this session ends.
    pub(crate) fn left(&self, id: &str) -> Option<CancellationToken> {
        self.0.lock().get(id).map(|session| session.left.clone())
    }
}

impl std::fmt::Debug for OpenSessions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} sessions", self.0.lock().len())
    }
}

/// Opens, finds and ends sessions; their number is bounded.
pub(crate) struct Sessions {
    open: OpenSessions,
    limit: usize,
    idle: Duration,
    closing: CancellationToken,
}

impl Sessions {
    pub(crate) fn new(limit: usize, idle: Duration, closing: CancellationToken) -> Self {
        Self { open: OpenSessions::default(), limit, idle, closing }
    }

    pub(crate) fn open(&self) -> OpenSessions {
        self.open.clone()
    }

    /// Makes sure that one more session can begin, at the cost of the one that is idle longest.
    pub(crate) fn make_room(&self) -> Result<(), ()> {
        let mut open = self.open.0.lock();
        if open.len() < self.limit {
            return Ok(());
        }
        let idle = open.iter().filter_map(|(id, session)| Some((session.idle()?, id)));
        let longest = idle.filter(|(time, _)| *time >= EVICTABLE).max_by_key(|(time, _)| *time);
        let id = longest.map(|(_, id)| id.clone()).ok_or(())?;
        tracing::warn!(
            sessions = self.limit,
            "all sessions are in use; closing the one that is idle longest"
        );
        if let Some(session) = open.remove(&id) {
            session.close();
        }
        Ok(())
    }

    /// Closes what has been idle for too long.
    pub(crate) fn reap(&self) {
        self.open.0.lock().retain(|_, session| {
            session.forget_kept();
            let is_used = session.idle().is_none_or(|time| time < self.idle);
            if !is_used {
                session.close();
            }
            is_used
        });
    }

    pub(crate) fn close_all(&self) {
        for (_, session) in self.open.0.lock().drain() {
            session.close();
        }
    }

    /// A stream that counts as a use of its session while it is open.
    fn counted(
        session: &Arc<HttpSession>,
        mut listener: Listener,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static + use<> {
        let open = session.hold();
        stream::poll_fn(move |context| {
            let _held = &open;
            listener.poll_recv(context)
        })
    }

    /// Ends a stream without a request when the server closes.
    fn until_closing<S>(
        &self,
        stream: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        stream.take_until(self.closing.clone().cancelled_owned())
    }
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = MessageTransport;

    async fn create_session(&self) -> Result<(SessionId, MessageTransport), SessionError> {
        let id = SessionId::from(random::hex_id());
        let mut open = self.open.0.lock();
        if open.len() >= self.limit {
            // Another client took the place after `make_room` had found it.
            _ = TURNED_AWAY.try_with(|turned_away| turned_away.set(true));
            return Err(SessionError::Ended);
        }
        let (session, transport) = HttpSession::open();
        open.insert(id.clone(), session);
        Ok((id, MessageTransport::Session(transport)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        self.open.get(id)?.initialize(message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.open.0.lock().contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        if let Some(session) = self.open.0.lock().remove(id) {
            session.close();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.open.get(id)?;
        let JsonRpcMessage::Request(request) = &message else {
            session.post(message).await?;
            return Ok(stream::empty().left_stream());
        };
        let Some(listener) = session.begin(request)? else {
            // This HTTP response has no other answer on it, so the id is not ambiguous here.
            let error =
                ErrorData::invalid_request("the `id` is in use by a request that is still running", None);
            let refusal = JsonRpcMessage::error(error, Some(request.id.clone()));
            let refusal = ServerSseMessage::from_message(refusal);
            return Ok(stream::iter([refusal]).left_stream().right_stream());
        };
        let stream = Self::counted(&session, listener);
        session.post(message).await?;
        Ok(stream.right_stream().right_stream())
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.open.get(id)?.post(message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.open.get(id)?;
        let listener = session.listen()?;
        Ok(self.until_closing(Self::counted(&session, listener)))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        let session = self.open.get(id)?;
        let listener = session.resume(&last_event_id)?;
        Ok(self.until_closing(Self::counted(&session, listener)))
    }
}

#[cfg(test)]
mod tests;
