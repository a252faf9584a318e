//! A small server without any MCP library, for tests that need a real process.
//!
//! The first argument says how it misbehaves; `plain` does not.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let mode = std::env::args().nth(1).unwrap_or_else(|| "plain".to_owned());
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Ok(request) = serde_json::from_str::<Value>(&line?) else { continue };
        if request.get("id").is_none() {
            continue;
        }
        let reply = answer(&mode, &request);
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(mode: &str, request: &Value) -> Value {
    let id = &request["id"];
    let result = match request["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "raw", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{
            "name": "echo",
            "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"},
        }]}),
        "tools/call" => call(mode, &request["params"]),
        method => {
            let message = format!("unknown method {method}");
            return json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": message}});
        }
    };
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

#[expect(clippy::exit, reason = "dying is what is asked for")]
fn call(mode: &str, params: &Value) -> Value {
    match mode {
        "exit" => std::process::exit(7),
        "environment" => {
            let variables: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
            json!({"content": [], "structuredContent": {"variables": variables}})
        }
        _ => json!({"content": [], "structuredContent": params["arguments"]}),
    }
}
