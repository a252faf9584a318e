//! A session over stdio with several calls in flight.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::http_session::VERSION;
use super::load::{Outcome, Session, Tally, judge};
use crate::process::Running;

/// A process that is spoken to over its pipes.
pub(super) struct StdioSession {
    _running: Running,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl StdioSession {
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        let mut running =
            Running::start(command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
        let input = running.child().stdin.take().context("stdin is not piped")?;
        let output = BufReader::new(running.child().stdout.take().context("stdout is not piped")?);
        let mut session = Self { _running: running, input, output, number: 0 };
        let hello = json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": { "name": "faults", "version": "1" } });
        session.request("initialize", &hello)?;
        writeln!(session.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// Keeps this many calls of a tool in flight for a time.
    pub(super) fn keep_in_flight(&mut self, tool: &str, count: usize, time: Duration) -> Result<Tally> {
        let started = Instant::now();
        let mut tally = Tally::default();
        let mut waiting: BTreeMap<u64, (String, Instant)> = BTreeMap::new();
        while waiting.len() < count {
            self.send_echo(tool, &mut waiting)?;
        }
        while !waiting.is_empty() {
            let frame = self.read()?;
            let Some((text, sent)) = frame["id"].as_u64().and_then(|id| waiting.remove(&id)) else {
                continue;
            };
            tally.count(judge(Ok(&frame), &text), sent.elapsed());
            if started.elapsed() < time {
                self.send_echo(tool, &mut waiting)?;
            }
        }
        tally.wall = started.elapsed();
        Ok(tally)
    }

    fn send_echo(&mut self, tool: &str, waiting: &mut BTreeMap<u64, (String, Instant)>) -> Result<()> {
        let text = format!("stdio-{}-end", self.number + 1);
        let params = json!({ "name": tool, "arguments": { "text": text } });
        let number = self.send("tools/call", &params)?;
        waiting.insert(number, (text, Instant::now()));
        Ok(())
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64> {
        self.number += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params });
        writeln!(self.input, "{request}")?;
        Ok(self.number)
    }

    fn read(&mut self) -> Result<Value> {
        let mut line = String::new();
        anyhow::ensure!(self.output.read_line(&mut line)? > 0, "the process closed its output");
        Ok(serde_json::from_str(&line)?)
    }
}

impl Session for StdioSession {
    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let number = self.send(method, params)?;
        loop {
            let frame = self.read()?;
            if frame["id"] == number {
                return Ok(frame);
            }
        }
    }
}

/// Calls `echo` until one answer is right.
pub(super) fn warm_up(session: &mut impl Session, tool: &str, limit: Duration) -> Result<Duration> {
    let mut last = Outcome::Right;
    let worked = super::lab::until(limit, || {
        last = session.echo(tool, "warm-end");
        last == Outcome::Right
    });
    worked.with_context(|| format!("`{tool}` never worked: {last:?}"))
}
