//! What every wizard really returned.
//!
//! The wizards run on a small folder made here, one call after the other, through the binary as a client would. What
//! differs from run to run (ids, times, hashes of paths) is replaced, so that the page is the same everywhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process;
use crate::workspace::Workspace;

use super::LIMIT;
use super::calls::{self, CALLS, Call};
use super::redact;

/// What tools returned so far, by the name of the call.
pub(super) type Results = BTreeMap<&'static str, Value>;

/// A section for every call.
pub(super) fn sections(workspace: &Workspace) -> Result<String> {
    let folder = workspace.target().join("format-reference");
    let root = folder.join("data");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("clearing the folder of the last run")?;
    }
    for (path, text) in calls::FILES {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&root))?;
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    let mut results = Results::new();
    let mut shown = String::new();
    for call in &CALLS {
        let arguments = (call.arguments)(&results);
        let answer = answer(workspace, &root, call, &arguments)?;
        let result =
            answer.get("structuredContent").with_context(|| format!("{} is not structured", call.tool))?;
        check(workspace, call, &answer)?;
        section(&mut shown, call, &arguments, &answer, &root)?;
        results.insert(call.name, result.clone());
    }
    Ok(shown)
}

/// The result of one call, as a client gets it.
fn answer(workspace: &Workspace, root: &Path, call: &Call, arguments: &Value) -> Result<Value> {
    let binary = workspace.built("mortise");
    let mut command = Command::new(&binary);
    command.args(["call", call.tool, "--json", "--args", &arguments.to_string(), "--"]);
    command.arg(&binary).args(["wizards", "--root", "."]).current_dir(root);
    let ran = process::run(&mut command, LIMIT)?;
    let printed: Value = serde_json::from_str(&ran.stdout)
        .with_context(|| format!("{} printed no JSON: {}", call.tool, ran.tail(5)))?;
    let result = printed.get("result").cloned().with_context(|| format!("{}: {printed}", call.tool))?;
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        bail!("{} answered with an error: {result}", call.tool);
    }
    Ok(result)
}

/// Every result on the page keeps the rules that the page states.
fn check(workspace: &Workspace, call: &Call, answer: &Value) -> Result<()> {
    let file = workspace.target().join("format-reference").join("answer.json");
    fs::write(&file, answer.to_string())?;
    let mut command = Command::new(workspace.built("mortise"));
    command.args(["formats", "check", "--tool", call.tool]).arg(&file);
    let ran = process::run(&mut command, LIMIT)?;
    ensure!(ran.status.success(), "{} breaks a rule of the formats:\n{}", call.tool, ran.stdout);
    Ok(())
}

fn section(page: &mut String, call: &Call, arguments: &Value, answer: &Value, root: &Path) -> Result<()> {
    let shown = |value: &Value| serde_json::to_string_pretty(&redact::value(value, root));
    let result = answer.get("structuredContent").unwrap_or(&Value::Null);
    let format = result.get("format").and_then(Value::as_str).unwrap_or_default();
    writeln!(page, "### {}: `{format}`\n\n{}\n", call.title(), call.about)?;
    writeln!(page, "```json\n{}\n```\n", shown(arguments)?)?;
    writeln!(page, "returns\n\n```json\n{}\n```\n", shown(result)?)?;
    if let Some(feedback) = answer.pointer("/content/1/text").and_then(Value::as_str) {
        writeln!(page, "and for people\n\n```text\n{}\n```\n", redact::text(feedback, root).trim_end())?;
    }
    Ok(())
}
