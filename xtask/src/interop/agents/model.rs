//! A model API on a loopback port that answers as an agent's own protocol wants it, and keeps every request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{Agent, ScriptedCall};

const READ_LIMIT: Duration = Duration::from_secs(60);
const MAX_BODY_BYTES: u64 = 64 * 1024 * 1024;

/// Listens until the process ends.
pub(super) struct Model {
    address: SocketAddr,
    record: Arc<Mutex<Record>>,
}

#[derive(Default)]
struct Record {
    /// What the model was asked.
    requests: Vec<Value>,
    /// Where the agent wanted to go instead.
    refused: Vec<String>,
}

struct HttpRequest {
    method: String,
    target: String,
    body: Vec<u8>,
}

impl Model {
    /// A model that makes these calls and then says that it is done.
    pub(super) fn start(agent: &'static dyn Agent, script: Vec<ScriptedCall>) -> Result<Self> {
        let listener =
            TcpListener::bind(("127.0.0.1", 0)).context("cannot listen on the loopback address")?;
        let address = listener.local_addr()?;
        let record = Arc::new(Mutex::new(Record::default()));
        let kept = Arc::clone(&record);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (script, kept) = (script.clone(), Arc::clone(&kept));
                // An agent that breaks a connection off has ended or asks again.
                thread::spawn(move || serve(&connection, agent, &script, &kept).ok());
            }
        });
        Ok(Self { address, record })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// All that the model was asked, in order.
    pub(super) fn requests(&self) -> Vec<Value> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }

    /// Addresses outside this machine that the agent asked for.
    pub(super) fn refused(&self) -> Vec<String> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner).refused.clone()
    }
}

/// Answers one request and closes the connection.
fn serve(
    connection: &TcpStream,
    agent: &dyn Agent,
    script: &[ScriptedCall],
    kept: &Mutex<Record>,
) -> Result<()> {
    connection.set_read_timeout(Some(READ_LIMIT))?;
    let request = read(connection)?;
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if request.method == "CONNECT" || !request.target.starts_with('/') {
        kept.refused.push(request.target);
        return reply(connection, "403 Forbidden", "text/plain", "");
    }
    let path = request.target.split('?').next().unwrap_or_default();
    let body = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let Some(events) = agent.answer(path, &body, script) else {
        // Some number of tokens, an empty list of models, nothing of all else.
        let answer = json!({ "input_tokens": 1, "models": [], "data": [] });
        return reply(connection, "200 OK", "application/json", &answer.to_string());
    };
    kept.requests.push(body);
    drop(kept);
    let stream: String =
        events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect();
    reply(connection, "200 OK", "text/event-stream", &stream)
}

fn name(event: &Value) -> &str {
    event["type"].as_str().unwrap_or_default()
}

fn read(connection: &TcpStream) -> Result<HttpRequest> {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = words.next().zip(words.next()).context("no request line")?;
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    ensure!(length <= MAX_BODY_BYTES, "a body of {length} bytes");
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    Ok(HttpRequest { method, target, body })
}

fn reply(mut connection: &TcpStream, status: &str, media_type: &str, body: &str) -> Result<()> {
    let length = body.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\ncontent-type: {media_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )?;
    Ok(())
}
