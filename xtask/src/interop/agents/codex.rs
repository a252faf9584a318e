//! Codex, which speaks OpenAI's Responses API.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{Agent, Desk, SERVER, ScriptedCall, ShownResult};
use crate::interop::Interop;
use crate::packages::NpmPackages;

const LAUNCHER: &str = "@openai/codex/bin/codex.js";
/// The variable with the key for the model.
const KEY: &str = "STUB_KEY";

pub(super) struct Codex;

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "Codex"
    }

    fn command(&self, interop: &Interop<'_>, npm: &NpmPackages, desk: &Desk<'_>) -> Result<Command> {
        let folder = desk.home.join(".codex");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("config.toml"), toml::to_string(&configuration(desk))?)
            .context("writing the configuration of Codex")?;
        let mut command = interop.packages.javascript(&npm.file(LAUNCHER))?;
        command.args(["exec", "--skip-git-repo-check", "go"]).env("CODEX_HOME", folder).env(KEY, "none");
        Ok(command)
    }

    fn answer(&self, path: &str, request: &Value, script: &[ScriptedCall]) -> Option<Vec<Value>> {
        if !path.ends_with("/responses") {
            return None;
        }
        let done = self.results(request).len();
        let item = match script.get(done) {
            Some(call) => json!({
                "type": "function_call",
                "call_id": format!("scripted_{done}"),
                "namespace": namespace(),
                "name": call.tool,
                "arguments": json!(call.arguments).to_string(),
            }),
            None => json!({
                "type": "message",
                "role": "assistant",
                "id": "message",
                "content": [{ "type": "output_text", "text": "done" }],
            }),
        };
        let id = format!("response_{done}");
        let usage = json!({
            "input_tokens": 1, "input_tokens_details": null,
            "output_tokens": 1, "output_tokens_details": null,
            "total_tokens": 2,
        });
        Some(vec![
            json!({ "type": "response.created", "response": { "id": id } }),
            json!({ "type": "response.output_item.done", "item": item }),
            json!({ "type": "response.completed", "response": { "id": id, "usage": usage } }),
        ])
    }

    /// The tools of a server stand under its namespace.
    fn description(&self, request: &Value, tool: &str) -> Option<String> {
        let tools = request["tools"].as_array()?;
        let ours = tools.iter().find(|it| it["name"] == namespace().as_str())?["tools"].as_array()?;
        ours.iter().find(|it| it["name"] == tool)?["description"].as_str().map(str::to_owned)
    }

    fn results(&self, request: &Value) -> Vec<ShownResult> {
        let items = request["input"].as_array().into_iter().flatten();
        items
            .filter(|item| item["type"] == "function_call_output")
            .map(|item| shown(&item["output"]))
            .collect()
    }
}

fn namespace() -> String {
    format!("mcp__{SERVER}")
}

fn configuration(desk: &Desk<'_>) -> Value {
    let (program, arguments) = desk.server.split_at(1);
    json!({
        "model": "stub",
        "model_provider": "stub",
        "approval_policy": "never",
        "sandbox_mode": "read-only",
        "check_for_update_on_startup": false,
        "analytics": { "enabled": false },
        // These ask github.com and chatgpt.com, whatever the provider of the model.
        "features": { "apps": false, "plugins": false, "remote_plugin": false },
        "model_providers": { "stub": {
            "name": "stub",
            "base_url": format!("http://{}/v1", desk.model.address()),
            "wire_api": "responses",
            "env_key": KEY,
        } },
        "mcp_servers": { SERVER: {
            "command": program.concat(),
            "args": arguments,
            // Codex asks the model without the tools of a server that takes seconds, unless it is required.
            "required": true,
            "startup_timeout_sec": 60,
            "default_tools_approval_mode": "approve",
        } },
    })
}

/// An output is a text or a list of parts.
fn shown(output: &Value) -> ShownResult {
    let mut result = ShownResult::default();
    result.text.push_str(output.as_str().unwrap_or_default());
    for part in output.as_array().into_iter().flatten() {
        result.text.push_str(part["text"].as_str().unwrap_or_default());
        result.images.extend(part["image_url"].as_str().map(str::to_owned));
    }
    result
}
