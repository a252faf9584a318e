//! What every wizard really returned.
//!
//! The wizards run on a small folder made here, one call after the other, through the binary as a client would. What
//! differs from run to run is replaced, so that the page is the same everywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::process;
use crate::workspace::Workspace;

use super::LIMIT;
use super::calls::{CALLS, Call, FILES};
use super::layout::{laid_out, shortened, take_programs};
use super::redact::Redaction;

/// What tools returned when they were called first.
pub(super) type Results = BTreeMap<&'static str, Value>;

/// A section for every call.
pub(super) fn sections(workspace: &Workspace) -> Result<String> {
    let wizards = Wizards::new(workspace)?;
    wizards.are_all_called()?;
    let mut redaction = Redaction::new(&wizards.root);
    let (mut results, mut page) = (Results::new(), String::new());
    for call in CALLS {
        let arguments = (call.arguments)(&results);
        let answer = wizards.call(call, &arguments)?;
        section(&mut page, call, &arguments, &answer, &mut redaction)?;
        results.entry(call.tool).or_insert_with(|| answer["structuredContent"].clone());
    }
    Ok(page)
}

/// The wizards on a folder of their own.
struct Wizards {
    binary: PathBuf,
    folder: PathBuf,
    root: PathBuf,
}

impl Wizards {
    fn new(workspace: &Workspace) -> Result<Self> {
        let folder = workspace.target().join("output-formats");
        if folder.exists() {
            fs::remove_dir_all(&folder).context("clearing the folder of the last run")?;
        }
        let root = folder.join("data");
        for (path, text) in FILES {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&root))?;
            fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        }
        // Results name it without symbolic links.
        let root = root.canonicalize()?;
        Ok(Self { binary: workspace.built("mortise"), folder, root })
    }

    /// The binary with the wizards as its only server.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(words).args(["--json", "--timeout", "2m", "--"]);
        command.arg(&self.binary).args(["wizards", "--root", "."]).current_dir(&self.root);
        command
    }

    /// A wizard that is not called would be missing from the page.
    fn are_all_called(&self) -> Result<()> {
        let printed: Value =
            serde_json::from_str(&process::run_ok(&mut self.command(&["tools"]), LIMIT)?.stdout)?;
        let tools = printed.get("tools").and_then(Value::as_array).context("no tools are listed")?;
        let offered: BTreeSet<&str> =
            tools.iter().filter_map(|tool| tool.get("name").and_then(Value::as_str)).collect();
        let called: BTreeSet<&str> = CALLS.iter().map(|call| call.tool).collect();
        let missing: Vec<&&str> = offered.difference(&called).collect();
        ensure!(missing.is_empty(), "no call of {missing:?} is in calls.rs");
        Ok(())
    }

    /// The result of one call as a client gets it, after a check against the rules that the page states.
    fn call(&self, call: &Call, arguments: &Value) -> Result<Value> {
        let tool = call.tool;
        let ran = process::run(&mut self.command(&["call", tool, "--args", &arguments.to_string()]), LIMIT)?;
        let printed: Value = serde_json::from_str(&ran.stdout)
            .with_context(|| format!("{tool} printed no JSON: {}", ran.tail(5)))?;
        let result = printed.get("result").with_context(|| format!("{tool} gave no result: {printed}"))?;
        if !ran.status.success() {
            bail!("{tool} failed, or broke its schema: {printed}");
        }
        self.check(tool, &ran.stdout)?;
        ensure!(result.get("structuredContent").is_some(), "{tool} returned nothing structured");
        Ok(result.clone())
    }

    fn check(&self, tool: &str, answer: &str) -> Result<()> {
        let file = self.folder.join("answer.json");
        fs::write(&file, answer)?;
        let mut command = Command::new(&self.binary);
        let ran = process::run(command.args(["formats", "check", "--tool", tool]).arg(&file), LIMIT)?;
        ensure!(ran.status.success(), "{tool} breaks a rule of the formats:\n{}", ran.stdout);
        Ok(())
    }
}

/// What was asked and what came back.
fn section(
    page: &mut String,
    call: &Call,
    arguments: &Value,
    answer: &Value,
    redaction: &mut Redaction,
) -> Result<()> {
    let mut arguments = redaction.value(arguments);
    take_programs(&mut arguments);
    let mut result = redaction.value(&answer["structuredContent"]);
    let programs = take_programs(&mut result);
    let case = if call.case.is_empty() { String::new() } else { format!(", {}", call.case) };
    writeln!(page, "### `{}`{case}\n\n{}\n", call.tool, call.about)?;
    writeln!(page, "```json\n{}\n```\n", laid_out(&shortened(&arguments)))?;
    writeln!(page, "returns\n\n```json\n{}\n```\n", laid_out(&shortened(&result)))?;
    for program in programs {
        let text = program.text.trim_end();
        writeln!(page, "with `{}`\n\n```{}\n{text}\n```\n", program.member, program.language)?;
    }
    if let Some(feedback) = answer.pointer("/content/1/text").and_then(Value::as_str) {
        writeln!(page, "and for people\n\n```text\n{}\n```\n", redaction.text(feedback).trim_end())?;
    }
    Ok(())
}
