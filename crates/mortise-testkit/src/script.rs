//! The server side of a JSON-RPC line stream, answering what a closure says.

pub(crate) mod http;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use crate::PeerError;
use crate::lines::{LineFrame, next_line};

const LINE: usize = 64 * 1024 * 1024;
const PIPE: usize = 64 * 1024;

/// One step of an answer.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// A frame, written as compact JSON plus a newline.
    Frame(Value),
    /// Bytes written as they are.
    Raw(Vec<u8>),
    /// Closes the stream; nothing after it is written.
    Close,
}

impl ScriptedReply {
    /// Text written as it is, plus a newline.
    pub fn line(text: &str) -> Self {
        Self::Raw(format!("{text}\n").into_bytes())
    }
}

/// The successful response to a request.
pub fn answer(request: &Value, result: Value) -> ScriptedReply {
    let mut frame = json!({"jsonrpc": "2.0", "id": request["id"]});
    frame["result"] = result;
    ScriptedReply::Frame(frame)
}

/// The error response to a request.
pub fn refuse(request: &Value, code: i32, message: &str) -> ScriptedReply {
    ScriptedReply::Frame(
        json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": message}}),
    )
}

/// What a plain legacy server says to `initialize`, `server/discover`, `ping` and
/// notifications; `None` for everything else, which the script answers itself.
pub fn handshake(request: &Value) -> Option<Vec<ScriptedReply>> {
    match request["method"].as_str()? {
        "initialize" => Some(vec![answer(
            request,
            json!({
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "scripted", "version": "0"},
            }),
        )]),
        "server/discover" => Some(vec![refuse(request, -32601, "method not found")]),
        "ping" => Some(vec![answer(request, json!({}))]),
        method if method.starts_with("notifications/") => Some(Vec::new()),
        _ => None,
    }
}

type Script = dyn FnMut(&Value) -> Vec<ScriptedReply> + Send;

/// A server whose answers a closure makes, one request line at a time.
pub struct ScriptedServer {
    script: Box<Script>,
}

impl ScriptedServer {
    /// The closure gets each line that is JSON and returns what is written.
    pub fn new(script: impl FnMut(&Value) -> Vec<ScriptedReply> + Send + 'static) -> Self {
        Self { script: Box::new(script) }
    }

    /// A legacy server with the usual handshake; the closure answers the rest.
    pub fn legacy(mut script: impl FnMut(&Value) -> Vec<ScriptedReply> + Send + 'static) -> Self {
        Self::new(move |request| handshake(request).unwrap_or_else(|| script(request)))
    }

    /// Serves until either side closes; returns every line received.
    pub async fn serve(
        mut self,
        reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
    ) -> Result<Vec<LineFrame>, PeerError> {
        let mut reader = BufReader::new(reader);
        let mut received = Vec::new();
        let mut partial = Vec::new();
        while let Some(line) = next_line(&mut reader, &mut partial, LINE).await? {
            let frame = LineFrame::new(line);
            let replies = frame.json.as_ref().map(|json| (self.script)(json)).unwrap_or_default();
            received.push(frame);
            for reply in replies {
                match reply {
                    ScriptedReply::Frame(value) => writer.write_all(format!("{value}\n").as_bytes()).await?,
                    ScriptedReply::Raw(bytes) => writer.write_all(&bytes).await?,
                    ScriptedReply::Close => {
                        writer.shutdown().await?;
                        return Ok(received);
                    }
                }
            }
            writer.flush().await?;
        }
        Ok(received)
    }

    /// Serves in a task; returns the client's end of the stream.
    pub fn spawn(self) -> (DuplexStream, JoinHandle<Result<Vec<LineFrame>, PeerError>>) {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (reader, writer) = tokio::io::split(ours);
        (theirs, tokio::spawn(self.serve(reader, writer)))
    }
}
