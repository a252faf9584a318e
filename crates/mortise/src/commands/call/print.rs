//! What came of a call: the payload on stdout, the verdict beside it.

use std::fmt::Write as _;

use mortise_client::RpcError;
use mortise_contract::mirror;
use mortise_contract::result::{ContentBlock, ContentKind};
use mortise_contract::verdict::{Status, Violation};
use mortise_contract::{RawJson, ToolOutcome, Verdict};
use serde_json::Value;

use super::rows;
use crate::app::App;
use crate::failure::Failure;
use crate::json_text::JsonObject;
use crate::session::ConnectedTool;
use crate::terminal::json_view::{self, PlaceNote};
use crate::terminal::{Mark, Terminal, Tint, escape, pretty, units};

/// Prints the payload, then the verdict.
pub(super) fn print(app: &App, tool: &ConnectedTool, outcome: &ToolOutcome) -> Result<(), Failure> {
    if app.global.json {
        return app.print_json(&json(tool, outcome));
    }
    let (payload, marked) = payload(&app.terminal, outcome);
    let is_seen = marked == Marked::All && app.terminal.stderr_is_terminal();
    let is_on_screen = app.terminal.height().is_some_and(|height| payload.lines().count() + 2 < height);
    app.print(&payload)?;
    if !app.global.quiet || outcome.verdict.is_violation() {
        let listed = if is_seen && is_on_screen { Listed::Elsewhere } else { Listed::Here };
        app.terminal.stderr(&verdict(&app.terminal.for_stderr(), outcome, listed));
    }
    Ok(())
}

/// Whether violations are marked in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Marked {
    /// Every one, at its place.
    All,
    /// Not every one.
    NotAll,
}

/// Where the violations are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Listed {
    /// Below the verdict.
    Here,
    /// In the payload, which is on the screen.
    Elsewhere,
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
fn payload(terminal: &Terminal, outcome: &ToolOutcome) -> (String, Marked) {
    let result = &outcome.result;
    let mut out = String::new();
    let structured = result.structured_reading().and_then(Result::ok).map(|reading| &reading.value);
    let repeats = |block: &ContentBlock| match (&block.kind, structured) {
        (ContentKind::Text(text), Some(value)) => mirror::says(text, value),
        _ => false,
    };
    for block in result.content.iter().filter(|block| !repeats(block)) {
        push_block(terminal, block, &mut out);
    }
    let Some(structured) = &result.structured else { return (out, Marked::NotAll) };
    if !out.is_empty() {
        out.push('\n');
    }
    if !terminal.stdout_is_terminal() {
        out.push_str(&pretty::indent(structured.text()));
        out.push('\n');
        return (out, Marked::NotAll);
    }
    let (shown, marked) = shown(terminal, structured, &outcome.verdict);
    out.push_str(&shown);
    (out, marked)
}

/// The structured value for a person: a table, or JSON with every violation marked at its place.
fn shown(terminal: &Terminal, value: &RawJson, verdict: &Verdict) -> (String, Marked) {
    if verdict.errors.is_empty()
        && let Some(table) = rows::table(terminal, value)
    {
        return (table, Marked::NotAll);
    }
    let note = |violation: &Violation| PlaceNote {
        pointer: violation.instance_path.clone(),
        sentence: violation.message.clone(),
    };
    let notes: Vec<PlaceNote> = verdict.errors.iter().map(note).collect();
    let shown = json_view::show(terminal, value.text(), &notes);
    let is_all = shown.has_all && verdict.total_errors == notes.len() && !notes.is_empty();
    (shown.text, if is_all { Marked::All } else { Marked::NotAll })
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
    let of = |bytes: usize| match terminal.stdout_is_terminal() {
        true => format!(", {}", units::size(bytes as u64)),
        false => format!(", {bytes} bytes"),
    };
    let size = bytes.map(of).unwrap_or_default();
    terminal.paint(Tint::Dim, &format!("[{kind} {}{size}]", escape::line(what)))
}

fn resource_text(block: &ContentBlock) -> Option<String> {
    let value = block.raw.value().ok()?;
    Some(value.get("resource")?.get("text")?.as_str()?.to_owned())
}

/// One line on the contract, and every violation below it.
fn verdict(terminal: &Terminal, outcome: &ToolOutcome, listed: Listed) -> String {
    let verdict = &outcome.verdict;
    let (mark, text) = sentence(verdict);
    let lead = [(Some(mark.tint()), mark.sign()), (None, " ")];
    let text = format!("{text} · {}", units::time(outcome.elapsed));
    let mut out = terminal.hang(&lead, None, &text);
    if listed == Listed::Here {
        for violation in &verdict.errors {
            push_violation(terminal, violation, &mut out);
        }
        let hidden = verdict.total_errors.saturating_sub(verdict.errors.len());
        if hidden > 0 {
            _ = writeln!(out, "  and {hidden} more");
        }
    }
    for fault in &outcome.result.faults {
        let text = format!("{}: {}", escape::line(&fault.pointer), escape::line(&fault.message));
        out.push_str(&terminal.marked(2, Mark::Note, &text));
    }
    for note in &verdict.notes {
        out.push_str(&terminal.marked(2, Mark::Note, &escape::line(&note.replace('_', " "))));
    }
    out
}

/// What came of the check of a result, in one sentence.
fn sentence(verdict: &Verdict) -> (Mark, String) {
    let dialect = verdict.dialect.map(|dialect| format!(" (JSON Schema {dialect})")).unwrap_or_default();
    let broken = |why: &str| (Mark::Bad, format!("Contract broken: {why}"));
    match &verdict.status {
        Status::Valid => (Mark::Good, format!("Contract kept{dialect}")),
        Status::RecoveredFromText => {
            (Mark::Warn, format!("Contract kept by the text only{dialect}: there is no structured content"))
        }
        Status::Invalid => (Mark::Bad, format!("Contract broken, {}{dialect}", count(verdict.total_errors))),
        Status::Missing if verdict.schema_hash.is_none() => {
            broken("there is no output schema and no content")
        }
        Status::Missing => broken("there is an output schema and no structured content"),
        Status::Unexpected => broken("there is structured content and no output schema"),
        Status::Malformed { reason } => broken(&escape::line(reason)),
        Status::NoSchema => (Mark::Note, "No contract: the tool declares no output schema".to_owned()),
        Status::ToolError => (Mark::Bad, "The tool answered with an error, which is not checked".to_owned()),
        Status::Incomplete => {
            (Mark::Warn, "Contract not checked: the answer is not a final result".to_owned())
        }
        Status::Off => (Mark::Note, "Contract not checked: switched off".to_owned()),
        Status::Unchecked { reason } => {
            (Mark::Warn, format!("Contract not checked: {}", escape::line(reason)))
        }
    }
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
    let text = format!("{}: {}", escape::line(place), escape::line(&violation.message));
    out.push_str(&terminal.hang(&[(None, "  ")], None, &text));
    let rule = format!("by {}", escape::line(&violation.schema_path));
    out.push_str(&terminal.hang(&[(None, "    ")], Some(Tint::Dim), &rule));
}

#[cfg(test)]
mod tests;
