//! Claude Code and Codex over `mortise serve`, with a stub in place of their model: what the model is sent.
//!
//! The stub makes the calls of `xtask/agents/session.toml` and keeps every request. Descriptions and results in
//! those requests are what a model reads, whatever part of an MCP answer the agent chose to show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Interop;
use crate::packages::NpmPackages;
use crate::process;
use crate::report::Report;
use claude_code::ClaudeCode;
use codex::Codex;
use model::Model;

mod claude_code;
mod codex;
mod model;

/// A session takes some 12 seconds, most of them for the server that is slow to start.
const SESSION_LIMIT: Duration = Duration::from_secs(120);
const END_LIMIT: Duration = Duration::from_secs(10);
const SLOW_START: &str = "slow-start=8000";
const DEATH: &str = "die-at-start=3";
const RERUN: &str = "cargo xtask interop agents";
/// The folder with pins, servers and calls, below `xtask/` and below `target/`.
const SET: &str = "agents";
/// The name under which agents know our server.
const SERVER: &str = "mortise";

/// What the model does and what it must be sent.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectations {
    description: ExpectedDescription,
    call: Vec<ScriptedCall>,
}

/// Texts in the description of `execute_program`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedDescription {
    first: Vec<String>,
    later: Vec<String>,
}

/// A call of the model, and what the agent must show for it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    about: String,
    tool: String,
    #[serde(default)]
    arguments: serde_json::Map<String, Value>,
    shows: Vec<String>,
    /// The tool of the healthy server whose image must arrive.
    image: Option<String>,
}

/// What an agent showed the model as the result of a call.
#[derive(Debug, Default, PartialEq, Eq)]
struct ShownResult {
    text: String,
    /// As `data:` addresses.
    images: Vec<String>,
}

/// A program that calls tools for a model, and how it speaks to one.
trait Agent: Sync {
    fn name(&self) -> &'static str;

    /// The command for one session, with all that points it at the model and at our server.
    fn command(&self, interop: &Interop<'_>, npm: &NpmPackages, desk: &Desk<'_>) -> Result<Command>;

    /// The events of the model's answer; `None` for a request that does not ask the model anything.
    fn answer(&self, path: &str, request: &Value, script: &[ScriptedCall]) -> Option<Vec<Value>>;

    /// The description of one of our tools in a request.
    fn description(&self, request: &Value, tool: &str) -> Option<String>;

    /// The results of the scripted calls in a request, in order.
    fn results(&self, request: &Value) -> Vec<ShownResult>;
}

/// Where a session happens and what it reaches.
struct Desk<'a> {
    home: &'a Path,
    project: &'a Path,
    model: &'a Model,
    /// The command that starts our server.
    server: &'a [String],
}

pub(super) fn run(interop: &Interop<'_>, report: &mut Report) {
    let mut npm = None;
    report.step("agents: packages", RERUN, || {
        npm = Some(interop.packages.install_npm_set(interop.workspace, SET)?);
        Ok("Claude Code and Codex".to_owned())
    });
    let Some(npm) = npm else { return };
    let agents: [&'static dyn Agent; 2] = [&ClaudeCode, &Codex];
    for agent in agents {
        report.step(&format!("agents: {}", agent.name()), RERUN, || check(interop, &npm, agent));
    }
}

/// One session in an empty home with all calls, and one more that only reads the description.
fn check(interop: &Interop<'_>, npm: &NpmPackages, agent: &'static dyn Agent) -> Result<String> {
    let pins = interop.workspace.root().join("xtask").join(SET);
    let healthy = pins.join("healthy.json");
    let expectations: Expectations = toml::from_str(&fs::read_to_string(pins.join("session.toml"))?)?;
    let folder = interop.workspace.target().join(SET).join(agent.name());
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("emptying {}", folder.display()))?;
    }
    let (home, project) = (folder.join("home"), folder.join("project"));
    fs::create_dir_all(&home)?;
    fs::create_dir_all(&project)?;
    let server = our_server(interop, &folder, &healthy)?;
    let session = |script: &[ScriptedCall]| -> Result<Vec<Value>> {
        let model = Model::start(agent, script.to_vec())?;
        let desk = Desk { home: &home, project: &project, model: &model, server: &server };
        hold_session(&mut agent.command(interop, npm, &desk)?, &desk)
    };

    let requests = session(&expectations.call).context("in the first session")?;
    let mut missing = judge_description(agent, &requests, &expectations.description.first);
    let results = requests.last().map(|request| agent.results(request)).unwrap_or_default();
    let images: Value = serde_json::from_str(&fs::read_to_string(&healthy)?)?;
    for (number, call) in expectations.call.iter().enumerate() {
        missing.extend(judge_result(call, results.get(number), &images));
    }
    let later = session(&[]).context("in the second session")?;
    missing.extend(judge_description(agent, &later, &expectations.description.later));
    ensure!(missing.is_empty(), "the model was not sent:\n{}", missing.join("\n"));
    Ok(format!("2 sessions, {} calls", expectations.call.len()))
}

/// Writes the configuration with the three servers; returns the command over them.
fn our_server(interop: &Interop<'_>, folder: &Path, healthy: &Path) -> Result<Vec<String>> {
    let program = interop.workspace.built("mortise");
    let config = folder.join("servers.yaml");
    let mock = |name: &str, arguments: &[&str]| {
        let arguments = [&["mock"], arguments].concat();
        json!({ "name": name, "command": program, "args": arguments })
    };
    let servers = [
        mock("healthy", &["--script", &healthy.to_string_lossy()]),
        mock("slow", &[SLOW_START]),
        mock("broken", &[DEATH]),
    ];
    // JSON is YAML too.
    fs::write(&config, json!({ "servers": servers }).to_string())?;
    let words = [program, PathBuf::from("serve"), PathBuf::from("--config"), config];
    Ok(words.iter().map(|word| word.to_string_lossy().into_owned()).collect())
}

/// Runs the agent until it ends; returns what it sent to the model.
fn hold_session(command: &mut Command, desk: &Desk<'_>) -> Result<Vec<Value>> {
    // An agent must not find the settings, keys and proxies of the person who starts this.
    for (name, _) in std::env::vars_os() {
        if name != "PATH" {
            command.env_remove(name);
        }
    }
    let outside = format!("http://{}", desk.model.address());
    command.current_dir(desk.project).env("HOME", desk.home);
    // The model plays the proxy too: it refuses and reports what would leave this machine.
    command.envs([("HTTPS_PROXY", outside.as_str()), ("HTTP_PROXY", &outside), ("NO_PROXY", "127.0.0.1")]);
    let finished = process::run_ok(command, SESSION_LIMIT)?;
    wait_for_ends(desk.project)?;
    let refused = desk.model.refused();
    ensure!(refused.is_empty(), "it tried to reach {}", refused.join(", "));
    let requests = desk.model.requests();
    ensure!(!requests.is_empty(), "it asked the model nothing:\n{}", finished.tail(20));
    Ok(requests)
}

/// Waits until no process works in the folder: agent, gateway and servers have ended.
fn wait_for_ends(folder: &Path) -> Result<()> {
    let started = Instant::now();
    loop {
        let left = working_in(folder)?;
        if left.is_empty() {
            return Ok(());
        }
        ensure!(started.elapsed() < END_LIMIT, "processes outlive the session: {}", left.join(", "));
        thread::sleep(Duration::from_millis(20));
    }
}

fn working_in(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let process = entry.path();
        if fs::read_link(process.join("cwd")).is_ok_and(|place| place.starts_with(folder)) {
            let words = fs::read(process.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    Ok(found)
}

/// Expected texts that the first description of `execute_program` lacks.
fn judge_description(agent: &dyn Agent, requests: &[Value], expected: &[String]) -> Vec<String> {
    let Some(description) = requests.iter().find_map(|request| agent.description(request, "execute_program"))
    else {
        return vec!["any description of execute_program".to_owned()];
    };
    let lacking = expected.iter().filter(|text| !description.contains(text.as_str()));
    lacking.map(|text| format!("{text:?} in the description:\n{description}\n")).collect()
}

/// What the shown result of a call lacks.
fn judge_result(call: &ScriptedCall, shown: Option<&ShownResult>, healthy: &Value) -> Vec<String> {
    let Some(shown) = shown else {
        return vec![format!("{}: any result", call.about)];
    };
    let lacking = call.shows.iter().filter(|text| !shown.text.contains(text.as_str()));
    let mut missing: Vec<String> =
        lacking.map(|text| format!("{}: {text:?} in the result:\n{}\n", call.about, shown.text)).collect();
    let expected: Vec<Option<String>> = call.image.iter().map(|tool| image_of(healthy, tool)).collect();
    let arrived: Vec<Option<String>> = shown.images.iter().cloned().map(Some).collect();
    if arrived != expected {
        missing.push(format!("{}: the images {expected:?}, but {arrived:?}", call.about));
    }
    missing
}

/// The image that a tool of the healthy server answers with.
fn image_of(healthy: &Value, tool: &str) -> Option<String> {
    let tools = healthy["tools"].as_array()?;
    let block = &tools.iter().find(|it| it["declaration"]["name"] == tool)?["result"]["content"][0];
    data_address(&block["mimeType"], &block["data"])
}

fn data_address(media_type: &Value, data: &Value) -> Option<String> {
    Some(format!("data:{};base64,{}", media_type.as_str()?, data.as_str()?))
}

#[cfg(test)]
mod tests;
