//! A public server recorded between an official client and itself, then served to all official clients.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Interop;
use super::clients::{CLIENTS, Client, driver};
use super::difference::differences;
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(120);
const SERVER: &str = "@modelcontextprotocol/server-everything/dist/index.js";

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop recordings";
    for recorder in &CLIENTS[..2] {
        let mode = recorder.modes[0];
        let mut live = None;
        let name = format!("recordings: everything recorded through {}", recorder.name);
        report.step(&name, rerun, || {
            let answer = record(interop, recorder, mode)?;
            let said = format!("{} tools", answer["tools"].as_array().map_or(0, Vec::len));
            live = Some(answer);
            Ok(said)
        });
        let Some(live) = live else { continue };
        for client in &CLIENTS {
            let name = format!("recordings: of {} served to {}", recorder.name, client.name);
            report.step(&name, rerun, || serve(interop, recorder, client, &live));
        }
    }
}

fn file(interop: &Interop<'_>, recorder: &Client) -> String {
    let name = recorder.script.replace(".mjs", ".recording.jsonl");
    interop.packages.folder().join(name).to_string_lossy().into_owned()
}

fn calls() -> Value {
    json!([
        {"tool": "echo", "arguments": {"message": "mortise"}},
        {"tool": "get-sum", "arguments": {"a": 2, "b": 3}},
        {"tool": "get-structured-content", "arguments": {"location": "Chicago"}},
    ])
}

fn record(interop: &Interop<'_>, recorder: &Client, mode: &str) -> Result<Value> {
    let file = file(interop, recorder);
    if fs::exists(&file)? {
        fs::remove_file(&file)?;
    }
    let server = interop.packages.npm_file(SERVER);
    let command = json!([
        interop.workspace.built("mortise"),
        "record",
        file,
        "--",
        interop.packages.node()?,
        server,
        "stdio"
    ]);
    drive(interop, recorder, &command, mode)
}

/// Serves the recording to a client in each of its eras; all must see what the first client saw.
fn serve(interop: &Interop<'_>, recorder: &Client, client: &Client, live: &Value) -> Result<String> {
    let mortise = interop.workspace.built("mortise");
    let command = json!([mortise, "serve", "mock", "--from", file(interop, recorder)]);
    for mode in client.modes {
        let answer = drive(interop, client, &command, mode).with_context(|| format!("in mode {mode}"))?;
        let names = |answer: &Value| -> Vec<String> {
            let tools = answer["tools"].as_array().into_iter().flatten();
            tools.map(|tool| tool["name"].to_string()).collect()
        };
        ensure!(names(&answer) == names(live), "mode {mode}: other tools: {:?}", names(&answer));
        for (at, (now, before)) in pairs(&answer, live).enumerate() {
            let found = differences(&before["structuredContent"], &now["structuredContent"]);
            ensure!(found.is_empty(), "mode {mode}: call {at} differs:\n{}", found.join("\n"));
            let text = |result: &Value| result["content"][0]["text"].clone();
            ensure!(text(now) == text(before), "mode {mode}: call {at}: {now} instead of {before}");
        }
    }
    Ok(client.modes.join(" and "))
}

fn pairs<'a>(answer: &'a Value, live: &'a Value) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    let list = |answer: &'a Value| answer["calls"].as_array().into_iter().flatten();
    list(answer).zip(list(live))
}

fn drive(interop: &Interop<'_>, client: &Client, command: &Value, mode: &str) -> Result<Value> {
    let job = json!({"command": command, "env": {}, "mode": mode, "calls": calls()});
    let finished = process::run_ok(driver(interop, client)?.arg(job.to_string()), LIMIT)?;
    let line = finished.stdout.lines().last().unwrap_or_default();
    serde_json::from_str(line).context("the driver printed no answer")
}
