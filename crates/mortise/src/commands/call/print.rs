//! What came of a call: the payload on stdout, the verdict beside it.

use std::fmt::Write as _;

use mortise_client::RpcError;
use mortise_contract::mirror;
use mortise_contract::result::{ContentBlock, ContentKind};
use mortise_contract::verdict::{Status, Violation};
use mortise_contract::{ToolOutcome, ToolResult};
use serde_json::Value;

use crate::app::App;
use crate::failure::Failure;
use crate::json_text::JsonObject;
use crate::session::ConnectedTool;
use crate::terminal::{Terminal, Tint, escape, pretty};

/// Prints the payload, then the verdict.
pub(super) fn print(app: &App, tool: &ConnectedTool, outcome: &ToolOutcome) -> Result<(), Failure> {
    if app.global.json {
        return app.print_json(&json(tool, outcome));
    }
    app.print(&payload(&app.terminal, &outcome.result))?;
    if !app.global.quiet || outcome.verdict.is_violation() {
        app.terminal.stderr(&verdict(&app.terminal, outcome));
    }
    Ok(())
}

/// Prints a JSON-RPC error, for programs.
pub(super) fn print_rpc_error(app: &App, tool: &ConnectedTool, error: &RpcError) -> Result<(), Failure> {
    let mut object = JsonObject::default();
    object.value("code", &Value::from(error.code)).text("message", &error.message);
    if let Some(data) = &error.data {
        object.raw("data", data.text());
    }
    app.print_json(&of_tool(tool).raw("error", &object.finish()).finish())
}

/// The result verbatim with its verdict, for programs.
fn json(tool: &ConnectedTool, outcome: &ToolOutcome) -> String {
    let milliseconds = Value::from(u64::try_from(outcome.elapsed.as_millis()).unwrap_or(u64::MAX));
    of_tool(tool)
        .value("elapsed_ms", &milliseconds)
        .value("verdict", &outcome.verdict.to_json())
        .raw("result", outcome.result.raw.text())
        .finish()
}

fn of_tool(tool: &ConnectedTool) -> JsonObject {
    let mut object = JsonObject::default();
    object.text("server", tool.upstream.name().as_str()).text("tool", tool.contract.name.as_str());
    object
}

/// Every content block, then the structured value; a text that only repeats the value is left out.
fn payload(terminal: &Terminal, result: &ToolResult) -> String {
    let mut out = String::new();
    let structured = result.structured_reading().and_then(Result::ok).map(|reading| &reading.value);
    let repeats = |block: &ContentBlock| match (&block.kind, structured) {
        (ContentKind::Text(text), Some(value)) => mirror::says(text, value),
        _ => false,
    };
    for block in result.content.iter().filter(|block| !repeats(block)) {
        push_block(terminal, block, &mut out);
    }
    if let Some(structured) = &result.structured {
        if !out.is_empty() {
            out.push('\n');
        }
        let text = pretty::indent(structured.text());
        out.push_str(&match terminal.stdout_is_terminal() {
            true => escape::json(&text),
            false => text.as_str().into(),
        });
        out.push('\n');
    }
    out
}

fn push_block(terminal: &Terminal, block: &ContentBlock, out: &mut String) {
    let text = match &block.kind {
        ContentKind::Text(text) => terminal.verbatim(text).into_owned(),
        ContentKind::Image { mime_type, bytes } => described(terminal, "image", mime_type, Some(*bytes)),
        ContentKind::Audio { mime_type, bytes } => described(terminal, "audio", mime_type, Some(*bytes)),
        ContentKind::ResourceLink { uri } => described(terminal, "resource link", uri, None),
        ContentKind::Resource { uri, .. } => {
            let mut text = described(terminal, "resource", uri, None);
            if let Some(content) = resource_text(block) {
                text.push('\n');
                text.push_str(&terminal.verbatim(&content));
            }
            text
        }
        ContentKind::Other { .. } => match terminal.stdout_is_terminal() {
            true => escape::json(block.raw.text()).into_owned(),
            false => block.raw.text().to_owned(),
        },
    };
    out.push_str(&text);
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

fn described(terminal: &Terminal, kind: &str, what: &str, bytes: Option<usize>) -> String {
    let size = bytes.map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
    terminal.paint(Tint::Dim, &format!("[{kind} {}{size}]", escape::line(what)))
}

fn resource_text(block: &ContentBlock) -> Option<String> {
    let value = block.raw.value().ok()?;
    Some(value.get("resource")?.get("text")?.as_str()?.to_owned())
}

/// One line on the contract, and every violation below it.
fn verdict(terminal: &Terminal, outcome: &ToolOutcome) -> String {
    let verdict = &outcome.verdict;
    let dialect = verdict.dialect.map(|dialect| format!(" (JSON Schema {dialect})")).unwrap_or_default();
    let (tint, text) = match &verdict.status {
        Status::Valid => (Tint::Good, format!("kept{dialect}")),
        Status::RecoveredFromText => {
            (Tint::Warn, format!("kept by the text only{dialect}: there is no structured content"))
        }
        Status::Invalid => (Tint::Bad, format!("broken, {}{dialect}", count(verdict.total_errors))),
        Status::Missing if verdict.schema_hash.is_none() => {
            (Tint::Bad, "broken: there is no output schema and no content".to_owned())
        }
        Status::Missing => {
            (Tint::Bad, "broken: there is an output schema and no structured content".to_owned())
        }
        Status::Unexpected => {
            (Tint::Bad, "broken: there is structured content and no output schema".to_owned())
        }
        Status::Malformed { reason } => (Tint::Bad, format!("broken: {}", escape::line(reason))),
        Status::NoSchema => (Tint::Dim, "none: the tool declares no output schema".to_owned()),
        Status::ToolError => (Tint::Dim, "not checked: the tool answered with an error".to_owned()),
        Status::Incomplete => (Tint::Warn, "not checked: the answer is no final result".to_owned()),
        Status::Off => (Tint::Dim, "not checked: switched off".to_owned()),
        Status::Unchecked { reason } => (Tint::Warn, format!("not checked: {}", escape::line(reason))),
    };
    let label = terminal.paint_stderr(tint, "contract");
    let elapsed = terminal.paint_stderr(Tint::Dim, &format!("{} ms", outcome.elapsed.as_millis()));
    let mut out = format!("{label} {text} · {elapsed}\n");
    for violation in &verdict.errors {
        push_violation(terminal, violation, &mut out);
    }
    let hidden = verdict.total_errors.saturating_sub(verdict.errors.len());
    if hidden > 0 {
        _ = writeln!(out, "  and {hidden} more");
    }
    for fault in &outcome.result.faults {
        _ = writeln!(out, "  note: {}: {}", escape::line(&fault.pointer), escape::line(&fault.message));
    }
    for note in &verdict.notes {
        _ = writeln!(out, "  note: {}", escape::line(&note.replace('_', " ")));
    }
    out
}

fn count(violations: usize) -> String {
    match violations {
        1 => "1 violation".to_owned(),
        count => format!("{count} violations"),
    }
}

/// Where, what was expected and got, and the part of the schema that says so.
fn push_violation(terminal: &Terminal, violation: &Violation, out: &mut String) {
    let place = match violation.instance_path.as_str() {
        "" => "the whole value",
        path => path,
    };
    let rule = terminal.paint_stderr(Tint::Dim, &format!("by {}", escape::line(&violation.schema_path)));
    _ = writeln!(out, "  {}: {}\n    {rule}", escape::line(place), escape::line(&violation.message));
}

#[cfg(test)]
mod tests;
