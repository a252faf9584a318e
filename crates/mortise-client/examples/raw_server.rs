//! A small server without any MCP library, for tests that need a real process.
//!
//! The first argument says how it behaves:
//!
//! * `plain`: as it should. Its tools are `echo`, `number`, `says`, `fails`, `exit`, `abort`, `environment` and `stderr`.
//! * `fragile`: dies of a method that it does not know.
//! * `deaf`: reads nothing after the list of tools.
//! * `family SOCKET`: starts a process like `hold`, then behaves.
//! * `daemons SOCKET`: starts a process like `daemon`, then behaves.
//! * `daemon SOCKET`: starts a process like `hold` in a new session, and ends: its child is an orphan of no group of ours.
//! * `stubborn SOCKET`: ends neither at the end of its input nor on SIGTERM.
//! * `hold SOCKET`: no server; only stays.
//! * `mute`: says nothing at all.
//! * `slow`: reads nothing in its first four seconds, then speaks both protocols.
//! * `slow-legacy`: reads nothing in its first four seconds, then behaves.
//! * `silent`: answers no method that it does not know.
//!
//! With a socket it connects there, says its process id and what it is told to do, and holds on.

use std::io::{BufRead, Write};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mode = arguments.first().map_or("plain", String::as_str);
    let socket = arguments.get(1).map(String::as_str);
    match (mode, socket) {
        ("hold", Some(socket)) => hold(socket),
        ("stubborn", Some(socket)) => {
            let socket = socket.to_owned();
            std::thread::spawn(move || hold(&socket));
            serve(mode)?;
            stay();
            Ok(())
        }
        ("family", Some(socket)) => {
            let _connection = announce(socket)?;
            let program = std::env::current_exe()?;
            let _grandchild = Command::new(program).args(["hold", socket]).spawn()?;
            serve(mode)
        }
        ("daemons", Some(socket)) => {
            let _connection = announce(socket)?;
            Command::new(std::env::current_exe()?).args(["daemon", socket]).spawn()?.wait()?;
            serve(mode)
        }
        ("daemon", Some(socket)) => {
            rustix::process::setsid()?;
            let _orphan = Command::new(std::env::current_exe()?).args(["hold", socket]).spawn()?;
            Ok(())
        }
        ("mute", _) => {
            stay();
            Ok(())
        }
        ("slow" | "slow-legacy", _) => {
            std::thread::sleep(Duration::from_secs(4));
            serve(mode)
        }
        _ => serve(mode),
    }
}

fn announce(socket: &str) -> std::io::Result<UnixStream> {
    let mut connection = UnixStream::connect(socket)?;
    writeln!(connection, "{}", std::process::id())?;
    Ok(connection)
}

/// Says when SIGTERM comes, and stays all the same.
fn hold(socket: &str) -> std::io::Result<()> {
    let mut connection = announce(socket)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        writeln!(connection, "holding")?;
        loop {
            terminate.recv().await;
            writeln!(connection, "SIGTERM")?;
        }
    })
}

fn stay() {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}

fn serve(mode: &str) -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        if request.get("id").is_none() {
            continue;
        }
        if mode == "fragile" && request["method"] == "server/discover" {
            return Ok(());
        }
        if mode == "silent" && request["method"] == "server/discover" {
            continue;
        }
        let answer = match (mode, request["method"].as_str()) {
            ("slow", Some("server/discover")) => discovered(&request),
            _ => answer(&request),
        };
        writeln!(output, "{answer}")?;
        output.flush()?;
        if mode == "deaf" && request["method"] == "tools/list" {
            stay();
        }
    }
    Ok(())
}

fn discovered(request: &Value) -> Value {
    let result = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "ttlMs": 0, "cacheScope": "private",
    });
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

fn answer(request: &Value) -> Value {
    let id = &request["id"];
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}});
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        }),
        "tools/list" => {
            let mut tools = ["echo", "exit", "abort", "environment", "stderr", "fails"].map(tool).to_vec();
            let wrapper = json!({"type": "object", "properties": {"result": {"type": "number"}}, "required": ["result"]});
            tools.push(json!({"name": "number", "inputSchema": {"type": "object"}, "outputSchema": wrapper}));
            tools.push(json!({"name": "says", "inputSchema": {"type": "object"}}));
            json!({ "tools": tools })
        }
        "tools/call" if request["params"]["name"] == "fails" => {
            json!({"content": [{"type": "text", "text": "the moon is in the way"}], "isError": true})
        }
        "tools/call" if request["params"]["name"] == "says" => {
            json!({"content": [{"type": "text", "text": request["params"]["arguments"]["text"]}]})
        }
        "tools/call" => json!({"content": [], "structuredContent": call(&request["params"])}),
        method => {
            let message = format!("unknown method {method}");
            return json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": message}});
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

#[expect(clippy::exit, reason = "dying is what is asked for")]
fn call(params: &Value) -> Value {
    let arguments = &params["arguments"];
    match params["name"].as_str().unwrap_or_default() {
        "exit" => std::process::exit(7),
        "abort" => std::process::abort(),
        "environment" => {
            let variables: Vec<String> =
                std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            json!({ "variables": variables })
        }
        "stderr" => {
            let mut stderr = std::io::stderr().lock();
            let line = [b'x'; 1023];
            for _ in 0..arguments["kib"].as_u64().unwrap_or(1) {
                let _ = stderr.write_all(&line);
                let _ = stderr.write_all(b"\n");
            }
            let _ = stderr.write_all(b"the end\n");
            json!({})
        }
        "number" => json!({ "result": arguments["number"] }),
        _ => arguments.clone(),
    }
}
