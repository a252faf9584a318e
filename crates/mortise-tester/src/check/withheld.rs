//! Results that the server's own library held back because they break the tool's contract.
//!
//! Most SDKs check a result before they send it. A tool whose result is wrong then answers with a
//! tool error or a JSON-RPC error, and the wrong value never reaches the client. The contract is
//! broken all the same. The SDKs have no common mark for this, only sentences of their own.

use mortise_contract::{Contract, ToolResult};
use mortise_server::CONTRACT_META;
use serde_json::Value;

/// What the check of results is called at the start of an SDK's message, after prefixes such as
/// `MCP error -32602: ` or `Error executing tool NAME: `.
const CHECKS: [&str; 2] = [
    // TypeScript v1 and v2, Python v1 with FastMCP 2 and 3, mortise.
    "output validation error",
    // Go.
    "validating tool output",
];
/// Sentences that stand within a message.
const SENTENCES: [&str; 3] = [
    // FastMCP 4.
    "structured_content must be a dict or None",
    // Java.
    "structuredContent does not match tool outputSchema",
    "Response missing structured content which is expected when calling tool with non-empty outputSchema",
];
/// Prefixes, separated by `: `, in which a check is looked for.
const PREFIXES: usize = 4;

/// What the library says about the result it held back, if this tool error is about one.
pub(super) fn from_result(contract: &Contract, result: &ToolResult) -> Option<String> {
    if !result.is_error {
        return None;
    }
    let own = result.meta.as_ref().and_then(|meta| meta.get(CONTRACT_META));
    let text = result.texts().next().unwrap_or_default();
    match own.and_then(|verdict| verdict["status"].as_str()) {
        Some(status @ ("invalid" | "missing" | "unexpected")) => Some(match text {
            "" => format!("its verdict is `{status}`"),
            text => text.to_owned(),
        }),
        _ => from_text(contract, text),
    }
}

/// What the library says about the result it held back, if this error message is about one.
pub(super) fn from_text(contract: &Contract, text: &str) -> Option<String> {
    let output = contract.output_schema()?;
    let mut parts = text.split(": ").take(PREFIXES);
    let is_check = |part: &str| CHECKS.iter().any(|check| part.eq_ignore_ascii_case(check));
    let named = parts.any(is_check) || SENTENCES.iter().any(|sentence| text.contains(sentence));
    (named || is_model_error(contract, output, text)).then(|| text.to_owned())
}

/// Pydantic names the model that a value does not fit, and the Python SDK v1 titles schemas by their models.
fn is_model_error(contract: &Contract, output: &Value, text: &str) -> bool {
    let title = |schema: Option<&Value>| {
        schema.and_then(|schema| schema.get("title")).and_then(Value::as_str).map(str::to_owned)
    };
    let Some(model) =
        title(Some(output)).filter(|model| title(contract.input_schema()).as_ref() != Some(model))
    else {
        return false;
    };
    let first = text.lines().next().unwrap_or_default();
    ["1 validation error", "validation errors"]
        .iter()
        .any(|count| first.ends_with(&format!("{count} for {model}")))
}

/// Whether a tool error says nothing but that the tool failed, as the Python SDK v2 and FastMCP do when a
/// tool crashes or its result does not fit: which of the two is hidden.
pub(super) fn is_silent(contract: &Contract, result: &ToolResult) -> bool {
    let name = contract.name.as_str();
    let mut texts = result.texts();
    let text = texts.next().unwrap_or_default();
    result.is_error
        && texts.next().is_none()
        && (text == format!("Error executing tool {name}") || text == format!("Error calling tool '{name}'"))
}

/// Whether a result without schema is a sentence such as `Error: no such table`, sent as a success.
pub(super) fn is_error_in_words(result: &ToolResult) -> bool {
    let text = result.texts().next().unwrap_or_default().trim_start();
    ["Error: ", "Error executing ", "ERROR: ", "error: "].iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests;
