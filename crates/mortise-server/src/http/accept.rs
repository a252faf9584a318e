//! Connections: taken up, bounded, and wound down.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutWriter;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::HttpError;
use super::tls::{self, TlsFiles};
use crate::limits;

/// How long to wait when the system has no more file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A connection, as its requests see it.
#[derive(Clone, Debug)]
pub(crate) struct HttpPeer {
    pub(crate) address: IpAddr,
    /// Whether a request of the connection had the token.
    is_admitted: Arc<AtomicBool>,
    evicted: CancellationToken,
}

impl HttpPeer {
    fn new(address: IpAddr) -> Self {
        Self { address, is_admitted: Arc::default(), evicted: CancellationToken::new() }
    }

    /// A request had the token: the connection is not closed to make room for others.
    pub(crate) fn admit(&self) {
        self.is_admitted.store(true, Ordering::Relaxed);
    }

    /// Whether the connection still counts as a stranger. A closed one has dropped its handle.
    fn is_stranger(&self) -> bool {
        !self.is_admitted.load(Ordering::Relaxed) && Arc::strong_count(&self.is_admitted) > 1
    }
}

/// Turns a socket into a stream, with TLS or without.
#[derive(Clone)]
pub(crate) struct Acceptor(Option<TlsAcceptor>);

impl Acceptor {
    pub(crate) fn new(files: Option<&TlsFiles>) -> Result<Self, HttpError> {
        Ok(Self(files.map(tls::config).transpose()?.map(TlsAcceptor::from)))
    }
}

impl std::fmt::Debug for Acceptor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.0.is_some() { "Acceptor(tls)" } else { "Acceptor" })
    }
}

/// The open connections. Dropping them closes them.
pub(crate) struct Connections {
    acceptor: Acceptor,
    router: Router,
    closing: CancellationToken,
    slots: Arc<Semaphore>,
    open: JoinSet<()>,
    /// Connections without a request that had the token, oldest first. They are few, so that a neighbour
    /// without a token can't take the connections, or the descriptors, of clients that have one.
    strangers: VecDeque<HttpPeer>,
}

impl Connections {
    pub(crate) fn new(acceptor: Acceptor, router: Router, closing: CancellationToken, limit: usize) -> Self {
        let slots = Arc::new(Semaphore::new(limit));
        Self { acceptor, router, closing, slots, open: JoinSet::new(), strangers: VecDeque::new() }
    }

    /// Takes up one connection, when there is room for it.
    pub(crate) async fn accept(&mut self, listener: &TcpListener) {
        while self.open.try_join_next().is_some() {}
        let Ok(slot) = Arc::clone(&self.slots).acquire_owned().await else { return };
        let (socket, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                return;
            }
        };
        let peer = HttpPeer::new(peer.ip());
        self.make_room(&peer);
        let router = self.router.clone().layer(Extension(peer.clone()));
        let (acceptor, closing) = (self.acceptor.clone(), self.closing.clone());
        self.open.spawn(async move {
            tokio::select! {
                () = serve_connection(acceptor, router, closing, socket) => {}
                () = peer.evicted.cancelled() => tracing::debug!("closed a connection without a token"),
            }
            drop(slot);
        });
    }

    /// Closes the oldest strangers when there are too many.
    fn make_room(&mut self, newest: &HttpPeer) {
        self.strangers.retain(HttpPeer::is_stranger);
        while self.strangers.len() >= limits::HTTP_STRANGERS
            && let Some(oldest) = self.strangers.pop_front()
        {
            oldest.evicted.cancel();
        }
        self.strangers.push_back(newest.clone());
    }

    /// Lets connections finish what they are doing; whether all have.
    pub(crate) async fn end_within(&mut self, limit: Duration) -> bool {
        let all = async { while self.open.join_next().await.is_some() {} };
        tokio::time::timeout(limit, all).await.is_ok()
    }

    /// Lets connections write their last answers, then closes them.
    pub(crate) async fn close_after(&mut self, limit: Duration) {
        tracing::warn!(connections = self.open.len(), "the drain time is up; stopping what still runs");
        if !self.end_within(limit).await {
            self.open.shutdown().await;
        }
    }
}

async fn serve_connection(acceptor: Acceptor, router: Router, closing: CancellationToken, socket: TcpStream) {
    // Small messages both ways: waiting to fill packets would only delay them.
    let _ = socket.set_nodelay(true);
    match acceptor.0 {
        None => speak_http(router, closing, Box::new(socket)).await,
        Some(tls) => match tokio::time::timeout(limits::HTTP_HEADER_TIME, tls.accept(socket)).await {
            Ok(Ok(stream)) => speak_http(router, closing, Box::new(stream)).await,
            Ok(Err(error)) => tracing::debug!(%error, "no TLS"),
            Err(_) => tracing::debug!("no TLS in time"),
        },
    }
}

/// A connection, with TLS or without: hyper is compiled for one type of stream.
trait ByteStream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> ByteStream for T {}

async fn speak_http(router: Router, closing: CancellationToken, stream: Box<dyn ByteStream>) {
    let mut stream = TimeoutWriter::new(stream);
    stream.set_timeout(Some(limits::HTTP_STALLED));
    let stream = Box::pin(stream);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HTTP_HEADER_TIME)
        .max_headers(limits::HTTP_HEADERS)
        .max_buf_size(limits::HTTP_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "the connection broke");
    }
}
