//! How a connection to an HTTP endpoint is made.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::StreamableHttpClientTransport;
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

use super::HttpLink;
use crate::error::{CloseReason, ConnectError};
use crate::http_target::HttpTarget;
use crate::wire::connection::{Dial, UpstreamConnection};
use crate::wire::lifecycle::{Established, Negotiation};
use crate::wire::tap::Tap;

/// How long an old server may take to say that it is one.
const HTTP_SSE_PROBE: Duration = Duration::from_secs(3);

impl Dial {
    /// Shakes hands with an HTTP endpoint.
    pub(crate) async fn http(self, target: HttpTarget) -> Result<UpstreamConnection, ConnectError> {
        let guard = self.stop.clone().drop_guard();
        let tap = Arc::new(Tap::new(self.inbox.clone(), self.frame_limit));
        let target = Arc::new(target);
        let (closing, mut closings) = mpsc::channel(4);
        let link = HttpLink::new(tap.clone(), target.clone(), closing);
        let transport = || StreamableHttpClientTransport::with_client(link.clone(), link.config());
        let origin = target.origin().to_owned();
        let negotiation =
            Negotiation { dial: &self, tap: tap.clone(), process: None, origin: origin.clone() };
        let Established { running, facts } = match negotiation.shake_hands(transport).await {
            Ok(established) => established,
            Err(ConnectError::Http { status, .. }) if status < 500 && speaks_http_sse(&target).await => {
                return Err(ConnectError::HttpSse { origin });
            }
            Err(error) => return Err(error),
        };
        link.stream_settled().await;
        let peer = running.peer().clone();
        let tasks = TaskTracker::new();
        let (closed_sender, closed) = watch::channel(None);
        let watch_stop = self.stop.clone();
        // Failures while connecting are in the error already.
        while closings.try_recv().is_ok() {}
        tasks.spawn(async move {
            let mut serving = std::pin::pin!(running.waiting());
            let reason = tokio::select! {
                Some(reason) = closings.recv() => reason,
                () = watch_stop.cancelled() => CloseReason::Closed,
                _ = &mut serving => CloseReason::Network { detail: "the transport has stopped".to_owned() },
            };
            closed_sender.send_replace(Some(reason));
            watch_stop.cancel();
            let _ = serving.await;
        });
        tasks.close();
        guard.disarm();
        let (facts, Self { server, stop, .. }) = (Arc::new(facts), self);
        Ok(UpstreamConnection {
            server,
            peer,
            tap,
            facts,
            closed,
            stop,
            tasks,
            origin: Some(origin),
            queue: None,
        })
    }
}

/// Whether this looks like the transport that Streamable HTTP replaced: no POST, but a stream of
/// events that begins by naming another address.
async fn speaks_http_sse(target: &HttpTarget) -> bool {
    let request = || target.request(http::Method::GET).header(http::header::ACCEPT, "text/event-stream");
    let probe = async {
        let mut reply = target.send(request).await.ok()?;
        if !reply.status().is_success() || !reply.is_event_stream() {
            return None;
        }
        let start = reply.chunk().await.ok()??;
        String::from_utf8_lossy(&start).lines().any(|line| line.trim_end() == "event: endpoint").then_some(())
    };
    tokio::time::timeout(HTTP_SSE_PROBE, probe).await.ok().flatten().is_some()
}
