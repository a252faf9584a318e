//! Claude Code, which speaks Anthropic's Messages API.

use std::process::Command;

use anyhow::Result;
use serde_json::{Value, json};

use super::{Agent, Desk, SERVER, ScriptedCall, ShownResult, data_address};
use crate::interop::Interop;
use crate::packages::NpmPackages;

/// The launcher for installations without scripts of packages.
const LAUNCHER: &str = "@anthropic-ai/claude-code/cli-wrapper.cjs";
/// How a model waits for servers that Claude Code still connects to.
const WAIT_TOOL: &str = "WaitForMcpServers";
const SCRIPTED: &str = "scripted_";

pub(super) struct ClaudeCode;

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn command(&self, interop: &Interop<'_>, npm: &NpmPackages, desk: &Desk<'_>) -> Result<Command> {
        let (program, arguments) = desk.server.split_at(1);
        let servers = json!({ "mcpServers": { SERVER: { "command": program.concat(), "args": arguments } } });
        let mut command = interop.packages.javascript(&npm.file(LAUNCHER))?;
        command.args(["--print", "go", "--strict-mcp-config", "--mcp-config", &servers.to_string()]);
        command.args(["--allowedTools", &format!("mcp__{SERVER}__*")]);
        command.env("ANTHROPIC_BASE_URL", format!("http://{}", desk.model.address()));
        command.env("ANTHROPIC_API_KEY", "none");
        // How long our server may take to start, on a machine that is busy.
        command.env("MCP_TIMEOUT", "60000");
        for switch in [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_AUTOUPDATER",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_TELEMETRY",
        ] {
            command.env(switch, "1");
        }
        Ok(command)
    }

    fn answer(&self, path: &str, request: &Value, script: &[ScriptedCall]) -> Option<Vec<Value>> {
        if path != "/v1/messages" {
            return None;
        }
        let done = self.results(request).len();
        let block = if has_tool(request, WAIT_TOOL) && self.description(request, "execute_program").is_none()
        {
            let number = request["messages"].as_array().map_or(0, Vec::len);
            tool_use(&format!("wait_{number}"), WAIT_TOOL, &json!({}))
        } else if let Some(call) = script.get(done).filter(|_| request["tools"].is_array()) {
            tool_use(&format!("{SCRIPTED}{done}"), &full_name(&call.tool), &json!(call.arguments))
        } else {
            [json!({ "type": "text", "text": "" }), json!({ "type": "text_delta", "text": "done" })]
        };
        let stop = if block[0]["type"] == "tool_use" { "tool_use" } else { "end_turn" };
        let usage = json!({ "input_tokens": 1, "output_tokens": 1 });
        let message = json!({
            "id": "message", "type": "message", "role": "assistant", "model": request["model"],
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        let [start, delta] = block;
        Some(vec![
            json!({ "type": "message_start", "message": message }),
            json!({ "type": "content_block_start", "index": 0, "content_block": start }),
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }),
            json!({ "type": "message_stop" }),
        ])
    }

    fn description(&self, request: &Value, tool: &str) -> Option<String> {
        let name = full_name(tool);
        let found = request["tools"].as_array()?.iter().find(|it| it["name"] == name.as_str())?;
        found["description"].as_str().map(str::to_owned)
    }

    fn results(&self, request: &Value) -> Vec<ShownResult> {
        let messages = request["messages"].as_array().into_iter().flatten();
        let blocks = messages.filter_map(|message| message["content"].as_array()).flatten();
        let scripted = blocks.filter(|block| {
            block["type"] == "tool_result"
                && block["tool_use_id"].as_str().is_some_and(|id| id.starts_with(SCRIPTED))
        });
        scripted.map(|block| shown(&block["content"])).collect()
    }
}

fn full_name(tool: &str) -> String {
    format!("mcp__{SERVER}__{tool}")
}

fn has_tool(request: &Value, name: &str) -> bool {
    request["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name))
}

/// The beginning of a block that calls a tool, and the rest of it.
fn tool_use(id: &str, name: &str, arguments: &Value) -> [Value; 2] {
    [
        json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
        json!({ "type": "input_json_delta", "partial_json": arguments.to_string() }),
    ]
}

/// A result is a text or a list of blocks.
fn shown(content: &Value) -> ShownResult {
    let mut result = ShownResult::default();
    result.text.push_str(content.as_str().unwrap_or_default());
    for block in content.as_array().into_iter().flatten() {
        result.text.push_str(block["text"].as_str().unwrap_or_default());
        result.images.extend(data_address(&block["source"]["media_type"], &block["source"]["data"]));
    }
    result
}
