//! rmcp's Streamable HTTP service, with what we write put on the wire as written.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use mortise_contract::{Era, RawJson};
use rmcp::model::Extensions;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::sessions::{self, OpenSessions, Sessions};
use super::unread::{Tally, UnreadAnswers};
use super::{Clients, Connection, VerbatimArguments, raw};
use crate::call::Ends;
use crate::context::Origin;
use crate::http::HttpPeer;
use crate::{HttpOptions, ProtocolError, Server};

/// The header that names a session.
pub(super) const SESSION_HEADER: &str = "mcp-session-id";
/// How often idle sessions are looked for.
const REAP_INTERVAL: Duration = Duration::from_secs(15);

/// Answers requests that the edge let pass.
pub(crate) struct Endpoint {
    service: StreamableHttpService<Connection, Sessions>,
    sessions: Arc<Sessions>,
    unread: UnreadAnswers,
    stopped: CancellationToken,
}

impl Endpoint {
    pub(crate) fn new(server: &Server, options: &HttpOptions, ends: Ends) -> Self {
        let stopped = CancellationToken::new();
        let sessions = Arc::new(Sessions::new(options.sessions, options.session_idle, ends.closing.clone()));
        // The edge has checked host, origin and size before.
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(stopped.clone())
            .with_max_request_body_bytes(usize::MAX)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let (server, open) = (server.clone(), sessions.open());
        let factory = move || Ok(Connection::new(server.clone(), HttpClients(open.clone()), ends.clone()));
        let service = StreamableHttpService::new(factory, Arc::clone(&sessions), config);
        Self { service, sessions, unread: UnreadAnswers::new(options.unread_bytes), stopped }
    }

    /// Finds the client's tally for [`Self::handle`]; `Err` says why it may not ask for more before it has read what it
    /// was sent.
    pub(crate) fn admit(&self, request: &mut Request<Bytes>) -> Result<(), ProtocolError> {
        let tally = self.unread.of(request);
        let refusal = tally.refusal();
        request.extensions_mut().insert(tally);
        refusal.map_or(Ok(()), Err)
    }

    pub(crate) async fn handle(&self, mut request: Request<Bytes>) -> Response<Body> {
        let tally = request.extensions_mut().remove().unwrap_or_else(|| self.unread.of(&request));
        let response = self.service.handle(request.map(Full::new)).await;
        let is_stream = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let (parts, body) = response.into_parts();
        let body = if is_stream {
            // rmcp puts each event into a frame of its own.
            Body::new(body.map_frame(move |frame| frame.map_data(|event| restore_event(event, &tally))))
        } else {
            match body.collect().await {
                Ok(body) => Body::from(restore_bytes(body.to_bytes(), &tally)),
                Err(never) => match never {},
            }
        };
        Response::from_parts(parts, body)
    }

    /// Answers a request that begins a session; `None` if there is no room for one more.
    pub(crate) async fn begin(&self, request: Request<Bytes>) -> Option<Response<Body>> {
        self.sessions.make_room().ok()?;
        self.begin_in_room(request).await
    }

    /// The room may be gone again: another client can take it before this one's session is made.
    async fn begin_in_room(&self, request: Request<Bytes>) -> Option<Response<Body>> {
        let (response, is_turned_away) = sessions::begin(Box::pin(self.handle(request))).await;
        (!is_turned_away).then_some(response)
    }

    /// Closes idle sessions; never ends.
    pub(crate) async fn reap_idle_sessions(&self) {
        let mut ticks = tokio::time::interval(REAP_INTERVAL);
        loop {
            ticks.tick().await;
            self.sessions.reap();
        }
    }

    /// Ends every session and stream.
    pub(crate) fn stop(&self) {
        self.stopped.cancel();
        self.sessions.close_all();
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Endpoint")
    }
}

/// One client for each session; without a session, one for each request.
struct HttpClients(OpenSessions);

impl Clients for HttpClients {
    fn origin(&self, connection: u64, era: Era, request: &Extensions) -> Origin {
        let parts = request.get::<Parts>();
        let peer = parts.and_then(|parts| parts.extensions.get()).map(|peer: &HttpPeer| peer.address);
        if era == Era::Modern {
            return Origin { peer, ..Origin::default() };
        }
        let id = parts.and_then(|parts| parts.headers.get(SESSION_HEADER)?.to_str().ok());
        let left = id.and_then(|id| self.0.left(id)).unwrap_or_default();
        Origin { session: Some(connection), peer, left, ..Origin::default() }
    }

    fn verbatim_arguments(&self, request: &Extensions) -> Option<RawJson> {
        let arguments = request.get::<Parts>()?.extensions.get::<VerbatimArguments>()?;
        Some(arguments.0.clone())
    }
}

/// A whole body, counted: its message as we wrote it, or what is sent in its place.
fn restore_bytes(bytes: Bytes, tally: &Tally) -> Bytes {
    let bytes = match std::str::from_utf8(&bytes).map(|message| restore(message, tally)) {
        Ok(Cow::Owned(text)) => Bytes::from(text),
        _ => bytes,
    };
    tally.count(bytes)
}

fn restore<'a>(message: &'a str, tally: &Tally) -> Cow<'a, str> {
    let restored = raw::restore(message);
    match tally.replacement(&restored) {
        Some(replacement) => Cow::Owned(replacement),
        None => restored,
    }
}

/// One event, counted: its message is on one `data:` line.
fn restore_event(event: Bytes, tally: &Tally) -> Bytes {
    let Some(text) = std::str::from_utf8(&event).ok().filter(|text| raw::is_shell(text)) else {
        return tally.count(event);
    };
    let mut restored = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("data:") {
            Some(data) => {
                restored.push_str("data: ");
                restored.push_str(&restore(data.trim(), tally));
                restored.push('\n');
            }
            None => restored.push_str(line),
        }
    }
    tally.count(Bytes::from(restored))
}

#[cfg(test)]
mod tests;
