//! Serving over Streamable HTTP.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;

use crate::Server;
use crate::call::{self, Ends};
use crate::http::accept::Acceptor;
use crate::http::edge::Edge;
use crate::wire::http::Endpoint;

mod accept;
mod edge;
mod media;
mod options;
mod origin;
mod overload;
mod tls;
mod token;

pub(crate) use accept::HttpPeer;
pub use options::HttpOptions;
pub use tls::TlsFiles;
pub use token::{Token, TokenError};

/// How long the last answers may take to be written, after the calls have been stopped.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Why a server can't be reached over HTTP.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum HttpError {
    /// The address is open to others and there is no token.
    #[error("`{address}` can be reached from other machines, which needs a bearer token")]
    TokenRequired { address: SocketAddr },
    /// The address is open to others and the token would travel in clear text.
    #[error("`{address}` can be reached from other machines, which needs TLS or a proxy that does TLS")]
    TlsRequired { address: SocketAddr },
    /// The address can't be used.
    #[error("cannot listen on `{address}`")]
    Bind {
        address: SocketAddr,
        #[source]
        source: std::io::Error,
    },
    /// The certificate or its key can't be used.
    #[error("cannot use the TLS {part} in `{path}`: {reason}")]
    Tls {
        /// `certificate` or `key`.
        part: &'static str,
        path: String,
        reason: String,
    },
}

/// A server that listens. Dropping it closes every connection.
///
/// ```
/// use mortise_server::{Answer, HttpOptions, HttpServer, Server, Tool, Tools};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let tools = Tools::new([Tool::raw("ping").handler(|_, _| async { Ok(Answer::text("pong")) })])?;
/// let server = Server::new("example", "1.0.0").tools(tools).build()?;
/// let http = HttpServer::bind(&server, HttpOptions::new("127.0.0.1:0".parse()?)).await?;
/// eprintln!("listening on {}", http.url());
/// http.run(std::future::pending()).await;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    options: HttpOptions,
    acceptor: Acceptor,
    endpoint: Arc<Endpoint>,
    ends: Ends,
}

impl HttpServer {
    /// Listens; nothing is served before [`HttpServer::run`].
    ///
    /// # Errors
    ///
    /// When the address can't be had, or is open to others without token and TLS.
    pub async fn bind(server: &Server, options: HttpOptions) -> Result<Self, HttpError> {
        let address = options.address;
        if !address.ip().is_loopback() {
            if options.token.is_none() {
                return Err(HttpError::TokenRequired { address });
            }
            if options.tls.is_none() && !options.behind_proxy {
                return Err(HttpError::TlsRequired { address });
            }
        }
        let acceptor = Acceptor::new(options.tls.as_ref())?;
        let failed = |source| HttpError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let options = HttpOptions { address, ..options };
        let ends = Ends::default();
        let endpoint = Arc::new(Endpoint::new(server, &options, ends.clone()));
        Ok(Self { listener, address, options, acceptor, endpoint, ends })
    }

    /// The address that is listened on, with the port that was chosen for port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients connect to.
    pub fn url(&self) -> String {
        let scheme = if self.options.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.address, options::PATH)
    }

    /// Serves until `shutdown` is done, then drains: no new connections, subscriptions
    /// end in order, and running requests get the drain time. A call that still runs is
    /// then answered with an error that says so, and every connection is closed.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send) {
        self.run_until(pin!(shutdown)).await;
    }

    async fn run_until(self, mut shutdown: Pin<&mut (dyn Future<Output = ()> + Send)>) {
        let ready = Arc::new(AtomicBool::new(true));
        let edge = Edge::new(self.options.clone(), Arc::clone(&self.endpoint), Arc::clone(&ready));
        let router = edge.router();
        let (closing, limit) = (self.ends.closing.clone(), self.options.connections);
        let mut connections = accept::Connections::new(self.acceptor, router, closing, limit);
        let reaper = self.endpoint.reap_idle_sessions();
        tokio::pin!(reaper);
        loop {
            tokio::select! {
                () = connections.accept(&self.listener) => {}
                () = &mut reaper => {}
                () = &mut shutdown => break,
            }
        }
        drop(self.listener);
        ready.store(false, Ordering::Release);
        self.ends.closing.cancel();
        if !connections.end_within(self.options.drain).await {
            self.ends.stopping.cancel();
            connections.close_after(call::CANCEL_GRACE + LAST_ANSWERS).await;
        }
        self.endpoint.stop();
    }
}
