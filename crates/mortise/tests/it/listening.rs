//! A command that listens on a port of its own.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Stdio};

use mortise_testkit::http::{HttpMessage, post};
use mortise_testkit::{LEGACY_VERSION, MODERN_VERSION, with_meta};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::ending::signal;
use crate::program::World;

pub(crate) struct Listening {
    pub(crate) child: Child,
    stderr: BufReader<ChildStderr>,
    pub(crate) address: SocketAddr,
    /// What it said until clients can call.
    pub(crate) said: String,
    token: Option<String>,
}

impl Listening {
    /// Starts a command and waits until it has said how to call it.
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let arguments = [arguments, &["--http", "127.0.0.1:0"]].concat();
        let mut child =
            world.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let (mut said, mut address, mut explained) = (String::new(), None, false);
        while address.is_none() || !explained {
            let mut line = String::new();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it ended: {said}");
            if let Some((_, rest)) = line.split_once("http://") {
                address = Some(rest.split('/').next().unwrap().parse().unwrap());
            }
            explained |= line.contains("clients send the header") || line.contains("without a token");
            said += &line;
        }
        let token = std::fs::read_to_string(world.state().join("http-token")).ok();
        let token = token.map(|token| token.trim().to_owned());
        Self { child, stderr, address: address.unwrap(), said, token }
    }

    pub(crate) fn caller(&self) -> Caller {
        Caller {
            address: self.address,
            authorization: self.token.as_ref().map(|token| format!("Bearer {token}")),
        }
    }

    pub(crate) async fn modern(&self, method: &str, params: Value) -> HttpMessage {
        self.caller().modern(method, params).await
    }

    /// Opens a session of the legacy era.
    pub(crate) async fn session(&self) -> Session {
        let caller = self.caller();
        let opening = json!({
            "protocolVersion": LEGACY_VERSION, "capabilities": {}, "clientInfo": { "name": "testkit", "version": "0" },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening });
        let opened = caller.post(&[], &message).await;
        let session = Session { caller, id: opened.header("mcp-session-id").unwrap().to_owned() };
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        session
    }

    /// Waits until it says this on stderr.
    pub(crate) fn wait_for(&mut self, words: &str) {
        let mut said = String::new();
        while !said.contains(words) {
            assert_ne!(self.stderr.read_line(&mut said).unwrap(), 0, "it ended: {said}");
        }
    }

    /// Waits for the end that somebody has asked for; its exit code.
    pub(crate) fn ended(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Asks it to stop and waits; what it said in the end.
    pub(crate) fn stop(mut self) -> String {
        signal(&self.child, Signal::TERM);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        let mut stderr = String::new();
        self.stderr.read_to_string(&mut stderr).unwrap();
        stderr
    }
}

/// A test that fails leaves no server behind.
impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where to call, and with which right.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) address: SocketAddr,
    pub(crate) authorization: Option<String>,
}

impl Caller {
    /// Posts a message with these headers and the token.
    pub(crate) async fn post(&self, headers: &[(&str, &str)], message: &Value) -> HttpMessage {
        let mut headers = headers.to_vec();
        headers.extend(self.authorization.as_deref().map(|authorization| ("authorization", authorization)));
        post(self.address, "/mcp", &headers, message).await.unwrap()
    }

    /// Posts a modern request with the headers that go with it.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> HttpMessage {
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut headers = vec![("mcp-protocol-version", MODERN_VERSION), ("mcp-method", method)];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params) });
        self.post(&headers, &message).await
    }
}

/// A client of the legacy era with a session of its own.
pub(crate) struct Session {
    caller: Caller,
    id: String,
}

impl Session {
    async fn post(&self, message: &Value) -> HttpMessage {
        let headers = [("mcp-session-id", self.id.as_str()), ("mcp-protocol-version", LEGACY_VERSION)];
        self.caller.post(&headers, message).await
    }

    /// Calls a tool; the whole response.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        response(&self.post(&message).await)
    }
}

/// The response to request 1.
pub(crate) fn response(message: &HttpMessage) -> Value {
    message
        .frames()
        .into_iter()
        .find(|frame| frame["id"] == 1)
        .unwrap_or_else(|| panic!("{}", message.text()))
}
