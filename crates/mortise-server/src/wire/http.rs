//! rmcp's Streamable HTTP service, with what we write put on the wire as written.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::sessions::{self, Sessions};
use super::{Clients, Connection, raw};
use crate::call::Ends;
use crate::{HttpOptions, Server};

/// How often idle sessions are looked for.
const REAP_INTERVAL: Duration = Duration::from_secs(15);

/// Answers requests that the edge let pass.
pub(crate) struct Endpoint {
    service: StreamableHttpService<Connection, Sessions>,
    sessions: Arc<Sessions>,
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
        let factory =
            move || Ok(Connection::new(server.clone(), Clients::Sessions(open.clone()), ends.clone()));
        let service = StreamableHttpService::new(factory, Arc::clone(&sessions), config);
        Self { service, sessions, stopped }
    }

    pub(crate) async fn handle(&self, request: Request<Bytes>) -> Response<Body> {
        let response = self.service.handle(request.map(Full::new)).await;
        let is_stream = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let (parts, body) = response.into_parts();
        let body = if is_stream {
            // rmcp puts each event into a frame of its own.
            Body::new(body.map_frame(|frame| frame.map_data(restore_event)))
        } else {
            match body.collect().await {
                Ok(body) => Body::from(restore_bytes(body.to_bytes())),
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

    /// Closes sessions without traffic, for ever.
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

fn restore_bytes(bytes: Bytes) -> Bytes {
    match std::str::from_utf8(&bytes).map(raw::restore) {
        Ok(std::borrow::Cow::Owned(text)) => Bytes::from(text),
        _ => bytes,
    }
}

/// One event: its message is on one `data:` line.
fn restore_event(event: Bytes) -> Bytes {
    let Some(text) = std::str::from_utf8(&event).ok().filter(|text| raw::is_shell(text)) else {
        return event;
    };
    let mut restored = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("data:") {
            Some(data) => {
                restored.push_str("data: ");
                restored.push_str(&raw::restore(data.trim()));
                restored.push('\n');
            }
            None => restored.push_str(line),
        }
    }
    Bytes::from(restored)
}

#[cfg(test)]
mod tests;
