//! What a healthy server answers.

mod list;
mod other;

use serde_json::{Value, json};

use super::action::MockAction;
use super::frame::{self, LATEST_LEGACY, LEGACY_VERSIONS, MODERN_VERSION, SUBSCRIPTION_ID, is_modern};
use super::memory::MockMemory;
use super::plan::{MockEras, MockPlan};
use super::recorded::RecordedReply;

pub(crate) use list::page_of_one;

/// What a healthy server, or the recorded one, sends in answer to a request.
pub(crate) fn usual(plan: &MockPlan, state: &mut MockMemory, request: &Value) -> RecordedReply {
    let method = request["method"].as_str().unwrap_or_default();
    if plan.era == MockEras::Modern && !is_modern(request) && method != "initialize" {
        let message = "the request names no protocol version in `_meta`";
        return frame::error(request, -32602, message, None).into();
    }
    let is_of_other_era = match plan.era {
        MockEras::Both => false,
        MockEras::Legacy => method == "server/discover",
        MockEras::Modern => method == "initialize",
    };
    match &plan.recorded {
        Some(recorded) if !is_of_other_era => recorded.reply(state, request),
        _ => healthy(plan, state, request, method).into(),
    }
}

fn healthy(plan: &MockPlan, state: &mut MockMemory, request: &Value, method: &str) -> String {
    match method {
        "initialize" => initialize(plan, request),
        "server/discover" => discover(plan, request),
        "ping" | "logging/setLevel" => frame::result(request, json!({})),
        "tools/list" => list::tools(plan, state, request),
        "tools/call" => call(plan, state, request),
        _ => other::answer(request)
            .unwrap_or_else(|| frame::error(request, -32601, &format!("no method `{method}`"), None)),
    }
}

/// A subscription is acknowledged and stays open.
pub(crate) fn subscribe(state: &mut MockMemory, request: &Value) -> Vec<MockAction> {
    state.subscribe(&request["id"]);
    let accepted = json!({
        "notifications": request["params"]["notifications"],
        "_meta": {SUBSCRIPTION_ID: request["id"]},
    });
    let acknowledged = frame::notification("notifications/subscriptions/acknowledged", accepted);
    vec![MockAction::frame(acknowledged), MockAction::Hang]
}

fn capabilities() -> Value {
    json!({"tools": {"listChanged": true}, "resources": {}, "prompts": {}, "logging": {}, "completions": {}})
}

fn initialize(plan: &MockPlan, request: &Value) -> String {
    let wanted = request["params"]["protocolVersion"].as_str().unwrap_or_default();
    if plan.era == MockEras::Modern {
        let data = json!({"supported": [MODERN_VERSION], "requested": wanted});
        return frame::error(request, -32022, "this server has no `initialize`", Some(data));
    }
    let version = if LEGACY_VERSIONS.contains(&wanted) { wanted } else { LATEST_LEGACY };
    let result = json!({
        "protocolVersion": version,
        "capabilities": capabilities(),
        "serverInfo": frame::server_info(),
    });
    frame::result(request, result)
}

fn discover(plan: &MockPlan, request: &Value) -> String {
    let mut versions = vec![MODERN_VERSION];
    match plan.era {
        MockEras::Legacy => return frame::error(request, -32601, "no method `server/discover`", None),
        MockEras::Both => versions.extend(LEGACY_VERSIONS.iter().rev()),
        MockEras::Modern => {}
    }
    let mut capabilities = capabilities();
    if plan.has_tasks {
        capabilities["extensions"] = json!({frame::TASKS_EXTENSION: {}});
    }
    let result = json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": frame::server_info()},
    });
    frame::raw_result(request, &result.to_string())
}

fn call(plan: &MockPlan, state: &mut MockMemory, request: &Value) -> String {
    let name = request["params"]["name"].as_str().unwrap_or_default();
    let tools = state.tools(plan);
    let Some(tool) = tools.iter().find(|tool| tool.name == name) else {
        return frame::error(request, -32602, &format!("unknown tool `{name}`"), None);
    };
    let result = (tool.answer)(&request["params"]["arguments"]);
    frame::result(request, result)
}

/// What the modern era adds to every list.
pub(crate) fn cache_hints(request: &Value) -> &'static str {
    if is_modern(request) { r#","resultType":"complete","ttlMs":0,"cacheScope":"private""# } else { "" }
}
