//! One HTTP/1.1 exchange, written and read by hand.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::PeerError;

const WAIT: Duration = Duration::from_secs(60);
const BODY: usize = 64 * 1024 * 1024;
const HEAD: usize = 256 * 1024;

/// A request or a response: its first line, headers and body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpMessage {
    /// `POST /mcp HTTP/1.1` or `HTTP/1.1 200 OK`.
    pub start: String,
    /// Names in lower case, in order.
    pub headers: Vec<(String, String)>,
    /// The body, with chunks put together.
    pub body: Vec<u8>,
}

impl HttpMessage {
    /// The status of a response, 0 if there is none.
    pub fn status(&self) -> u16 {
        self.start.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }

    /// The method of a request.
    pub fn method(&self) -> &str {
        self.start.split(' ').next().unwrap_or_default()
    }

    /// The target of a request.
    pub fn target(&self) -> &str {
        self.start.split(' ').nth(1).unwrap_or_default()
    }

    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The JSON messages of the body: the body itself, or the data of each SSE event.
    pub fn frames(&self) -> Vec<Value> {
        if self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            sse_data(&self.text()).iter().filter_map(|data| serde_json::from_str(data).ok()).collect()
        } else {
            serde_json::from_slice(&self.body).into_iter().collect()
        }
    }
}

/// The data of each event of an SSE body.
pub fn sse_data(body: &str) -> Vec<String> {
    body.replace("\r\n", "\n")
        .split("\n\n")
        .map(|event| {
            let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
            lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
        })
        .filter(|data| !data.is_empty())
        .collect()
}

/// Posts one JSON-RPC message with the usual headers plus `headers`.
pub async fn post(
    address: SocketAddr,
    path: &str,
    headers: &[(&str, &str)],
    message: &Value,
) -> Result<HttpMessage, PeerError> {
    let body = message.to_string();
    let usual = [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    let usual =
        usual.iter().filter(|(name, _)| !headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)));
    let headers: Vec<_> = usual.chain(headers).copied().collect();
    send(address, &format!("POST {path}"), &headers, body.as_bytes()).await
}

/// Sends one request and reads the whole response; the connection is closed after it.
pub async fn send(
    address: SocketAddr,
    method_and_path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Result<HttpMessage, PeerError> {
    let headers = [headers, &[("connection", "close")]].concat();
    let mut connection = HttpConnection::open(address).await?;
    connection.send(method_and_path, &headers, body).await?;
    connection.response().await
}

/// A connection for several requests, one after the other.
#[derive(Debug)]
pub struct HttpConnection {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl HttpConnection {
    /// Connects.
    pub async fn open(address: SocketAddr) -> Result<Self, PeerError> {
        Ok(Self { address, stream: BufReader::new(TcpStream::connect(address).await?) })
    }

    /// Sends a request without waiting for its response.
    pub async fn send(
        &mut self,
        method_and_path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<(), PeerError> {
        let mut request = format!("{method_and_path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request += &format!("host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("content-length: {}\r\n\r\n", body.len());
        let bytes = [request.as_bytes(), body].concat();
        Ok(self.stream.write_all(&bytes).await?)
    }

    /// Reads this many bytes of what comes and leaves the rest unread.
    pub async fn skip(&mut self, bytes: usize) -> Result<(), PeerError> {
        let mut skipped = vec![0; bytes];
        within("more of a response", async { Ok(self.stream.read_exact(&mut skipped).await.map(drop)?) })
            .await
    }

    /// Whether something has come that was not read yet.
    pub fn has_answered(&self) -> bool {
        !self.stream.buffer().is_empty()
            || !matches!(self.stream.get_ref().try_read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }

    /// Reads the next whole response.
    pub async fn response(&mut self) -> Result<HttpMessage, PeerError> {
        let reading = async {
            let response = read_message(&mut self.stream, HttpSide::Response).await?;
            response.ok_or_else(|| http_error("the connection was closed without a response"))
        };
        within("a response", reading).await
    }
}

async fn within<T>(
    waiting_for: &str,
    exchange: impl Future<Output = Result<T, PeerError>>,
) -> Result<T, PeerError> {
    match tokio::time::timeout(WAIT, exchange).await {
        Ok(response) => response,
        Err(_) => Err(PeerError::TimedOut {
            waiting_for: waiting_for.to_owned(),
            limit: WAIT,
            received: "nothing".to_owned(),
        }),
    }
}

/// Which side wrote a message; it decides what no length means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HttpSide {
    Request,
    Response,
}

/// Reads one message; `None` if the stream ends before it begins.
pub(crate) async fn read_message(
    reader: &mut (impl AsyncBufRead + Unpin),
    side: HttpSide,
) -> Result<Option<HttpMessage>, PeerError> {
    let start = line(reader).await?;
    if start.is_empty() {
        return Ok(None);
    }
    if side == HttpSide::Response && !start.starts_with("HTTP/1.") {
        return Err(http_error("the response does not begin with a status line"));
    }
    let mut headers = Vec::new();
    loop {
        let line = line(reader).await?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| http_error("a header without colon"))?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut message = HttpMessage { start, headers, body: Vec::new() };
    let length = message.header("content-length").and_then(|length| length.parse::<usize>().ok());
    let chunked = message.header("transfer-encoding").is_some_and(|coding| coding.contains("chunked"));
    if chunked {
        message.body = chunks(reader).await?;
    } else if let Some(length) = length {
        message.body = exactly(reader, length).await?;
    } else if side == HttpSide::Response {
        reader.take(BODY as u64).read_to_end(&mut message.body).await?;
    }
    Ok(Some(message))
}

async fn chunks(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<Vec<u8>, PeerError> {
    let mut body = Vec::new();
    loop {
        let size = line(reader).await?;
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)
            .map_err(|_| http_error("a chunk without size"))?;
        if body.len().saturating_add(size) > BODY {
            return Err(http_error("the body is too large"));
        }
        body.extend(exactly(reader, size).await?);
        line(reader).await?;
        if size == 0 {
            return Ok(body);
        }
    }
}

async fn exactly(reader: &mut (impl AsyncBufRead + Unpin), length: usize) -> Result<Vec<u8>, PeerError> {
    if length > BODY {
        return Err(http_error("the body is too large"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await?;
    Ok(body)
}

async fn line(reader: &mut (impl AsyncBufRead + Unpin)) -> Result<String, PeerError> {
    let mut line = Vec::new();
    reader.take(HEAD as u64).read_until(b'\n', &mut line).await?;
    let line = String::from_utf8(line).map_err(|_| http_error("the head is not UTF-8"))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn http_error(reason: &str) -> PeerError {
    PeerError::Http { reason: reason.to_owned() }
}
