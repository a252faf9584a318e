//! The response to one request, written as the frames come.

use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::Style;
use crate::mock::action::Piece;
use crate::mock::perform::{LONGEST, Sink};

/// A response whose head goes out with the first byte of its body.
pub(crate) struct ResponseSink<'a, W> {
    pub(crate) writer: &'a mut W,
    pub(crate) style: Style,
    /// The status that goes with an error frame in the request's era.
    pub(crate) status_of_errors: fn(i64) -> u16,
    /// Headers beside the usual ones.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) begun: bool,
    pub(crate) events: u64,
}

impl<W: AsyncWrite + Send + Unpin> ResponseSink<'_, W> {
    /// Writes the head, unless that is done.
    pub(crate) async fn begin(&mut self, status: u16) -> io::Result<()> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        let kind = match self.style {
            Style::Json => "application/json",
            Style::WrongType(kind) => kind,
            _ => "text/event-stream",
        };
        let mut head = format!(
            "HTTP/1.1 {status} Mock\r\ncontent-type: {kind}\r\ncache-control: no-store\r\ntransfer-encoding: chunked\r\n"
        );
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        self.writer.write_all(format!("{head}\r\n").as_bytes()).await?;
        if self.style == Style::Primed {
            self.chunk(b"retry: 3000\nid: 0\ndata:\n\n: keep-alive\n\n").await?;
        }
        Ok(())
    }

    /// Writes what ends the body.
    pub(crate) async fn finish(&mut self) -> io::Result<()> {
        if !self.begun {
            // Nothing was to be said at all.
            self.writer.write_all(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n").await?;
            return self.writer.flush().await;
        }
        self.writer.write_all(b"0\r\n\r\n").await?;
        self.writer.flush().await
    }

    async fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.writer.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
        self.writer.write_all(bytes).await?;
        self.writer.write_all(b"\r\n").await?;
        self.writer.flush().await
    }

    async fn pieces(&mut self, pieces: &[Piece]) -> io::Result<()> {
        for piece in pieces {
            if !piece.pause.is_zero() {
                tokio::time::sleep(piece.pause.min(LONGEST)).await;
            }
            self.chunk(&piece.bytes).await?;
        }
        Ok(())
    }

    fn status(&self, pieces: &[Piece]) -> u16 {
        let frame: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes.iter().copied()).collect();
        let code =
            serde_json::from_slice::<Value>(&frame).ok().and_then(|frame| frame["error"]["code"].as_i64());
        code.map_or(200, self.status_of_errors)
    }
}

impl<W: AsyncWrite + Send + Unpin> Sink for ResponseSink<'_, W> {
    async fn frame(&mut self, pieces: &[Piece]) -> io::Result<()> {
        let status = if self.begun { 200 } else { self.status(pieces) };
        self.begin(status).await?;
        self.events += 1;
        match self.style {
            Style::Json | Style::WrongType(_) => self.pieces(pieces).await,
            Style::Events => {
                self.chunk(b"event: message\ndata: ").await?;
                self.pieces(pieces).await?;
                self.chunk(b"\n\n").await
            }
            Style::Primed => {
                self.chunk(format!("id: {}\ndata: ", self.events).as_bytes()).await?;
                self.pieces(pieces).await?;
                self.chunk(b"\n\n").await
            }
            Style::ManyLines => {
                let frame: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes.iter().copied()).collect();
                // A newline is allowed between the tokens of JSON text, and each data line ends in one.
                let pretty = serde_json::from_slice::<Value>(&frame).map(|frame| format!("{frame:#}"));
                let text = pretty.unwrap_or_else(|_| String::from_utf8_lossy(&frame).into_owned());
                let event: String = text.lines().map(|line| format!("data: {line}\r\n")).collect();
                self.chunk(format!("{event}\r\n").as_bytes()).await
            }
            Style::Comments => loop {
                self.chunk(b": still here\n\n").await?;
                tokio::time::sleep(Duration::from_millis(10)).await;
            },
            Style::NoData => self.chunk(b"event: message\nid: 1\n\n").await,
            Style::CutShort => Ok(()),
        }
    }

    async fn raw(&mut self, pieces: &[Piece]) -> io::Result<()> {
        self.begin(200).await?;
        self.pieces(pieces).await
    }
}
