//! Messages as lines over any pair of byte streams.

use std::collections::HashSet;
use std::time::Duration;

use mortise_contract::{Era, RawJson};
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, Extensions, GetExtensions as _, GetMeta as _,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::transport::{ClientClosed, MessageTransport};
use super::{Clients, Connection, VerbatimArguments, raw};
use crate::call::Ends;
use crate::context::Origin;
use crate::frame::{self, CheckedFrame, Refusal};
use crate::limits::LINE_BYTES;
use crate::{ProtocolError, Server};

/// Messages that wait for a client that does not read.
const WRITE_QUEUE: usize = 256;
/// How long the last messages may take to be written.
const FLUSH_TIME: Duration = Duration::from_secs(5);

/// Standard input and output, without a thread in between where the system allows.
pub(crate) fn streams() -> (Reader, Writer) {
    let (reader, writer) = rmcp::transport::stdio_pipes();
    (Box::new(reader), Box::new(writer))
}

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Serves one client until it closes its side or `stop` fires.
pub(crate) async fn serve_lines(server: Server, reader: Reader, writer: Writer, stop: CancellationToken) {
    // What waits for news on the client's behalf ends with it, not only with us.
    let gone = stop.child_token();
    let left = CancellationToken::new();
    let (out, queue) = mpsc::channel(WRITE_QUEUE);
    let unread = CancellationToken::new();
    let writing = AbortOnDropHandle::new(tokio::spawn(write(writer, queue, unread.clone())));
    let transport = LineTransport::new(reader, out, unread, gone.clone(), left.clone());
    let ends = Ends { closing: gone, stopping: stop.clone() };
    let connection = Connection::new(server, OneClient { left }, ends);
    serve_connection(connection, transport, stop).await;
    // The last messages; what can't be written in time is dropped with the task.
    let _ = tokio::time::timeout(FLUSH_TIME, writing).await;
}

async fn serve_connection(connection: Connection, transport: LineTransport, stop: CancellationToken) {
    let transport = MessageTransport::Lines(Box::new(transport));
    let serving = tokio::select! {
        serving = serve_server_with_ct(connection, transport, stop.clone()) => serving,
        () = stop.cancelled() => return,
    };
    match serving {
        Ok(running) => match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => tracing::error!(%error, "the connection broke"),
            Ok(_) => {}
        },
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
        Err(error) => tracing::warn!(%error, "the client did not open a session"),
    }
}

/// One client, from the first request to the last.
struct OneClient {
    /// Fires when the client leaves.
    left: CancellationToken,
}

impl Clients for OneClient {
    fn origin(&self, connection: u64, _era: Era, _request: &Extensions) -> Origin {
        Origin { session: Some(connection), left: self.left.clone(), ..Origin::default() }
    }

    fn verbatim_arguments(&self, request: &Extensions) -> Option<RawJson> {
        request.get::<VerbatimArguments>().map(|arguments| arguments.0.clone())
    }
}

/// rmcp's messages, one per line.
pub(crate) struct LineTransport {
    reader: BufReader<Reader>,
    line: Vec<u8>,
    /// The rest of a line that is too long is being skipped.
    skipping: bool,
    refusal: Option<String>,
    opened: bool,
    in_flight: HashSet<RequestId>,
    /// Fired when the client has closed its side: what waits for news ends, and calls may.
    gone: CancellationToken,
    left: CancellationToken,
    /// Fires when the client no longer reads: it can get no answer any more.
    unread: CancellationToken,
    out: Option<mpsc::Sender<String>>,
}

impl LineTransport {
    fn new(
        reader: Reader,
        out: mpsc::Sender<String>,
        unread: CancellationToken,
        gone: CancellationToken,
        left: CancellationToken,
    ) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skipping: false,
            refusal: None,
            opened: false,
            in_flight: HashSet::new(),
            gone,
            left,
            unread,
            out: Some(out),
        }
    }

    /// The next whole line; `None` at the end. Nothing is lost when the future is dropped half way.
    async fn next_line(&mut self) -> Option<Result<Vec<u8>, Refusal>> {
        loop {
            let available = self.reader.fill_buf().await.ok()?;
            if available.is_empty() {
                // A last line without an end is still a line.
                return if self.line.is_empty() { None } else { Some(Ok(std::mem::take(&mut self.line))) };
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let part = &available[..end.unwrap_or(available.len())];
            if !self.skipping {
                self.line.extend_from_slice(part);
            }
            let consumed = part.len() + usize::from(end.is_some());
            self.reader.consume(consumed);
            if self.line.len() > LINE_BYTES {
                self.skipping = true;
                self.line = Vec::new();
            }
            if end.is_some() {
                if std::mem::take(&mut self.skipping) {
                    let message = format!("the line is longer than {LINE_BYTES} bytes");
                    return Some(Err(Refusal::new(None, ProtocolError::PARSE_ERROR, message)));
                }
                return Some(Ok(std::mem::take(&mut self.line)));
            }
        }
    }

    /// The message in a line, `None` for one that needs no answer and no action.
    fn read_message(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let frame = frame::check_message(line)?;
        tracing::trace!(method = frame.method.as_deref(), "received a message");
        if frame.is_foreign_response() {
            tracing::debug!("dropped a response: its id is a string, and those of our requests are numbers");
            return Ok(None);
        }
        let readable = frame.without_arguments(line);
        let mut message: ClientJsonRpcMessage = serde_json::from_slice(&readable).map_err(|error| {
            Refusal::new(
                frame.id.as_ref(),
                ProtocolError::INVALID_PARAMS,
                format!("unusable message: {error}"),
            )
        })?;
        match &mut message {
            JsonRpcMessage::Request(request) => {
                if !self.in_flight.insert(request.id.clone()) {
                    // Under no id, since the answer would be taken for the first request's.
                    let message = "the `id` is in use by a request that is still running";
                    return Err(Refusal::new(None, ProtocolError::INVALID_REQUEST, message));
                }
                self.opened |= opens(&request.request);
                attach(&mut request.request, frame);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.in_flight.remove(id);
                }
                // rmcp would end the connection over a notification that comes first.
                return Ok(Some(message).filter(|_| self.opened));
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {
                return Ok(Some(message).filter(|_| self.opened));
            }
        }
        Ok(Some(message))
    }
}

/// Whether rmcp takes this request as the beginning of a session.
fn opens(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    let stands_alone = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version));
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => stands_alone,
    }
}

fn attach(request: &mut ClientRequest, frame: CheckedFrame) {
    if let Some(arguments) = frame.arguments {
        request.extensions_mut().insert(VerbatimArguments(arguments));
    }
}

async fn write(mut writer: Writer, mut queue: mpsc::Receiver<String>, unread: CancellationToken) {
    while let Some(mut message) = queue.recv().await {
        message.push('\n');
        let mut written = writer.write_all(message.as_bytes()).await;
        // One flush for all that is there.
        if written.is_ok() && queue.is_empty() {
            written = writer.flush().await;
        }
        if let Err(error) = written {
            tracing::debug!(%error, "the client does not read any more");
            unread.cancel();
            return;
        }
    }
    let _ = writer.shutdown().await;
}

impl LineTransport {
    /// Queues the message; the future ends when there is room for it.
    pub(super) fn send(
        &mut self,
        message: &ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), ClientClosed>> + Send + use<> {
        match message {
            JsonRpcMessage::Response(response) => {
                self.in_flight.remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                error.id.as_ref().map(|id| self.in_flight.remove(id));
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        let text = serde_json::to_string(message).map(|text| raw::restore(&text).into_owned());
        let out = self.out.clone();
        async move {
            let (Ok(text), Some(out)) = (text, out) else { return Err(ClientClosed) };
            out.send(text).await.map_err(|_| ClientClosed)
        }
    }

    pub(super) async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.refusal.is_some() {
                match self.out.as_ref()?.reserve().await {
                    Ok(place) => place.send(self.refusal.take().unwrap_or_default()),
                    Err(_) => self.refusal = None,
                }
            }
            let unread = self.unread.clone();
            let line = tokio::select! {
                line = self.next_line() => line,
                () = unread.cancelled() => None,
            };
            let read = match line {
                Some(Ok(line)) => self.read_message(&line),
                Some(Err(refusal)) => Err(refusal),
                None => {
                    self.gone.cancel();
                    self.left.cancel();
                    return None;
                }
            };
            match read {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refusal) => {
                    tracing::debug!(code = refusal.error.code, "refused a message");
                    self.refusal = Some(refusal.to_text());
                }
            }
        }
    }

    /// Lets the writer end when it has written what is queued.
    pub(super) fn close(&mut self) {
        self.out = None;
    }
}
