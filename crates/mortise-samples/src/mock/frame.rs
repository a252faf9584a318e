//! JSON-RPC frames as text, so that nothing about them is out of reach.

use serde_json::{Map, Value, json};

pub(crate) const LEGACY_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
pub(crate) const LATEST_LEGACY: &str = "2025-11-25";
pub(crate) const MODERN_VERSION: &str = "2026-07-28";
pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Whether a request is of the era in which each one carries its version.
pub(crate) fn is_modern(request: &Value) -> bool {
    version(request).is_some()
}

/// The version that a modern request carries.
pub(crate) fn version(request: &Value) -> Option<&str> {
    request["params"]["_meta"][VERSION].as_str()
}

/// Whether a request may be answered with a task.
pub(crate) fn takes_tasks(request: &Value) -> bool {
    let meta = &request["params"]["_meta"];
    !meta["io.modelcontextprotocol/clientCapabilities"]["extensions"][TASKS_EXTENSION].is_null()
}

/// The request as a server reads it that knows nothing of that era.
pub(crate) fn as_legacy(request: &Value) -> Value {
    let mut request = request.clone();
    if let Some(meta) = request.pointer_mut("/params/_meta").and_then(Value::as_object_mut) {
        meta.shift_remove(VERSION);
    }
    request
}

/// A response whose result is this text, whatever it is.
pub(crate) fn raw_result(request: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request["id"])
}

/// A response with this result; modern requests get `resultType` and `serverInfo`.
pub(crate) fn result(request: &Value, result: Value) -> String {
    raw_result(request, &for_era(request, result).to_string())
}

/// The members that the modern era adds to a result.
pub(crate) fn for_era(request: &Value, mut result: Value) -> Value {
    if is_modern(request)
        && let Some(members) = result.as_object_mut()
    {
        members.entry("resultType").or_insert_with(|| json!("complete"));
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        meta["io.modelcontextprotocol/serverInfo"] = server_info();
    }
    result
}

pub(crate) fn error(request: &Value, code: i32, message: &str, data: Option<Value>) -> String {
    let mut error = Map::new();
    error.insert("code".to_owned(), json!(code));
    error.insert("message".to_owned(), json!(message));
    error.extend(data.map(|data| ("data".to_owned(), data)));
    json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string()
}

/// A response whose error is this text.
pub(crate) fn raw_error(request: &Value, error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, request["id"])
}

/// A notification whose parameters are this text.
pub(crate) fn raw_notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

pub(crate) fn notification(method: &str, params: Value) -> String {
    let mut frame = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_null() {
        frame["params"] = params;
    }
    frame.to_string()
}

pub(crate) fn server_info() -> Value {
    json!({"name": "mortise-mock", "version": env!("CARGO_PKG_VERSION")})
}
