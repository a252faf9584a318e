//! Other people's servers through `mortise tools` and `mortise call`, with the official Python client as the witness.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::Interop;
use super::difference::differences;
use super::endpoint::{CallEntry, Endpoint, ServerEntry, Wire};
use crate::process;
use crate::report::Report;

const LIMIT: Duration = Duration::from_secs(120);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) server: Vec<ServerEntry>,
}

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let rerun = "cargo xtask interop servers";
    let manifest = match read(interop) {
        Ok(manifest) => manifest,
        Err(error) => return report.step("servers", rerun, || Err(error)),
    };
    for server in &manifest.server {
        for wire in Wire::ALL.into_iter().filter(|wire| server.speaks(*wire)) {
            let name = format!("servers: {} over {}", server.name, wire.as_str());
            report.step(&name, rerun, || check(interop, server, wire));
        }
    }
}

/// The servers of the manifest.
pub(super) fn read(interop: &Interop<'_>) -> Result<Manifest> {
    read_manifest(&interop.workspace.root().join("xtask/interop/servers.toml"))
}

/// The servers of a file in this form.
pub(super) fn read_manifest(path: &Path) -> Result<Manifest> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
}

fn check(interop: &Interop<'_>, server: &ServerEntry, wire: Wire) -> Result<String> {
    let endpoint = server.endpoint(interop, wire)?;
    let ours = our_list(interop, &endpoint)?;
    let theirs = their_list(interop, &endpoint)?;
    ensure!(!theirs.is_empty(), "the official client sees no tool");
    let found = compare(&ours, &theirs);
    if !found.is_empty() {
        bail!("left is the official client, right is `mortise tools --json`:\n{}", found.join("\n"));
    }
    let wrong: Vec<String> = server
        .call
        .iter()
        .filter_map(|call| self::call(interop, &endpoint, call).err())
        .map(|error| format!("{error:#}"))
        .collect();
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(format!("{} tools equal, {} calls judged", theirs.len(), server.call.len()))
}

/// Tools as we list them, without the two keys that we add.
fn our_list(interop: &Interop<'_>, endpoint: &Endpoint) -> Result<Vec<Value>> {
    let mut command = Command::new(interop.workspace.built("mortise"));
    command.args(["tools", "--json"]);
    endpoint.add_to(&mut command);
    let finished = process::run_ok(&mut command, LIMIT)?;
    let mut page: Value =
        serde_json::from_str(&finished.stdout).context("`mortise tools --json` printed no JSON")?;
    let Some(Value::Array(mut tools)) = page.get_mut("tools").map(Value::take) else {
        bail!("`mortise tools --json` printed no `tools`");
    };
    for tool in &mut tools {
        let tool = tool.as_object_mut().context("a tool is an object")?;
        for key in ["server", "callable"] {
            ensure!(tool.shift_remove(key).is_some(), "`mortise tools --json` lists a tool without `{key}`");
        }
    }
    Ok(tools)
}

pub(super) fn their_list(interop: &Interop<'_>, endpoint: &Endpoint) -> Result<Vec<Value>> {
    let script = interop.workspace.root().join("xtask/interop/clients/python_client.py");
    let mut command = interop.packages.python(&script);
    command.arg(endpoint.job("auto", &[]).to_string());
    let finished = process::run_ok(&mut command, LIMIT)?;
    let mut page: Value =
        serde_json::from_str(&finished.stdout).context("the official client printed no JSON")?;
    match page.get_mut("tools").map(Value::take) {
        Some(Value::Array(tools)) => Ok(tools),
        _ => bail!("the official client printed no `tools`"),
    }
}

pub(super) fn compare(ours: &[Value], theirs: &[Value]) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().unwrap_or_default().to_owned();
    let mut found = Vec::new();
    for their in theirs {
        let tool = name(their);
        match ours.iter().find(|our| name(our) == tool) {
            None => found.push(format!("{tool}: missing on the right")),
            Some(our) => {
                found.extend(differences(their, our).into_iter().map(|text| format!("{tool}{text}")))
            }
        }
    }
    let known: Vec<String> = theirs.iter().map(name).collect();
    found.extend(
        ours.iter()
            .map(name)
            .filter(|tool| !known.contains(tool))
            .map(|tool| format!("{tool}: only on the right")),
    );
    found
}

/// Calls the tool and compares exit code and verdict with what the manifest expects.
fn call(interop: &Interop<'_>, endpoint: &Endpoint, call: &CallEntry) -> Result<()> {
    let mut command = Command::new(interop.workspace.built("mortise"));
    command.args(["call", &call.tool, "--json", "--args", &endpoint.fill(&call.arguments).to_string()]);
    endpoint.add_to(&mut command);
    let finished = process::run(&mut command, LIMIT)?;
    let code = finished.status.code();
    let answer: Value = serde_json::from_str(&finished.stdout)
        .with_context(|| format!("{}: exit {code:?}, no JSON on stdout\n{}", call.tool, finished.tail(20)))?;
    let status = answer["verdict"]["status"].as_str().unwrap_or("(no verdict)");
    ensure!(
        status == call.verdict && code == Some(call.exit),
        "{}: verdict `{status}`, exit {code:?}; expected `{}`, {}\n{answer}",
        call.tool,
        call.verdict,
        call.exit
    );
    let Some(structured) = &call.structured else { return Ok(()) };
    let found = differences(structured, &answer["result"]["structuredContent"]);
    ensure!(found.is_empty(), "{}: structured content differs:\n{}", call.tool, found.join("\n"));
    Ok(())
}
