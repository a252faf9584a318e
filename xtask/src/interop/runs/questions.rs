//! A program with 51 writes: one question for 50 of them, the last asks again.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::Interop;
use super::super::clients::{CLIENTS, Client, driver};
use super::gateway::StdioGateway;
use super::home::{LIMIT, RunHome};
use crate::process;

const ASK: &str = "approvals: ask\n";
const WRITES: usize = 51;

/// The official clients, in each era that they speak.
pub(super) fn clients() -> impl Iterator<Item = (&'static Client, &'static str)> {
    let official = CLIENTS.iter().filter(|client| client.name != "FastMCP");
    official.flat_map(|client| client.modes.iter().map(move |mode| (client, *mode)))
}

fn code(interop: &Interop<'_>) -> Result<String> {
    Ok(fs::read_to_string(interop.workspace.root().join("xtask/interop/runs/writes.py"))?)
}

/// The client is asked by elicitation.
pub(super) fn by_a_client(interop: &Interop<'_>, client: &Client, mode: &str) -> Result<String> {
    let home = RunHome::new(interop, "asked", ASK)?;
    let serve = home.mortise(&["serve"]);
    let words = std::iter::once(serve.get_program()).chain(serve.get_args());
    let command: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let job = json!({
        "command": command,
        "env": home.environment(),
        "mode": mode,
        "calls": [{ "tool": "execute_program", "arguments": { "code": code(interop)? } }],
        "answers": [{ "decision": "allow", "at_most": 50 }, { "decision": "allow" }],
    });
    let finished = process::run_ok(driver(interop, client)?.arg(job.to_string()), LIMIT)?;
    let answer: Value = serde_json::from_str(finished.stdout.lines().last().unwrap_or_default())?;
    let asked = answer["asked"].as_array().context("the driver does not say what it was asked")?;
    ensure!(asked.len() == 2, "{} questions: {asked:?}; {}", asked.len(), answer["calls"]);
    let first = asked[0].as_str().unwrap_or_default();
    ensure!(first.contains("up to 51 times (line 2)"), "the first question is {first:?}");
    let text = answer["calls"][0]["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(text.contains("51 writes"), "the program answered {}", answer["calls"][0]);
    judge(&home)?;
    home.remove()?;
    Ok("2 questions, 51 effects".to_owned())
}

/// The client can't be asked. The gateway restarts before each answer.
pub(super) fn in_a_shell(interop: &Interop<'_>) -> Result<String> {
    let home = RunHome::new(interop, "shell", ASK)?;
    let said = StdioGateway::start(&home)?.call("execute_program", &json!({ "code": code(interop)? }))?;
    ensure!(said.contains("needs_approval"), "the first answer is {said}");
    ensure!(home.effects()?.is_empty(), "a call was made before the answer");
    let run = allow(&home, &["--at-most", "50"])?;
    let said = StdioGateway::start(&home)?.call("resume_program", &json!({ "run": run }))?;
    ensure!(said.contains("needs_approval"), "after 50 writes the answer is {said}");
    let made = home.effects()?.len();
    ensure!(made == WRITES - 1, "{made} writes were made after 50 were allowed");
    allow(&home, &[])?;
    let said = StdioGateway::start(&home)?.call("resume_program", &json!({ "run": run }))?;
    ensure!(said.contains("51 writes"), "the last answer is {said}");
    judge(&home)?;
    home.remove()?;
    Ok("2 questions, 2 restarts, 51 effects".to_owned())
}

/// Allows the only open question; the run that asks.
fn allow(home: &RunHome, options: &[&str]) -> Result<String> {
    let listed = home.about_runs(&["approvals", "--json"])?;
    let questions: Vec<Value> = serde_json::from_str(&listed.stdout)?;
    ensure!(questions.len() == 1, "{} questions are open: {}", questions.len(), listed.stdout);
    let id = questions[0]["id"].as_str().unwrap_or_default();
    let decided = home.about_runs(&[&["approvals", "allow", id], options].concat())?;
    ensure!(decided.status.success(), "approvals allow {id}: {}", decided.stderr);
    Ok(questions[0]["run"].as_str().unwrap_or_default().to_owned())
}

fn judge(home: &RunHome) -> Result<()> {
    let effects = home.effects()?;
    ensure!(effects.len() == WRITES, "{} writes were made", effects.len());
    ensure!(effects.values().all(|count| *count == 1), "a write was made twice: {effects:?}");
    Ok(())
}
