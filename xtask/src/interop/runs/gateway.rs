//! `mortise serve` over stdio, used by a client that can't be asked anything.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::home::{LIMIT, RunHome};
use crate::process::Running;

/// A gateway that ends, without notice, when this value is dropped.
pub(super) struct StdioGateway {
    pub(super) running: Running,
    input: ChildStdin,
    answers: Receiver<Value>,
    number: u64,
}

impl StdioGateway {
    pub(super) fn start(home: &RunHome) -> Result<Self> {
        let mut command = home.mortise(&["serve"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = Running::start(&mut command)?;
        let input = running.child().stdin.take().context("stdin is not piped")?;
        let output = BufReader::new(running.child().stdout.take().context("stdout is not piped")?);
        let (sender, answers) = channel();
        // Ends with the process, which closes the pipe.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let answer = serde_json::from_str::<Value>(&line).unwrap_or_default();
                if answer.get("id").is_some()
                    && answer.get("method").is_none()
                    && sender.send(answer).is_err()
                {
                    break;
                }
            }
        });
        let mut gateway = Self { running, input, answers, number: 0 };
        gateway.send("initialize", &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "runs", "version": "1" } }))?;
        Ok(gateway)
    }

    /// Calls a tool without waiting for its answer.
    pub(super) fn send_call(&mut self, tool: &str, arguments: &Value) -> Result<u64> {
        self.send("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool; the text of the answer.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let number = self.send_call(tool, arguments)?;
        loop {
            let answer =
                self.answers.recv_timeout(LIMIT).with_context(|| format!("`{tool}` got no answer"))?;
            if answer["id"] == number {
                let text = answer["result"]["content"][0]["text"].as_str();
                return text.map(str::to_owned).with_context(|| format!("`{tool}` got {answer}"));
            }
        }
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.number += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params });
        writeln!(self.input, "{request}")?;
        if method == "initialize" {
            writeln!(self.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        }
        Ok(self.number)
    }
}
