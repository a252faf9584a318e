//! A session over Streamable HTTP, written and read by hand, on one connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::lab::{Listener, TOKEN};
use super::load::Session;

pub(super) const VERSION: &str = "2025-11-25";

/// A server closes a connection that is idle for longer; like other clients we then open another.
const IDLE: Duration = Duration::from_secs(5);

/// A client of a gateway or a mock.
pub(super) struct HttpSession {
    address: SocketAddr,
    path: String,
    connection: Option<BufReader<TcpStream>>,
    used: Instant,
    patience: Duration,
    session: Option<String>,
    number: u64,
}

/// A response: its status and body.
struct Response {
    status: u16,
    session: Option<String>,
    is_stream: bool,
    body: Vec<u8>,
}

impl HttpSession {
    /// Shakes hands. `patience` is how long an answer may take before it counts as lost.
    pub(super) fn open(listener: &Listener, patience: Duration) -> Result<Self> {
        let mut session = Self {
            address: listener.address,
            path: listener.path.clone(),
            connection: None,
            used: Instant::now(),
            patience,
            session: None,
            number: 0,
        };
        session.start()?;
        Ok(session)
    }

    /// Opens several sessions, each with a connection that it keeps.
    pub(super) fn open_many(listener: &Listener, count: usize, patience: Duration) -> Result<Vec<Self>> {
        (0..count).map(|_| Self::open(listener, patience)).collect()
    }

    /// Begins another session on the same connection; the one before stays open on the server.
    pub(super) fn start(&mut self) -> Result<()> {
        self.session = None;
        let hello = json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": { "name": "faults", "version": "1" } });
        let answer = self.request("initialize", &hello)?;
        if answer.get("result").is_none() {
            bail!("initialize got {answer}");
        }
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let response = self.exchange("POST", &ready.to_string())?;
        if response.status >= 300 {
            bail!("the notification got HTTP {}", response.status);
        }
        Ok(())
    }

    /// Opens the stream of the server's own messages, and leaves it open.
    pub(super) fn listen(&self) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.write_all(self.head("GET", 0).as_bytes())?;
        let mut first = String::new();
        BufReader::new(stream.try_clone()?).read_line(&mut first)?;
        if !first.contains(" 200 ") {
            bail!("the stream got {first}");
        }
        Ok(stream)
    }

    fn head(&self, method: &str, length: usize) -> String {
        let session = self.session.as_deref().map(|id| format!("mcp-session-id: {id}\r\n"));
        format!(
            "{method} {} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: {VERSION}\r\n{}content-length: {length}\r\n\r\n",
            self.path,
            self.address,
            session.unwrap_or_default()
        )
    }

    fn exchange(&mut self, method: &str, body: &str) -> Result<Response> {
        let kept = self.connection.take().filter(|_| self.used.elapsed() < IDLE);
        let mut connection = match kept {
            Some(connection) => connection,
            None => {
                let stream =
                    TcpStream::connect_timeout(&self.address, self.patience).context("connecting")?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(self.patience))?;
                stream.set_write_timeout(Some(self.patience))?;
                BufReader::new(stream)
            }
        };
        let message = format!("{}{body}", self.head(method, body.len()));
        connection.get_mut().write_all(message.as_bytes()).context("sending")?;
        let response = read(&mut connection).context("reading")?;
        self.used = Instant::now();
        self.connection = Some(connection);
        Ok(response)
    }
}

impl Session for HttpSession {
    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.number += 1;
        let number = self.number;
        let request = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        let response = self.exchange("POST", &request.to_string())?;
        if response.session.is_some() {
            self.session = response.session;
        }
        let text = String::from_utf8_lossy(&response.body);
        // A refusal at the level of HTTP says why in its body, which need not be JSON-RPC.
        if response.status >= 400 && !text.trim().is_empty() && !text.trim_start().starts_with('{') {
            return Ok(json!({ "error": { "code": response.status, "message": text.trim() } }));
        }
        let frames: Vec<&str> = match response.is_stream {
            true => text.lines().filter_map(|line| line.strip_prefix("data:")).collect(),
            false => vec![&text],
        };
        let frames = frames.iter().filter_map(|frame| serde_json::from_str::<Value>(frame).ok());
        let mut answers = frames.filter(|frame| frame["id"] == number || frame.get("error").is_some());
        answers.next().with_context(|| format!("HTTP {} without an answer: {text}", response.status))
    }
}

fn read(connection: &mut BufReader<TcpStream>) -> Result<Response> {
    let mut line = String::new();
    if connection.read_line(&mut line)? == 0 {
        bail!("the connection was closed without an answer");
    }
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
    let (mut session, mut is_stream, mut is_chunked, mut length) = (None, false, false, 0);
    loop {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            bail!("the connection was closed within the headers");
        }
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "mcp-session-id" => session = Some(value.to_owned()),
            "content-type" => is_stream = value.starts_with("text/event-stream"),
            "transfer-encoding" => is_chunked = value.eq_ignore_ascii_case("chunked"),
            "content-length" => length = value.parse()?,
            _ => {}
        }
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            line.clear();
            connection.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16).context("the body was cut off")?;
            let start = body.len();
            body.resize(start + size + 2, 0);
            connection.read_exact(&mut body[start..])?;
            body.truncate(start + size);
            if size == 0 {
                break;
            }
        }
    } else {
        body.resize(length, 0);
        connection.read_exact(&mut body)?;
    }
    Ok(Response { status, session, is_stream, body })
}
