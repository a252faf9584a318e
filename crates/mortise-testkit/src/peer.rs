//! The client side of a JSON-RPC line stream, with no SDK in between.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use crate::lines::{LineFrame, next_line};

/// How long any single wait lasts unless the test says otherwise.
const WAIT: Duration = Duration::from_secs(60);
/// The longest line that is read.
const LINE: usize = 256 * 1024 * 1024;
/// Frames kept for later while another one is waited for.
const KEPT: usize = 100_000;

/// Why a raw exchange did not go on.
#[derive(Debug, thiserror::Error)]
pub enum PeerError {
    /// The other side closed its end.
    #[error("the stream ended while waiting for {waiting_for}; received until then: {received}")]
    Closed {
        /// What the test waited for.
        waiting_for: String,
        /// The last frames, shortened.
        received: String,
    },
    /// Nothing came in time.
    #[error("no {waiting_for} within {limit:?}; received until then: {received}")]
    TimedOut {
        /// What the test waited for.
        waiting_for: String,
        limit: Duration,
        /// The last frames, shortened.
        received: String,
    },
    /// A line is longer than the bound.
    #[error("a line is longer than {limit} bytes")]
    LineTooLong { limit: usize },
    /// More frames came than are kept.
    #[error("more than {limit} frames came while waiting for {waiting_for}")]
    TooManyFrames {
        /// What the test waited for.
        waiting_for: String,
        limit: usize,
    },
    /// An HTTP message that can't be read.
    #[error("not an HTTP message: {reason}")]
    Http {
        /// What is wrong with it.
        reason: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A JSON-RPC client that shows every frame.
///
/// Frames that arrive while another one is waited for are kept in order; see
/// [`RawPeer::kept`]. Every wait has a limit.
pub struct RawPeer {
    reader: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    partial: Vec<u8>,
    kept: VecDeque<LineFrame>,
    next_id: i64,
    wait: Duration,
}

impl RawPeer {
    /// A peer over any pair of streams.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self {
            reader: BufReader::new(Box::new(reader)),
            writer: Some(Box::new(writer)),
            partial: Vec::new(),
            kept: VecDeque::new(),
            next_id: 1,
            wait: WAIT,
        }
    }

    /// A peer over one stream that goes both ways, such as a duplex or a socket.
    pub fn over(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        let (reader, writer) = tokio::io::split(stream);
        Self::new(reader, writer)
    }

    /// The same peer with another limit on each wait.
    #[must_use]
    pub fn waiting(mut self, limit: Duration) -> Self {
        self.wait = limit;
        self
    }

    /// Writes bytes as they are; no newline is added.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), PeerError> {
        let Some(writer) = self.writer.as_mut() else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        };
        let write = async {
            writer.write_all(bytes).await?;
            writer.flush().await
        };
        match tokio::time::timeout(self.wait, write).await {
            Ok(written) => Ok(written?),
            Err(_) => Err(self.timed_out("room to write")),
        }
    }

    /// Writes text as it is, plus a newline.
    pub async fn send_line(&mut self, text: &str) -> Result<(), PeerError> {
        self.send_bytes(format!("{text}\n").as_bytes()).await
    }

    /// Writes one frame.
    pub async fn send(&mut self, frame: &Value) -> Result<(), PeerError> {
        self.send_line(&frame.to_string()).await
    }

    /// Sends a notification. `params` is left out when it is null.
    pub async fn notify(&mut self, method: &str, params: Value) -> Result<(), PeerError> {
        let mut frame = json!({"jsonrpc": "2.0", "method": method});
        put_params(&mut frame, params);
        self.send(&frame).await
    }

    /// Sends a request and returns its id; fetch the answer with [`RawPeer::response`].
    pub async fn start(&mut self, method: &str, params: Value) -> Result<i64, PeerError> {
        let id = self.next_id;
        self.next_id += 1;
        let mut frame = json!({"jsonrpc": "2.0", "id": id, "method": method});
        put_params(&mut frame, params);
        self.send(&frame).await?;
        Ok(id)
    }

    /// Sends a request and returns the whole response frame.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, PeerError> {
        let id = self.start(method, params).await?;
        self.response(id).await
    }

    /// The whole response frame to `id`, now or when it comes.
    pub async fn response(&mut self, id: impl Into<Value>) -> Result<Value, PeerError> {
        let id = id.into();
        let frame = self.wait_for(&format!("response to id {id}"), |frame| frame.answers(&id)).await?;
        Ok(frame.json.unwrap_or_default())
    }

    /// The next request or notification with this method, now or when it comes.
    pub async fn called(&mut self, method: &str) -> Result<Value, PeerError> {
        let frame = self.wait_for(method, |frame| frame.method() == Some(method)).await?;
        Ok(frame.json.unwrap_or_default())
    }

    /// The next frame in order of arrival, kept ones first.
    pub async fn next_frame(&mut self) -> Result<LineFrame, PeerError> {
        self.wait_for("any frame", |_| true).await
    }

    /// Everything until the other side closes.
    pub async fn rest(&mut self) -> Result<Vec<LineFrame>, PeerError> {
        let wait = self.wait;
        let read = async {
            while let Some(frame) = self.read().await? {
                self.keep(frame, "the end of the stream")?;
            }
            Ok(())
        };
        match tokio::time::timeout(wait, read).await {
            Ok(read) => read.map(|()| self.kept.drain(..).collect()),
            Err(_) => Err(self.timed_out("the end of the stream")),
        }
    }

    /// Frames that came and have not been taken yet.
    pub fn kept(&self) -> impl Iterator<Item = &LineFrame> {
        self.kept.iter()
    }

    /// Closes our writing end: what a server on stdio reads as the end of the session.
    pub async fn close(&mut self) -> Result<(), PeerError> {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await?;
        }
        Ok(())
    }

    async fn wait_for(
        &mut self,
        what: &str,
        wanted: impl Fn(&LineFrame) -> bool,
    ) -> Result<LineFrame, PeerError> {
        if let Some(at) = self.kept.iter().position(&wanted)
            && let Some(frame) = self.kept.remove(at)
        {
            return Ok(frame);
        }
        let wait = self.wait;
        let read = async {
            loop {
                match self.read().await? {
                    None => return Ok(None),
                    Some(frame) if wanted(&frame) => return Ok(Some(frame)),
                    Some(frame) => self.keep(frame, what)?,
                }
            }
        };
        match tokio::time::timeout(wait, read).await {
            Ok(Ok(Some(frame))) => Ok(frame),
            Ok(Ok(None)) => {
                Err(PeerError::Closed { waiting_for: what.to_owned(), received: self.received() })
            }
            Ok(Err(error)) => Err(error),
            Err(_) => Err(self.timed_out(what)),
        }
    }

    async fn read(&mut self) -> Result<Option<LineFrame>, PeerError> {
        Ok(next_line(&mut self.reader, &mut self.partial, LINE).await?.map(LineFrame::new))
    }

    fn keep(&mut self, frame: LineFrame, waiting_for: &str) -> Result<(), PeerError> {
        if self.kept.len() == KEPT {
            return Err(PeerError::TooManyFrames { waiting_for: waiting_for.to_owned(), limit: KEPT });
        }
        self.kept.push_back(frame);
        Ok(())
    }

    fn timed_out(&self, what: &str) -> PeerError {
        PeerError::TimedOut { waiting_for: what.to_owned(), limit: self.wait, received: self.received() }
    }

    fn received(&self) -> String {
        let last = self.kept.iter().rev().take(3).map(|frame| frame.text().chars().take(200).collect());
        let last: Vec<String> = last.collect();
        if last.is_empty() { "nothing".to_owned() } else { last.join(" | ") }
    }
}

fn put_params(frame: &mut Value, params: Value) {
    if !params.is_null() {
        frame["params"] = params;
    }
}
