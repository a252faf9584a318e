//! `--suggest`: output schemas that the author of a server can paste, from what results were.

use std::path::Path;
use std::sync::Arc;

use mortise_client::Upstream;
use mortise_contract::observed::{ObservedShape, suggested_schema};
use mortise_contract::text::counted;
use mortise_contract::{Contract, ObserveMode};
use mortise_executor::limits::OBSERVED_WRITE;
use mortise_executor::observed::Observer;
use mortise_tester::check::ResultListener;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::programs;
use crate::terminal::{Tint, escape};

/// What results of the servers under check are.
pub(super) struct SuggestedSchemas {
    /// From the calls of this check. They are made up, so they are not kept.
    now: Observer,
    /// From programs that ran before.
    before: Observer,
    tools: Vec<SuggestedTool>,
}

/// One tool that declares no output schema.
struct SuggestedTool {
    server: String,
    tool: String,
    shape: ObservedShape,
    now: u64,
    before: u64,
}

impl SuggestedSchemas {
    pub(super) fn new(app: &App, observe: ObserveMode) -> Self {
        let before = programs::observer(app, observe);
        Self { now: Observer::new(ObserveMode::On, None), before, tools: Vec::new() }
    }

    /// Receives the results of the check.
    pub(super) fn listener(&self) -> ResultListener {
        let now = self.now.clone();
        Arc::new(move |contract, result| now.take_in_result(contract, result))
    }

    /// Takes in the tools of a server that was checked.
    pub(super) fn add_server(&mut self, upstream: &Upstream, only: &[String]) {
        self.now.flush(OBSERVED_WRITE);
        let name = upstream.name().to_string();
        for contract in &upstream.catalog().contracts {
            let tool = contract.name.as_str();
            let is_asked = only.is_empty() || only.iter().any(|only| only == tool);
            if is_asked && !says_output(contract) {
                self.add(&name, contract);
            }
        }
    }

    fn add(&mut self, server: &str, contract: &Contract) {
        let [now, before] = [&self.now, &self.before].map(|observer| observer.observed(contract));
        let calls = |shape: &Option<Arc<ObservedShape>>| shape.as_ref().map_or(0, |shape| shape.calls());
        let counts = (calls(&now), calls(&before));
        let mut shape = ObservedShape::default();
        now.iter().chain(&before).for_each(|seen| shape.merge(seen));
        let (server, tool) = (server.to_owned(), contract.name.to_string());
        self.tools.push(SuggestedTool { server, tool, shape, now: counts.0, before: counts.1 });
    }

    /// The page below the report.
    pub(super) fn view(&self, app: &App) -> String {
        let terminal = &app.terminal;
        let mut out = format!("\n{}\n", terminal.paint(Tint::Heading, "Suggested output schemas"));
        if self.tools.is_empty() {
            out.push_str("  none: every tool declares what it returns\n");
        }
        for tool in &self.tools {
            let name = format!("{}/{}", escape::line(&tool.server), escape::line(&tool.tool));
            let lead = [(None, "\n  "), (Some(Tint::Name), name.as_str()), (None, "  ")];
            out.push_str(&terminal.hang(&lead, Some(Tint::Dim), &tool.basis()));
            if let Some(schema) = tool.schema() {
                let text = format!("\"outputSchema\": {}", broken_up(&schema, 0));
                text.lines().for_each(|line| out.push_str(&format!("    {}\n", escape::text(line))));
            }
        }
        if self.tools.iter().any(|tool| tool.schema().is_some()) {
            let note = "Paste a schema into the tool's declaration, correct what more results would show, and send the \
                        value as `structuredContent` too.";
            out.push_str(&format!("\n{}", terminal.hang(&[(None, "  ")], Some(Tint::Dim), note)));
        }
        out
    }

    /// The schemas by server and tool, as the file and `--json` have them.
    pub(super) fn json(&self) -> Value {
        let mut servers = Map::new();
        for tool in &self.tools {
            let Some(schema) = tool.schema() else { continue };
            let server = servers.entry(tool.server.clone()).or_insert_with(|| json!({}));
            server[&tool.tool] = json!({
                "outputSchema": schema,
                "observed": {
                    "now": tool.now,
                    "before": tool.before,
                    "first": tool.shape.first_day(),
                    "last": tool.shape.last_day(),
                },
            });
        }
        Value::Object(servers)
    }

    /// Writes the schemas to a file; whether that worked.
    pub(super) fn write(&self, app: &App, path: &Path) -> bool {
        let Err(error) = std::fs::write(path, format!("{:#}\n", self.json())) else { return true };
        let message = format!("cannot write `{}`", path.display());
        Failure::new(Exit::Usage, message).because(&error).print(&app.terminal);
        false
    }
}

impl SuggestedTool {
    fn schema(&self) -> Option<Value> {
        self.shape.has_type().then(|| suggested_schema(&self.shape.schema().value))
    }

    /// What the schema rests on, or why there is none.
    fn basis(&self) -> String {
        let results = |count: u64| counted(count, "result");
        match (self.now, self.before) {
            (0, 0) => format!("no result was observed; `--call {}` calls it", escape::line(&self.tool)),
            (now, 0) => format!("observed in {} of this check", results(now)),
            (0, before) => format!("observed in {} before", results(before)),
            (now, before) => format!("observed in {} of this check and {before} before", results(now)),
        }
    }
}

/// Whether a server says what a tool returns, also in a schema that can't be read.
fn says_output(contract: &Contract) -> bool {
    let is_empty = |schema: &Value| schema.as_object().is_some_and(Map::is_empty) || schema.is_null();
    contract.output_schema().is_some_and(|schema| !is_empty(schema)) || contract.unreadable_output().is_some()
}

/// Characters of a line within which an object or a list stays on it.
const ONE_LINE: usize = 72;

/// JSON on as few lines as are easy to read, to be pasted.
fn broken_up(value: &Value, indent: usize) -> String {
    let line = joined(value, ", ", &one_line);
    if indent + line.len() <= ONE_LINE {
        return line;
    }
    let (inner, outer) = (" ".repeat(indent + 2), " ".repeat(indent));
    let lines = joined(value, &format!(",\n{inner}"), &|part| broken_up(part, indent + 2));
    match (lines.get(..1), lines.get(1..lines.len() - 1)) {
        (Some(open @ ("{" | "[")), Some(parts)) => {
            format!("{open}\n{inner}{parts}\n{outer}{}", if open == "{" { "}" } else { "]" })
        }
        _ => lines,
    }
}

fn one_line(value: &Value) -> String {
    joined(value, ", ", &one_line)
}

/// The parts of an object or a list with something between them.
fn joined(value: &Value, between: &str, shown: &dyn Fn(&Value) -> String) -> String {
    match value {
        Value::Object(members) => {
            let member =
                |(name, part): (&String, &Value)| format!("{}: {}", Value::from(name.as_str()), shown(part));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(between))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(shown).collect::<Vec<_>>().join(between))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests;
