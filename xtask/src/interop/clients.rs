//! Our servers used by other people's clients: list, call, validation on their side, errors.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::Interop;
use super::difference::differences;
use super::endpoint::{CallEntry, ServerEntry, Wire};
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(120);

/// A client driver under `xtask/interop/clients/`, and the protocol eras it is run in.
pub(super) struct Client {
    pub(super) name: &'static str,
    pub(super) script: &'static str,
    pub(super) modes: &'static [&'static str],
}

pub(super) const CLIENTS: [Client; 4] = [
    Client { name: "TypeScript v1", script: "typescript_v1.mjs", modes: &["legacy"] },
    Client { name: "TypeScript v2", script: "typescript_v2.mjs", modes: &["auto", "legacy"] },
    Client { name: "Python", script: "python_client.py", modes: &["auto", "legacy"] },
    Client { name: "FastMCP", script: "fastmcp_client.py", modes: &["auto", "legacy"] },
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    server: Vec<ServerEntry>,
}

#[derive(Deserialize)]
struct Answer {
    tools: Vec<Value>,
    calls: Vec<Value>,
}

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop clients";
    let manifest = match read(interop) {
        Ok(manifest) => manifest,
        Err(error) => return report.step("clients", rerun, || Err(error)),
    };
    for server in &manifest.server {
        for wire in Wire::ALL.into_iter().filter(|wire| server.speaks(*wire)) {
            for client in &CLIENTS {
                let name = format!("clients: {} on {} over {}", client.name, server.name, wire.as_str());
                report.step(&name, rerun, || check(interop, client, server, wire));
            }
        }
    }
}

fn read(interop: &Interop<'_>) -> Result<Manifest> {
    let path = interop.workspace.root().join("xtask/interop/clients.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
}

fn check(interop: &Interop<'_>, client: &Client, server: &ServerEntry, wire: Wire) -> Result<String> {
    let endpoint = server.endpoint(interop, wire)?;
    let mut tools = 0;
    for mode in client.modes {
        let mut command = driver(interop, client)?;
        command.arg(endpoint.job(mode, &server.call).to_string());
        let finished = process::run_ok(&mut command, LIMIT).with_context(|| format!("in mode {mode}"))?;
        let line = finished.stdout.lines().last().unwrap_or_default();
        let answer: Answer = serde_json::from_str(line).context("the driver printed no answer")?;
        tools = answer.tools.len();
        ensure!(
            answer.calls.len() == server.call.len(),
            "{} of {} calls answered",
            answer.calls.len(),
            server.call.len()
        );
        for (call, result) in server.call.iter().zip(&answer.calls) {
            let listed = answer.tools.iter().any(|tool| tool["name"] == call.tool.as_str());
            ensure!(
                listed || call.clients.as_deref() == Some("unknown"),
                "mode {mode}: {} is not listed",
                call.tool
            );
            judge(call, result).with_context(|| format!("mode {mode}: {}: {result}", call.tool))?;
        }
    }
    Ok(format!("{tools} tools, {} calls in {}", server.call.len(), client.modes.join(" and ")))
}

/// JavaScript finds its packages next to the file, so drivers are copied there.
pub(super) fn driver(interop: &Interop<'_>, client: &Client) -> Result<Command> {
    let script = interop.workspace.root().join("xtask/interop/clients").join(client.script);
    if Path::new(client.script).extension().is_some_and(|ending| ending == "py") {
        return Ok(interop.packages.python(&script));
    }
    let copy = interop.packages.folder().join("npm").join(client.script);
    fs::copy(&script, &copy).with_context(|| format!("copying {}", script.display()))?;
    interop.packages.javascript(&copy)
}

fn judge(call: &CallEntry, result: &Value) -> Result<()> {
    let kind = if result.get("refused").is_some() {
        "refused"
    } else if result["isError"] == true {
        "error"
    } else if result.get("structuredContent").is_some() {
        "structured"
    } else {
        "text"
    };
    let expected = call.clients.as_deref().unwrap_or("structured");
    let expected = if expected == "unknown" { "refused" } else { expected };
    ensure!(kind == expected, "`{kind}` instead of `{expected}`");
    let text =
        result["content"].as_array().is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "text"));
    if kind != "refused" && !text {
        bail!("no text for clients that read only text");
    }
    let Some(structured) = &call.structured else { return Ok(()) };
    let got = &result["structuredContent"];
    let found = differences(structured, got);
    ensure!(found.is_empty(), "structured content differs:\n{}", found.join("\n"));
    Ok(())
}
