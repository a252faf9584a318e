//! A scripted HTTP server on a port of its own.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::PeerError;
use crate::http::{HttpMessage, HttpSide, read_message};

/// An HTTP response; the connection is closed after it.
#[derive(Clone, Debug)]
pub enum HttpReply {
    /// A status, headers and a body whose length is announced.
    Whole {
        status: u16,
        /// Headers beside `content-length` and `connection`.
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// Bytes written as they are, status line included.
    Raw(Vec<u8>),
    /// The connection is closed with no response.
    Close,
}

impl HttpReply {
    /// Status 200 with a JSON body.
    pub fn json(body: &Value) -> Self {
        Self::status(200).with("content-type", "application/json").body(body.to_string())
    }

    /// Status 200 with the messages as SSE events.
    pub fn sse(messages: &[Value]) -> Self {
        let body: String = messages.iter().map(|message| format!("data: {message}\n\n")).collect();
        Self::status(200).with("content-type", "text/event-stream").body(body)
    }

    /// A status with no headers and an empty body.
    pub fn status(status: u16) -> Self {
        Self::Whole { status, headers: Vec::new(), body: Vec::new() }
    }

    /// The same reply with one more header; no effect on raw ones.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        if let Self::Whole { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// The same reply with this body; no effect on raw ones.
    #[must_use]
    pub fn body(mut self, content: impl Into<Vec<u8>>) -> Self {
        if let Self::Whole { body, .. } = &mut self {
            *body = content.into();
        }
        self
    }

    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Close => Vec::new(),
            Self::Raw(bytes) => bytes,
            Self::Whole { status, headers, body } => {
                let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
                for (name, value) in headers {
                    head += &format!("{name}: {value}\r\n");
                }
                head += &format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
                [head.into_bytes(), body].concat()
            }
        }
    }
}

type Script = dyn Fn(&HttpMessage) -> HttpReply + Send + Sync;

/// A server on 127.0.0.1 that answers each request as a closure says. Dropping it stops it.
pub struct ScriptedHttp {
    address: SocketAddr,
    received: Arc<Mutex<Vec<HttpMessage>>>,
    task: JoinHandle<()>,
}

impl ScriptedHttp {
    /// Listens on a free port.
    pub async fn start(
        script: impl Fn(&HttpMessage) -> HttpReply + Send + Sync + 'static,
    ) -> Result<Self, PeerError> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let received = Arc::new(Mutex::new(Vec::new()));
        let task = tokio::spawn(accept(listener, Arc::new(script), received.clone()));
        Ok(Self { address, received, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path on it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Every request so far.
    pub fn received(&self) -> Vec<HttpMessage> {
        self.received.lock().clone()
    }
}

impl Drop for ScriptedHttp {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, script: Arc<Script>, received: Arc<Mutex<Vec<HttpMessage>>>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, script.clone(), received.clone()));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(
    stream: TcpStream,
    script: Arc<Script>,
    received: Arc<Mutex<Vec<HttpMessage>>>,
) -> Result<(), PeerError> {
    let mut stream = BufReader::new(stream);
    if let Some(request) = read_message(&mut stream, HttpSide::Request).await? {
        let reply = script(&request);
        received.lock().push(request);
        stream.write_all(&reply.bytes()).await?;
        stream.shutdown().await?;
    }
    Ok(())
}
