//! The mock over Streamable HTTP, with HTTP written by hand so that it can be wrong.

mod exchange;
mod gzip;
mod message;
mod sink;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mortise_server::Token;
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::{JoinHandle, JoinSet};

use super::action::{MockEnd, Piece};
use super::background;
use super::perform::Stderr;
use super::server::Mock;

pub(crate) use gzip::spaces as gzip_of_spaces;
pub(crate) use message::HttpRequest;

/// Connections served at once; more wait.
const CONNECTIONS: usize = 1024;
/// How long to wait when no connection can be accepted.
const PAUSE: Duration = Duration::from_millis(50);

/// How the mock speaks HTTP.
#[derive(Clone, Default)]
pub(crate) struct HttpPlan {
    pub(crate) style: Style,
    /// Legacy clients get no session.
    pub(crate) sessionless: bool,
    /// Modern requests whose headers differ from their body are refused, as the protocol demands.
    pub(crate) strict_headers: bool,
    /// A session is forgotten after this number of calls.
    pub(crate) session_calls: Option<u64>,
    pub(crate) intercept: Option<Intercept>,
    /// Clients that do not send it get nothing of the mock.
    pub(crate) token: Option<Token>,
}

/// How a response to a request is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// One JSON body; events where there is more than one message.
    #[default]
    Json,
    /// Server-sent events.
    Events,
    /// Events with an id, an event with no data first, comments and a retry hint, as resumable servers send.
    Primed,
    /// Each event in many data lines.
    ManyLines,
    /// Comments without end instead of the answer.
    Comments,
    /// An event without data instead of the answer.
    NoData,
    /// The stream ends before the answer.
    CutShort,
    /// The right body under this content type.
    WrongType(&'static str),
}

/// The bytes of a whole response that replaces the usual one; the connection is closed after it.
#[derive(Clone, Debug)]
pub(crate) struct HttpFault {
    pub(crate) pieces: Vec<Piece>,
    /// Written this often after the pieces.
    pub(crate) repeated: Option<(Piece, u64)>,
}

/// Decides on a fault for a request; the number counts earlier HTTP requests.
pub(crate) type Intercept = Arc<dyn Fn(&HttpRequest, u64) -> Option<HttpFault> + Send + Sync>;

/// A mock that listens. Dropping it closes every connection.
pub struct MockHttp {
    address: SocketAddr,
    task: JoinHandle<io::Result<MockEnd>>,
}

impl MockHttp {
    pub(crate) async fn start(mock: Mock, address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let reason = "the mock listens on loopback addresses only";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { address, task: tokio::spawn(accept(mock, listener)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the MCP endpoint.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Waits until a scenario ends the mock.
    pub async fn ended(mut self) -> io::Result<MockEnd> {
        (&mut self.task).await.map_err(io::Error::other)?
    }
}

impl Drop for MockHttp {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(mock: Mock, listener: TcpListener) -> io::Result<MockEnd> {
    let (ending, mut ended) = mpsc::channel(1);
    let mut tasks = JoinSet::new();
    let mut connections = JoinSet::new();
    background::start(&mock, &mut tasks);
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(mock.clone(), stream, ending.clone()));
                }
                // Out of file descriptors, or the client left at once: neither ends the mock.
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            Some(end) = ended.recv() => return Ok(end),
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(mock: Mock, stream: TcpStream, ending: mpsc::Sender<MockEnd>) -> io::Result<()> {
    let stderr: Stderr = Arc::new(Mutex::new(Box::new(tokio::io::sink())));
    // An answer is written in pieces; each would wait some 40 ms for the one before to be acknowledged.
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.into_split();
    match exchange::serve(&mock, BufReader::new(reader), writer, &stderr).await? {
        MockEnd::Closed => {}
        end => {
            // The listener may be gone already.
            let _ = ending.send(end).await;
        }
    }
    Ok(())
}
