//! An MCP server over stdio that counts effects in a file, for `cargo xtask interop runs`.
//!
//! Usage: `counting_server FILE`. An effect is one line in the file, written at once, so it outlasts a killed process.
//! The server holds a shared lock on the file while it lives: with an exclusive lock, a reader knows that all is counted.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let served = match std::env::args().nth(1) {
        Some(path) => serve(Path::new(&path)),
        None => Err(io::Error::other("usage: counting_server FILE")),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "error: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

/// Answers requests until the input ends. Calls that wait are then dropped with the process.
fn serve(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.lock_shared()?;
    let counter = Arc::new(Counter { path: path.to_owned(), file });
    let output = Arc::new(Mutex::new(io::stdout()));
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let (counter, output) = (Arc::clone(&counter), Arc::clone(&output));
        if request["method"] == "tools/call" {
            thread::spawn(move || answer(&output, &request, counter.call(&request["params"])));
        } else if request.get("id").is_some() {
            answer(&output, &request, described(&request));
        }
    }
    Ok(())
}

fn answer(output: &Mutex<io::Stdout>, request: &Value, result: Result<Value, Value>) {
    let (key, value) = match result {
        Ok(result) => ("result", result),
        Err(error) => ("error", error),
    };
    let message = json!({ "jsonrpc": "2.0", "id": request["id"], key: value });
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    // Without a reader there is no one to answer.
    writeln!(output, "{message}").and_then(|()| output.flush()).ok();
}

fn described(request: &Value) -> Result<Value, Value> {
    match request["method"].as_str() {
        Some("initialize") => Ok(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "counting", "version": "1" },
        })),
        Some("tools/list") => Ok(json!({ "tools": [
            tool("look", &json!({ "readOnlyHint": true })),
            tool("put", &json!({ "readOnlyHint": false, "idempotentHint": true, "destructiveHint": false })),
            tool("add", &json!({ "readOnlyHint": false, "idempotentHint": false, "destructiveHint": false })),
        ] })),
        Some("ping") => Ok(json!({})),
        _ => Err(json!({ "code": -32601, "message": "no such method" })),
    }
}

fn tool(name: &str, annotations: &Value) -> Value {
    let time = json!({ "type": "integer", "minimum": 0 });
    json!({
        "name": name,
        "annotations": annotations,
        "inputSchema": {
            "type": "object",
            "properties": {
                "key": { "type": "string" },
                "before_ms": time,
                "after_ms": time,
                "fails": { "type": "boolean" },
            },
            "required": ["key"],
        },
        "outputSchema": {
            "type": "object",
            "properties": { "value": { "type": "integer" }, "is_done": { "type": "boolean" } },
            "required": ["value", "is_done"],
        },
    })
}

struct Counter {
    path: PathBuf,
    file: File,
}

impl Counter {
    /// Waits, does what the tool does, and waits again.
    fn call(&self, params: &Value) -> Result<Value, Value> {
        let arguments = &params["arguments"];
        let pause =
            |name: &str| thread::sleep(Duration::from_millis(arguments[name].as_u64().unwrap_or_default()));
        let key = arguments["key"].as_str().unwrap_or_default();
        pause("before_ms");
        if arguments["fails"] == true {
            return Ok(json!({ "content": [{ "type": "text", "text": "not now" }], "isError": true }));
        }
        let is_done = match params["name"].as_str() {
            Some("look") => self.has(key),
            Some(tool) => (&self.file).write_all(format!("{tool} {key}\n").as_bytes()).map(|()| true),
            None => Err(io::Error::other("a call needs a tool")),
        };
        let is_done = is_done.map_err(|error| json!({ "code": -32603, "message": error.to_string() }))?;
        pause("after_ms");
        let value = key.bytes().fold(7_u64, |value, byte| (value * 31 + u64::from(byte)) % 1_000_003);
        let content = json!({ "value": value, "is_done": is_done });
        Ok(
            json!({ "content": [{ "type": "text", "text": content.to_string() }], "structuredContent": content }),
        )
    }

    fn has(&self, key: &str) -> io::Result<bool> {
        let text = std::fs::read_to_string(&self.path)?;
        Ok(text.lines().any(|line| line.split_once(' ').is_some_and(|(_, counted)| counted == key)))
    }
}
