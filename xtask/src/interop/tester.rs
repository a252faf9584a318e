//! `mortise tester` driven by the official Python client against other people's servers.
//!
//! That client checks every answer against the output schema that the tester advertises, and
//! refuses what does not fit.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::Interop;
use super::endpoint::{Endpoint, ServerEntry, Wire};
use super::servers::{compare, read, their_list};
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(180);

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop tester";
    let manifest = match read(interop) {
        Ok(manifest) => manifest,
        Err(error) => return report.step("tester", rerun, || Err(error)),
    };
    for server in &manifest.server {
        for wire in Wire::ALL.into_iter().filter(|wire| server.speaks(*wire)) {
            let name = format!("tester: {} over {}", server.name, wire.as_str());
            report.step(&name, rerun, || check(interop, server, wire));
        }
    }
}

/// Connects, lists, makes the calls of the manifest, looks at the status and disconnects.
fn check(interop: &Interop<'_>, server: &ServerEntry, wire: Wire) -> Result<String> {
    let endpoint = server.endpoint(interop, wire)?;
    let theirs = their_list(interop, &endpoint)?;
    let answers = drive(interop, &endpoint, server)?;
    let (connected, rest) = answers.split_first().context("no answer")?;
    ensure!(connected["success"] == true, "not connected: {connected}");
    let (listed, rest) = rest.split_first().context("no list")?;
    let raw: Vec<Value> = listed["tools"]
        .as_array()
        .context("list_tools has no `tools`")?
        .iter()
        .map(|tool| tool["raw"].clone())
        .collect();
    let found = compare(&raw, &theirs);
    if !found.is_empty() {
        bail!("left is the official client, right is `list_tools`:\n{}", found.join("\n"));
    }
    for (call, answer) in server.call.iter().zip(rest) {
        let status = answer["contract"]["status"].as_str().unwrap_or("(no verdict)");
        // The tester knows five statuses; the rest are reasons of `unchecked`.
        let expected = match call.verdict.as_str() {
            "no_schema" | "tool_error" | "incomplete" => "unchecked",
            other => other,
        };
        ensure!(status == expected, "{}: `{status}` instead of `{expected}`: {answer}", call.tool);
        let failed = call.verdict == "tool_error";
        ensure!((answer["success"] == false) == failed, "{}: {answer}", call.tool);
    }
    let status = rest.get(server.call.len()).context("no status")?;
    ensure!(status["connected"] == true, "the server is gone: {status}");
    ensure!(
        status["statistics"]["tools_called"] == server.call.len(),
        "the statistics do not count: {status}"
    );
    Ok(format!("{} tools equal, {} calls judged", theirs.len(), server.call.len()))
}

/// What the tester answered, call by call.
fn drive(interop: &Interop<'_>, endpoint: &Endpoint, server: &ServerEntry) -> Result<Vec<Value>> {
    let mut calls = vec![
        json!({"tool": "connect_to_server", "arguments": endpoint.connect_arguments()}),
        json!({"tool": "list_tools", "arguments": {"verbose": true}}),
    ];
    calls.extend(server.call.iter().map(|call| {
        let arguments = json!({"name": call.tool, "arguments": endpoint.fill(&call.arguments)});
        json!({"tool": "call_tool", "arguments": arguments})
    }));
    calls.push(json!({"tool": "get_connection_status", "arguments": {}}));
    calls.push(json!({"tool": "disconnect", "arguments": {}}));
    let tester = interop.workspace.built("mortise");
    let job = json!({"command": [tester, "tester"], "mode": "auto", "calls": calls});
    let script = interop.workspace.root().join("xtask/interop/clients/python_client.py");
    let mut command = interop.packages.python(&script);
    command.arg(job.to_string());
    let finished = process::run_ok(&mut command, LIMIT)?;
    let page: Value =
        serde_json::from_str(&finished.stdout).context("the official client printed no JSON")?;
    let results = page["calls"].as_array().context("the official client printed no `calls`")?;
    results
        .iter()
        .map(|result| match result.get("refused") {
            Some(reason) => bail!("the official client refused an answer: {reason}"),
            None => Ok(result["structuredContent"].clone()),
        })
        .collect()
}
