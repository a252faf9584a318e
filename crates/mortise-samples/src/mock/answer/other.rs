//! The resources and prompts every mock has, and completion.

use serde_json::{Value, json};

use crate::mock::frame;

const TEXT_URI: &str = "mock://text";
const BYTES_URI: &str = "mock://bytes";

/// The answer to a request about resources, prompts or completion.
pub(crate) fn answer(request: &Value) -> Option<String> {
    let params = &request["params"];
    let result = match request["method"].as_str()? {
        "resources/list" => cached(json!({"resources": [
            {"uri": TEXT_URI, "name": "text", "mimeType": "text/plain"},
            {"uri": BYTES_URI, "name": "bytes", "mimeType": "application/octet-stream"},
        ]})),
        "resources/templates/list" => cached(json!({"resourceTemplates": [
            {"uriTemplate": "mock://text/{name}", "name": "named text", "mimeType": "text/plain"},
        ]})),
        "resources/read" => {
            let uri = params["uri"].as_str().unwrap_or_default();
            let Some(content) = content(uri) else {
                return Some(frame::error(request, -32602, &format!("unknown resource `{uri}`"), None));
            };
            cached(json!({ "contents": [content] }))
        }
        "prompts/list" => cached(json!({"prompts": [{
            "name": "greeting",
            "description": "Greets someone.",
            "arguments": [{"name": "who", "description": "Whom to greet.", "required": false}],
        }]})),
        "prompts/get" if params["name"] == "greeting" => {
            let who = params["arguments"]["who"].as_str().unwrap_or("world");
            json!({"messages": [{"role": "user", "content": {"type": "text", "text": format!("Hello, {who}.")}}]})
        }
        "prompts/get" => {
            return Some(frame::error(request, -32602, "unknown prompt", None));
        }
        "completion/complete" => json!({"completion": {"values": ["world"], "total": 1, "hasMore": false}}),
        _ => return None,
    };
    Some(frame::result(request, result))
}

fn content(uri: &str) -> Option<Value> {
    match uri {
        TEXT_URI => Some(json!({"uri": uri, "mimeType": "text/plain", "text": "plain text"})),
        BYTES_URI => Some(json!({"uri": uri, "mimeType": "application/octet-stream", "blob": "AAEC"})),
        _ => {
            let name = uri.strip_prefix("mock://text/")?;
            Some(json!({"uri": uri, "mimeType": "text/plain", "text": format!("text of {name}")}))
        }
    }
}

// The hints are harmless extra members for a legacy client.
fn cached(mut result: Value) -> Value {
    result["ttlMs"] = json!(0);
    result["cacheScope"] = json!("private");
    result
}
