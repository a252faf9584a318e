//! A connection that is up: requests out, exact answers back.

use std::sync::Arc;
use std::time::Duration;

use mortise_contract::{RawJson, ServerName};
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, CustomRequest};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::exchange::{Carried, Exchange, ExchangeAnswer};
use super::inbox::{Inbox, ListChanges};
use super::lifecycle::{Established, Identity, Negotiation};
use super::stdio::{SendError, StdioLink, write_frames};
use super::tap::{Outgoing, Tap};
use crate::error::{CallError, CloseReason, ConnectError};
use crate::event::{FaultKind, ProtocolFault};
use crate::facts::{Era, ServerFacts};
use crate::limits;
use crate::process::{ProcessSigns, Spawned, StderrRing};
use crate::server_config::EraChoice;

/// How long sending a cancellation may take.
const CANCEL_TIME: Duration = Duration::from_secs(5);
/// How much of standard error goes into an error message.
const STDERR_SHOWN: usize = 2048;

/// A connection to one server, from handshake to close.
#[derive(Debug)]
pub(crate) struct UpstreamConnection {
    pub(super) server: ServerName,
    pub(super) peer: Peer<RoleClient>,
    pub(super) tap: Arc<Tap>,
    pub(super) facts: Arc<ServerFacts>,
    pub(super) closed: watch::Receiver<Option<CloseReason>>,
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    /// Scheme, host and port of an HTTP server.
    pub(super) origin: Option<String>,
    /// Where frames for a pair of streams wait to be written.
    pub(super) queue: Option<mpsc::Sender<Outgoing>>,
}

/// How a connection is made.
pub(crate) struct Dial {
    pub(crate) server: ServerName,
    pub(crate) identity: Arc<Identity>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) frame_limit: usize,
    pub(crate) choice: EraChoice,
    pub(crate) known: Option<Era>,
    pub(crate) probe: Duration,
    /// Ends the connection, also while it is being made.
    pub(crate) stop: CancellationToken,
}

/// How long a request is waited for, and what ends the wait early.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub(crate) deadline: Instant,
    /// The time that an error names when the deadline passes.
    pub(crate) timeout: Duration,
    pub(crate) cancel: CancellationToken,
}

impl Dial {
    /// Shakes hands with a process that was just started.
    pub(crate) async fn process(self, spawned: Spawned) -> Result<UpstreamConnection, ConnectError> {
        let signs = ProcessSigns::of(&spawned.stdin, spawned.stderr.clone());
        let (stdin, stdout, watched) = spawned.into_parts();
        let tasks = TaskTracker::new();
        let (closing, closings) = mpsc::channel(4);
        let (closed_sender, closed) = watch::channel(None);
        tasks.spawn(watched.watch(closings, self.stop.clone(), closed_sender));
        self.streams(stdin, stdout, closing, closed, tasks, Some(signs)).await
    }

    /// Shakes hands with a server inside this process.
    pub(crate) async fn in_process(self, stream: DuplexStream) -> Result<UpstreamConnection, ConnectError> {
        let (input, output) = tokio::io::split(stream);
        let tasks = TaskTracker::new();
        let (closing, mut closings) = mpsc::channel(4);
        let (closed_sender, closed) = watch::channel(None);
        let stop = self.stop.clone();
        tasks.spawn(async move {
            let reason = tokio::select! {
                reason = closings.recv() => reason.unwrap_or(CloseReason::Closed),
                () = stop.cancelled() => CloseReason::Closed,
            };
            closed_sender.send_replace(Some(reason));
            stop.cancel();
        });
        self.streams(output, input, closing, closed, tasks, None).await
    }

    /// Shakes hands over a pair of streams.
    pub(crate) async fn streams(
        self,
        output: impl AsyncWrite + Unpin + Send + 'static,
        input: impl AsyncRead + Unpin + Send + 'static,
        closing: mpsc::Sender<CloseReason>,
        closed: watch::Receiver<Option<CloseReason>>,
        tasks: TaskTracker,
        process: Option<ProcessSigns>,
    ) -> Result<UpstreamConnection, ConnectError> {
        // Whatever happens from here on, the process is ended when this is dropped.
        let guard = self.stop.clone().drop_guard();
        let tap = Arc::new(Tap::new(self.inbox.clone(), self.frame_limit));
        let (queue, queued) = mpsc::channel(limits::UPSTREAM_QUEUE);
        let link = StdioLink::new(tap.clone(), input, queue.clone(), closing.clone());
        let (write_stop, write_tap) = (self.stop.clone(), tap.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = write_stop.cancelled() => {}
                reason = write_frames(output, queued, write_tap) => {
                    if let Some(reason) = reason {
                        let _ = closing.try_send(reason);
                    }
                }
            }
        });
        let (process_signs, origin) = (process.as_ref(), String::new());
        let negotiation = Negotiation { dial: &self, tap: tap.clone(), process: process_signs, origin };
        let established = tokio::select! {
            established = negotiation.shake_hands(|| link.clone()) => established,
            reason = closed_reason(closed.clone()) => {
                Err(ConnectError::Closed { reason, stderr: String::new() })
            }
        };
        let Established { running, facts } = match established {
            Ok(established) => established,
            Err(error) => return Err(with_context(error, closed, process.map(|signs| signs.stderr)).await),
        };
        let peer = running.peer().clone();
        tasks.spawn(async move {
            let _ = running.waiting().await;
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
            origin: None,
            queue: Some(queue),
        })
    }
}

/// Puts the real reason and the last words of the process into an error.
async fn with_context(
    error: ConnectError,
    closed: watch::Receiver<Option<CloseReason>>,
    stderr: Option<Arc<StderrRing>>,
) -> ConnectError {
    let ConnectError::Closed { mut reason, .. } = error else { return error };
    if let Ok(real) = tokio::time::timeout(Duration::from_secs(1), closed_reason(closed)).await {
        reason = real;
    }
    ConnectError::Closed {
        reason,
        stderr: stderr.map(|ring| ring.last_lines(STDERR_SHOWN)).unwrap_or_default(),
    }
}

async fn closed_reason(mut closed: watch::Receiver<Option<CloseReason>>) -> CloseReason {
    match closed.wait_for(Option::is_some).await {
        Ok(reason) => reason.clone().unwrap_or(CloseReason::Closed),
        Err(_) => CloseReason::Closed,
    }
}

impl UpstreamConnection {
    pub(crate) fn facts(&self) -> &Arc<ServerFacts> {
        &self.facts
    }

    /// Whether the server showed that it is modern after we had turned to the other era.
    pub(crate) fn is_modern_after_all(&self) -> bool {
        self.facts.era == Era::Legacy && self.tap.handshake.late_discover()
    }

    /// Whether the server answered the probe and does not speak the modern era.
    pub(crate) fn has_refused_probe(&self) -> bool {
        self.tap.handshake.has_refused_probe()
    }

    /// Whether requests carry headers.
    pub(crate) fn is_http(&self) -> bool {
        self.origin.is_some()
    }

    /// Scheme, host and port of an HTTP server.
    pub(crate) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// Resolves when the connection has ended.
    pub(crate) async fn closed(&self) -> CloseReason {
        closed_reason(self.closed.clone()).await
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.borrow().is_some()
    }

    /// Says when the server reports a changed list.
    pub(crate) fn changes(&self) -> watch::Receiver<ListChanges> {
        self.tap.inbox.changes()
    }

    /// Has the lists read again.
    pub(crate) fn assume_changed(&self) {
        self.tap.inbox.session_changed();
    }

    /// Cancelled when the connection ends.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    pub(crate) fn faults(&self) -> Vec<ProtocolFault> {
        self.tap.inbox.kept_faults()
    }

    pub(crate) fn fault_counts(&self) -> std::collections::HashMap<FaultKind, u64> {
        self.tap.inbox.fault_counts()
    }

    /// Runs a task that [`Self::close`] waits for. Outside a runtime, as in a late drop, nothing runs.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            self.tasks.spawn_on(task, &runtime);
        }
    }

    /// Ends the connection and waits until nothing of it is left.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        self.tasks.wait().await;
    }

    /// Sends one request and waits for the exact result.
    ///
    /// When the future is dropped, the deadline passes or the caller cancels, the server is notified.
    pub(crate) async fn request(
        &self,
        exchange: Arc<Exchange>,
        subject: &str,
        wait: &Wait,
    ) -> Result<RawJson, CallError> {
        let mark = self.tap.inbox.mark();
        let timed_out = || CallError::Timeout {
            server: self.server.clone(),
            subject: subject.to_owned(),
            after: wait.timeout,
            skipped: self.tap.inbox.skipped_since(mark),
        };
        let mut open = OpenRequest { connection: self, exchange: &exchange, sent: None };
        open.sent = Some(match self.send_direct(&exchange) {
            Some(Ok(queue)) => SentRequest::Direct(queue),
            Some(Err(SendError::Stalled { waiting })) => {
                return Err(CallError::Stalled { server: self.server.clone(), waiting });
            }
            Some(Err(SendError::Closed)) => return Err(self.gone().await),
            None => match tokio::time::timeout_at(wait.deadline, self.send_through_rmcp(&exchange)).await {
                Ok(Ok(handle)) => SentRequest::ThroughRmcp(handle),
                Ok(Err(_)) => return Err(self.gone().await),
                Err(_) => return Err(timed_out()),
            },
        });
        let answering = async {
            match open.sent.as_mut() {
                Some(SentRequest::ThroughRmcp(handle)) => Some((&mut handle.rx).await),
                Some(SentRequest::Direct(_)) | None => {
                    exchange.over().await;
                    None
                }
            }
        };
        let answered = tokio::select! {
            biased;
            answered = answering => answered,
            reason = closed_reason(self.closed.clone()) => {
                open.settled();
                return Err(CallError::Closed { server: self.server.clone(), reason });
            }
            () = wait.cancel.cancelled() => {
                open.give_up("cancelled by the caller");
                return Err(CallError::Cancelled { server: self.server.clone(), subject: subject.to_owned() });
            }
            () = tokio::time::sleep_until(wait.deadline) => {
                open.give_up("timed out");
                return Err(timed_out());
            }
        };
        open.settled();
        match answered {
            None | Some(Ok(Ok(_))) => self.read_answer(exchange.take_answer(), subject),
            Some(Ok(Err(ServiceError::TransportSend(error)))) => {
                match error.error.downcast_ref::<SendError>() {
                    Some(SendError::Stalled { waiting }) => {
                        Err(CallError::Stalled { server: self.server.clone(), waiting: *waiting })
                    }
                    None if self.is_http() => {
                        let reason = CloseReason::Network { detail: error.error.to_string() };
                        Err(CallError::Closed { server: self.server.clone(), reason })
                    }
                    _ => Err(self.gone().await),
                }
            }
            _ => match exchange.take_answer() {
                Some(answer) => self.read_answer(Some(answer), subject),
                None if self.peer.is_transport_closed() || !self.is_http() => Err(self.gone().await),
                None => {
                    let detail = "the answer broke off".to_owned();
                    let reason = CloseReason::Network { detail };
                    Err(CallError::Closed { server: self.server.clone(), reason })
                }
            },
        }
    }

    /// Queues a request to be written, beside rmcp. `None` where that can't be done: over HTTP, for a
    /// subscription, which rmcp keeps, and before the first request has shown what each must carry.
    fn send_direct(&self, exchange: &Arc<Exchange>) -> Option<Result<&mpsc::Sender<Outgoing>, SendError>> {
        let queue = self.queue.as_ref().filter(|_| exchange.method != "subscriptions/listen")?;
        let outgoing = self.tap.direct(exchange)?;
        let queued = queue.try_send(outgoing).map(|()| queue).map_err(SendError::from);
        if queued.is_err() {
            self.tap.forget_exchange(exchange);
        }
        Some(queued)
    }

    async fn send_through_rmcp(
        &self,
        exchange: &Arc<Exchange>,
    ) -> Result<RequestHandle<RoleClient>, ServiceError> {
        let mut request = CustomRequest::new(exchange.method, None);
        request.extensions.insert(Carried(exchange.clone()));
        let request = ClientRequest::CustomRequest(request);
        self.peer.send_request_with_option(request, PeerRequestOptions::default()).await
    }

    fn read_answer(&self, answer: Option<ExchangeAnswer>, subject: &str) -> Result<RawJson, CallError> {
        let server = self.server.clone();
        let subject = subject.to_owned();
        match answer {
            Some(ExchangeAnswer::Result(raw)) => Ok(raw),
            Some(ExchangeAnswer::Error(error)) => Err(CallError::Rpc { server, subject, error }),
            Some(ExchangeAnswer::TooLarge { limit }) => Err(CallError::TooLarge { server, subject, limit }),
            Some(ExchangeAnswer::Malformed { detail }) => {
                Err(CallError::Protocol { server, subject, detail })
            }
            Some(ExchangeAnswer::AuthRequired { challenge, detail }) => {
                Err(CallError::AuthRequired { server, challenge, detail })
            }
            Some(ExchangeAnswer::Http { status, retry_after, body }) => {
                Err(CallError::Http { server, subject, status, retry_after, body })
            }
            Some(ExchangeAnswer::Network { detail }) => {
                Err(CallError::Closed { server, reason: CloseReason::Network { detail } })
            }
            None => Err(CallError::Protocol { server, subject, detail: "the answer is lost".to_owned() }),
        }
    }

    /// The connection is going down; the reason may come a moment later.
    async fn gone(&self) -> CallError {
        let reason = tokio::time::timeout(Duration::from_secs(1), self.closed()).await;
        CallError::Closed { server: self.server.clone(), reason: reason.unwrap_or(CloseReason::Closed) }
    }
}

impl Drop for UpstreamConnection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// A request that the server works on. Dropping it cancels the request.
struct OpenRequest<'a> {
    connection: &'a UpstreamConnection,
    exchange: &'a Arc<Exchange>,
    sent: Option<SentRequest<'a>>,
}

/// Which way a request went out.
#[expect(
    clippy::large_enum_variant,
    reason = "it lives on the stack of its request and is never moved about"
)]
enum SentRequest<'a> {
    ThroughRmcp(RequestHandle<RoleClient>),
    Direct(&'a mpsc::Sender<Outgoing>),
}

impl OpenRequest<'_> {
    /// There is nothing to cancel any more.
    fn settled(&mut self) {
        self.sent = None;
        self.connection.tap.forget_exchange(self.exchange);
    }

    fn give_up(&mut self, reason: &'static str) {
        self.exchange.abandon();
        match self.sent.take() {
            Some(SentRequest::ThroughRmcp(handle)) => self.cancel_through_rmcp(handle, reason),
            Some(SentRequest::Direct(queue)) => {
                if let Some(frame) = self.connection.tap.cancel_direct(self.exchange, reason) {
                    // A full queue belongs to a server that does not read.
                    let _ = queue.try_send(frame);
                }
            }
            None => {}
        }
    }

    fn cancel_through_rmcp(&self, handle: RequestHandle<RoleClient>, reason: &'static str) {
        let (tap, exchange) = (self.connection.tap.clone(), self.exchange.clone());
        // The caller must not wait for a server that may not even read.
        self.connection.spawn(async move {
            let _ = tokio::time::timeout(CANCEL_TIME, handle.cancel(Some(reason.to_owned()))).await;
            tap.forget_exchange(&exchange);
        });
    }
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        self.give_up("the caller is gone");
    }
}
